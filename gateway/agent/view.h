// What the tables show, as of one moment. Immutable and counted: a walk goes on in the view it
// began in.
#ifndef IBTRAPD_AGENT_VIEW_H
#define IBTRAPD_AGENT_VIEW_H

#include "base/clock.h"
#include "journal/journal.h"
#include "model/fabric.h"
#include "model/names.h"
#include "model/setting.h"
#include "topology/sums.h"
#include "topology/topology.h"

enum { VIEW_SUBSCRIPTIONS_MAX = 32, VIEW_RECEIVERS_MAX = 512 };

// The number of an event or alarm in tables and traps: an index has 31 bits. It is the journal's
// own until that has counted beyond; tables then have what came since the last multiple of 2^31.
enum { VIEW_NUMBER_MAX = INT32_MAX };
static inline uint32_t view_number(int64_t sequence)
{
    return (uint32_t)sequence & VIEW_NUMBER_MAX;
}

// A row of ibtrapdSubscriptionTable. Times are monotonic microseconds; 0: never.
struct view_subscription {
    uint32_t trap;
    uint8_t state; // as the MIB numbers it
    uint16_t status;
    char reason[256];
    int64_t changed_at, last_report_at;
    uint64_t reports;
};

// A row of ibtrapdReceiverTable; likewise.
struct view_receiver {
    char name[65];
    uint8_t kind, state; // as the MIB numbers them
    char address[256], reason[256];
    int64_t changed_at, last_success_at;
    uint64_t sent, acknowledged, retried, filtered, dropped;
    uint64_t lag_events;
    int64_t oldest_us; // UTC; 0: none waits
};

// The scalars of ibtrapdFlow that the journal does not tell.
struct view_flow {
    uint64_t reports, acknowledged, repeated, malformed, foreign, ring_full;
    uint64_t events, held_back, journalled, dropped;
    int64_t since; // monotonic
};

// What the gateway's other parts tell of themselves. Sorted by trap, and by the name's length, then
// name.
struct view_gateway {
    struct view_subscription subscriptions[VIEW_SUBSCRIPTIONS_MAX];
    size_t subscription_count;
    struct view_receiver receivers[VIEW_RECEIVERS_MAX];
    size_t receiver_count;
    struct view_flow flow;
};

struct view_alarms; // agent/view_alarms.h
struct view_events; // agent/view_events.h: the events of each switch

// Where views come from. All outlives the agent; the functions may be called in the agent's thread.
struct view_source {
    struct topology *topology;
    struct journal *journal;
    void (*gateway)(void *ctx, struct view_gateway *out);
    struct settings *(*settings)(void *ctx); // a reference, the caller's; may be NULL
    struct sums *(*sums)(void *ctx);         // likewise
    void *ctx;
    uint8_t event_trap_level; // GswEventSeverity of a switch for which none was set
    const struct clock *clock;
    int64_t master_started_at; // monotonic: when the master's sysUpTime was 0; the agent says it
};

struct view {
    unsigned references;       // the agent's thread only
    int64_t time_us;           // UTC
    int64_t now;               // monotonic
    int64_t master_started_at; // as the source had it
    const struct view_source *source;
    struct fabric *fabric;     // NULL: not seen yet
    struct names *names;       // may be NULL
    struct sums *sums;         // counters of the ports; may be NULL
    struct settings *settings; // may be NULL
    uint32_t *switches;        // node indices of the switches and routers, ascending by GUID
    size_t switch_count;
    int64_t first_event, last_event; // numbers in the journal; 0: none
    struct view_gateway gateway;
    struct view_alarms *alarms; // made when first asked for
    bool was_short;             // of memory: see below
    struct view_events *events; // shared; the agent's
};

// What the numbers in its tables are to be added to, to get the journal's.
static inline int64_t view_base(const struct view *view)
{
    return view->last_event - view_number(view->last_event);
}

// NULL: out of memory. The agent's thread only.
struct view *view_take(const struct view_source *source, struct view_events *events);
struct view *view_keep(struct view *view);
void view_release(struct view *view); // NULL is allowed

// True, once, when memory was too short for what was asked for: it seemed not to be there.
bool view_was_short(const struct view *view);

#endif
