// What the tables show, as of one moment. Immutable and counted: a walk goes on in the view it
// began in.
#ifndef IBTRAPD_AGENT_SNAPSHOT_H
#define IBTRAPD_AGENT_SNAPSHOT_H

#include "base/clock.h"
#include "journal/journal.h"
#include "model/fabric.h"
#include "model/names.h"
#include "model/setting.h"
#include "topology/accumulated.h"
#include "topology/topology.h"

enum { SNAPSHOT_SUBSCRIPTIONS_MAX = 32, SNAPSHOT_RECEIVERS_MAX = 512 };

// The number of an event or alarm in tables and traps: an index has 31 bits. It is the journal's
// own until that has counted beyond; tables then have what came since the last multiple of 2^31.
enum { SNAPSHOT_NUMBER_MAX = INT32_MAX };
static inline uint32_t snapshot_number(int64_t sequence)
{
    return (uint32_t)sequence & SNAPSHOT_NUMBER_MAX;
}

// A row of ibtrapdSubscriptionTable. Times are monotonic microseconds; 0: never.
struct snapshot_subscription {
    uint32_t trap;
    uint8_t state; // as the MIB numbers it
    uint16_t status;
    char reason[256];
    int64_t changed_at, last_report_at;
    uint64_t reports;
};

// A row of ibtrapdReceiverTable; likewise.
struct snapshot_receiver {
    char name[65];
    uint8_t kind, state; // as the MIB numbers them
    char address[256], reason[256];
    int64_t changed_at, last_success_at;
    uint64_t sent, acknowledged, retried, filtered, dropped;
    uint64_t lag_events;
    int64_t oldest_us; // UTC; 0: none waits
};

// The scalars of ibtrapdFlow that the journal does not tell.
struct snapshot_flow {
    uint64_t reports, acknowledged, repeated, malformed, foreign, ring_full;
    uint64_t events, suppressed, journalled, dropped;
    int64_t since; // monotonic
};

// What the gateway's other parts tell of themselves. Sorted by trap, and by the name's length, then
// name.
struct snapshot_gateway {
    struct snapshot_subscription subscriptions[SNAPSHOT_SUBSCRIPTIONS_MAX];
    size_t subscription_count;
    struct snapshot_receiver receivers[SNAPSHOT_RECEIVERS_MAX];
    size_t receiver_count;
    struct snapshot_flow flow;
};

struct snapshot_alarms; // agent/snapshot_alarms.h
struct snapshot_events; // agent/snapshot_events.h: the events of each switch

// Where views come from. All outlives the agent; the functions may be called in the agent's thread.
struct snapshot_source {
    struct topology *topology;
    struct journal *journal;
    void (*gateway)(void *ctx, struct snapshot_gateway *out);
    struct settings *(*settings)(void *ctx);         // a reference, the caller's; may be NULL
    struct accumulated_counters *(*sums)(void *ctx); // likewise
    void *ctx;
    uint8_t event_trap_level; // GswEventSeverity of a switch for which none was set
    const struct clock *clock;
    int64_t master_started_at; // monotonic: when the master's sysUpTime was 0; the agent says it
};

struct agent_snapshot {
    unsigned references;       // the agent's thread only
    int64_t time_us;           // UTC
    int64_t now;               // monotonic
    int64_t master_started_at; // as the source had it
    const struct snapshot_source *source;
    struct fabric *fabric;                    // NULL: not seen yet
    struct names *names;                      // may be NULL
    struct accumulated_counters *accumulated; // counters of the ports; may be NULL
    struct settings *settings;                // may be NULL
    uint32_t *switches; // node indices of the switches and routers, ascending by GUID
    size_t switch_count;
    int64_t first_event, last_event; // numbers in the journal; 0: none
    struct snapshot_gateway gateway;
    struct snapshot_alarms *alarms; // made when first asked for
    bool was_short;                 // of memory: see below
    struct snapshot_events *events; // shared; the agent's
};

// What the numbers in its tables are to be added to, to get the journal's.
static inline int64_t snapshot_base(const struct agent_snapshot *snapshot)
{
    return snapshot->last_event - snapshot_number(snapshot->last_event);
}

// NULL: out of memory. The agent's thread only.
struct agent_snapshot *snapshot_take(const struct snapshot_source *source,
                                     struct snapshot_events *events);
struct agent_snapshot *snapshot_ref(struct agent_snapshot *snapshot);
void snapshot_unref(struct agent_snapshot *snapshot); // NULL is allowed

// True, once, when memory was too short for what was asked for: it seemed not to be there.
bool snapshot_was_short(const struct agent_snapshot *snapshot);

#endif
