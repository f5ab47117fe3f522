// A session with a master agent (RFC 2741), such as net-snmp's snmpd: connects, opens, registers,
// answers requests, sends notifications, and begins anew when the master was restarted. Nothing in
// it waits: the caller polls the descriptor and tells the time.
#ifndef IBTRAPD_AGENTX_CLIENT_H
#define IBTRAPD_AGENTX_CLIENT_H

#include "agentx/handler.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"

#include <poll.h>

enum {
    AGENTX_REGIONS_MAX = 8,
    AGENTX_CONTEXT_SIZE = 33, // snmpAdminString of VACM contexts (RFC 3415), and a NUL
    AGENTX_WINDOW = 128,      // notifications that may be unanswered
};

// A subtree that the master sends requests for.
struct agentx_region {
    const uint32_t *ids;
    size_t length;                     // at most AGENTX_OID_MAX
    char context[AGENTX_CONTEXT_SIZE]; // empty: the default context
    bool optional; // another subagent may have it already: then this session goes on without
};

struct agentx_options {
    const char *master; // path of a Unix socket, or "tcp:HOST:PORT"; HOST is an address, no name
    const char *description; // of the subagent, for the master's log
    const struct agentx_region *regions;
    size_t region_count;
    struct agentx_handler handler; // functions that are not needed may be NULL
    const struct clock *clock;
    const struct random *random;
    struct log *log; // NULL: it says nothing
};

struct agentx_client;

// The options are copied; strings, regions, clock, random and log outlive the client. Nothing is
// sent yet. NULL with a sentence when memory is short or the master's address makes no sense.
struct agentx_client *agentx_client_new(const struct agentx_options *options, struct error *err);
void agentx_client_free(struct agentx_client *client); // closes the session first; NULL is allowed

// What to poll for, until when (monotonic microseconds). The descriptor is -1 while there is no
// connection, and another one, maybe of the same number, after each run: ask anew before each poll.
int64_t agentx_client_poll(const struct agentx_client *client, struct pollfd *out);

// Goes on with what can be done now, given what poll said. Never waits.
void agentx_client_run(struct agentx_client *client, short revents);

enum agentx_state {
    AGENTX_AWAY,    // no connection; it is tried again, with a pause that grows up to a minute
    AGENTX_OPENING, // connecting, opening or registering
    AGENTX_UP,      // open, and every region that is not optional is registered
};
enum agentx_state agentx_client_state(const struct agentx_client *client);
const char *agentx_client_problem(const struct agentx_client *client); // why not up; empty: it is

// When the master's sysUpTime was 0, in monotonic microseconds, as its last answers tell.
int64_t agentx_client_master_started_at(const struct agentx_client *client);

// Hands a notification on, to be sent by the next runs: sysUpTime.0 is the master's own; the first
// varbind is snmpTrapOID.0. `context` may be empty. False with a sentence: not up, or AGENTX_WINDOW
// are unanswered already, or too much waits to be sent.
bool agentx_client_notify(struct agentx_client *client, const char *context,
                          const struct agentx_varbind *varbinds, size_t n, struct error *err);

#endif
