// SPDX-License-Identifier: BSD-2-Clause
// The SA client: subscribes at the SA, keeps the subscriptions alive, receives Reports and answers
// them. It has a thread of its own. IBA 13.4.11 (event forwarding), 15.2.5.12 (InformInfo).
//
// It subscribes again, within ten seconds, when the port's LID or its SM changes, when the port
// comes up, when the SM asks for it (ClientReregister), and when the SM has lost a subscription:
// every `verify_us`, the client asks the SM for its subscriptions.
#ifndef IBTRAPD_IB_SA_CLIENT_H
#define IBTRAPD_IB_SA_CLIENT_H

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "ib/mad.h"
#include "ib/mad_io.h"
#include "ib/subscriptions.h"

// A Report of the master SM, or a malformed MAD from it.
struct sa_report {
    struct mad_address from; // without `grh`
    bool has_grh;
    struct mad_grh grh;
    uint64_t subnet_prefix;
    int64_t arrived_at; // monotonic microseconds; repeats are recognised by it
    bool malformed;
    char reason[128]; // when malformed
    uint8_t mad[MAD_SIZE];
    size_t size; // octets of `mad` that arrived
};

enum sa_change {
    SA_SUBSCRIPTIONS_LOST,
    SA_SUBSCRIPTIONS_RESTORED,
    SA_SM_UNREACHABLE, // while the port is up
    SA_SM_BACK,
};

// The client's thread calls both functions. They must not wait.
struct sa_listener {
    // Takes over a report; free it with free(3). False: there is no room. The report then stays the
    // client's, which does not answer it, so that the SM sends it again.
    bool (*report)(void *ctx, struct sa_report *report);

    // `reason` is part of a sentence, without a full stop.
    void (*change)(void *ctx, enum sa_change change, uint64_t subnet_prefix, const char *reason);
    void *ctx;
};

enum { SA_KEY_GUIDS_MAX = 8 };

struct sa_options {
    int64_t verify_us;  // between two queries for the subscriptions
    int64_t refresh_us; // from a subscription to its renewal
    bool has_sa_key;
    uint64_t sa_key;
    // The port GUIDs of the SMs that may get the SA key; none: whichever is master.
    uint64_t key_guids[SA_KEY_GUIDS_MAX];
    size_t key_guid_count;
    bool all_traps; // subscribe to all generic traps at once, where the SM takes that
    uint64_t mkey;  // M_Key for queries to the own port; 0: none
    // At the last stop, the subscriptions were lost or the SM was unreachable, and the listener
    // knew: the client then reports the end of that, too.
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
    uint64_t foreign;      // from other LIDs, ignored
    uint64_t malformed;    // from the master SM
    uint64_t no_room;      // not accepted: the gateway was too busy
};

// For `ibtrapctl status`.
struct sa_status {
    bool open;         // a port is open
    char problem[512]; // why no port is open, or why no Report can arrive now; empty: all is well
    struct mad_port_id id;
    struct mad_port port;
    // Why this host may send no SMPs, as part of a sentence; empty: it may. Without them, `port` is
    // what the kernel says, and only the SA knows the fabric.
    char smp_refusal[128];
    bool sm_answers;
    char unanswered[64]; // what the SM does not answer, though it answers others; empty: nothing
    struct mad_node sm;
    bool has_sa_key;
    struct subscription subscriptions[SUBSCRIPTIONS_COUNT];
    struct sa_counters counters;
    int64_t now; // monotonic: the time of this status
};

struct sa_client;

// Copies the options; the objects that they point to outlive the client. NULL with a sentence: out
// of memory.
struct sa_client *sa_client_new(const struct sa_options *options, struct error *err);

// Starts the thread. A port that is missing or down is no error: the thread waits for it. False
// with a sentence: no thread.
bool sa_client_start(struct sa_client *client, struct error *err);

// Unsubscribes (at most three attempts of a second each) and stops the thread. The port stays open,
// so that reports passed on before can still be acknowledged.
void sa_client_stop(struct sa_client *client);

// Closes the port and frees a client that is stopped or was never started. NULL is allowed.
void sa_client_free(struct sa_client *client);

// Answers a report with a ReportResp. Any thread.
void sa_client_acknowledge(struct sa_client *client, const struct sa_report *report);

// Makes the client query port and SM now, since something may have changed. Any thread.
void sa_client_wake(struct sa_client *client);

// The adapter has an event that the SM asks for new registrations. Counts where PortInfo, which
// says the same, cannot be read. Any thread.
void sa_client_reregister(struct sa_client *client);

// Uses that M_Key for queries to the own port from now on; 0: none. Any thread.
void sa_client_change_mkey(struct sa_client *client, uint64_t mkey);

// Subscribes to everything again at once. Subscriptions that the SA has confirmed stay in force
// meanwhile. Any thread.
void sa_client_resubscribe(struct sa_client *client);

void sa_client_status(struct sa_client *client, struct sa_status *out); // any thread

// Attaches a MAD client to the port, as shared_port_attach does, until the port is closed or the SA
// client stops. False with a sentence that says why no port is open. Any thread.
bool sa_client_attach(struct sa_client *client, struct mad_io *out, struct error *err);

#endif
