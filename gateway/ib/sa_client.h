// The gateway's side of the SA: subscribes, keeps the subscriptions alive, receives Reports and
// answers them. One thread owns it all; IBA 13.4.11 (event forwarding), 15.2.5.12 (InformInfo).
//
// It subscribes again, within ten seconds, when the port's LID or its SM changes, when the port
// comes up, when the SM asks for it (ClientReregister), and when the SM turns out to have
// forgotten: it asks the SM every `verify_us` what it holds.
#ifndef IBTRAPD_IB_SA_CLIENT_H
#define IBTRAPD_IB_SA_CLIENT_H

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "ib/mad.h"
#include "ib/mad_io.h"
#include "ib/subscriptions.h"

// A Report of the master SM, or something malformed from it.
struct sa_report {
    struct mad_address from;
    uint64_t subnet_prefix;
    bool malformed;
    char reason[128]; // when malformed
    uint8_t mad[MAD_SIZE];
    size_t size; // octets of it that arrived
};

enum sa_change {
    SA_SUBSCRIPTIONS_LOST,
    SA_SUBSCRIPTIONS_RESTORED,
    SA_SM_UNREACHABLE, // while the port is up
    SA_SM_BACK,
};

// Both are called from the agent's thread and must not wait.
struct sa_listener {
    // Takes over a report made with malloc. False when there is no room: the report stays the
    // agent's, nothing is answered, and the SM sends it again.
    bool (*report)(void *ctx, struct sa_report *report);

    // `reason` is part of a sentence, without a full stop.
    void (*change)(void *ctx, enum sa_change change, uint64_t subnet_prefix, const char *reason);
    void *ctx;
};

struct sa_options {
    int64_t verify_us, refresh_us;
    bool has_sa_key;
    uint64_t sa_key;
    uint64_t mkey; // that the own port may want before it tells of itself; 0: none
    // Lost or unreachable when the gateway ended, and told then: its end will be, too.
    bool was_lost, was_unreachable;
    struct mad_opener opener;
    struct sa_listener listener;
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

struct sa_counters {
    uint64_t reports;      // from the master SM, repeats included
    uint64_t acknowledged; // ReportResps sent
    uint64_t foreign;      // from elsewhere, not accepted
    uint64_t malformed;    // from the master SM
    uint64_t no_room;      // not accepted because the gateway was too busy
};

// What `ibtrapctl status` shows.
struct sa_status {
    bool open;         // a port is
    char problem[512]; // why not, or why nothing can be received now; empty: all is well
    struct mad_port_id id;
    struct mad_port port;
    bool sm_answers;
    struct mad_node sm;
    bool has_sa_key;
    struct subscription subscriptions[SUBSCRIPTIONS_COUNT];
    struct sa_counters counters;
    int64_t now; // monotonic, when this was taken
};

struct sa_client;

// The options are copied; what they point to outlives the agent. NULL with a sentence when memory
// is short.
struct sa_client *sa_client_new(const struct sa_options *options, struct error *err);

// Starts the thread. A port that is missing or down is no error: it is waited for.
bool sa_client_start(struct sa_client *client, struct error *err);

// Unsubscribes (three attempts of a second each at most) and stops the thread. The port stays open,
// so that reports handed on before can still be acknowledged.
void sa_client_stop(struct sa_client *client);

// Closes the port and frees a stopped agent, or one that never started. NULL is allowed.
void sa_client_free(struct sa_client *client);

// Answers a report with ReportResp. Any thread.
void sa_client_acknowledge(struct sa_client *client, const struct sa_report *report);

// Something may have changed: look now. Any thread.
void sa_client_wake(struct sa_client *client);

// The own port is asked with that M_Key from now on, or with none (0). Any thread.
void sa_client_change_mkey(struct sa_client *client, uint64_t mkey);

// Subscribes to everything again, at once, whatever stands; what stands goes on meanwhile. Any
// thread.
void sa_client_resubscribe(struct sa_client *client);

void sa_client_status(struct sa_client *client, struct sa_status *out); // any thread

// Attaches a MAD client to the port, as shared_port_attach does, until the port is closed or the SA
// client stops. False with a sentence that says why no port is open. Any thread.
bool sa_client_attach(struct sa_client *client, struct mad_io *out, struct error *err);

#endif
