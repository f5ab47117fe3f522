// SPDX-License-Identifier: BSD-2-Clause
// An agent snapshot: the content of all tables at one moment, counted. A walk gets all rows from
// its first snapshot. Alarms, interfaces and the SA's records are added when a request first needs
// them, and then stay.
#pragma once

#include "agent/interface_list.h"
#include "agent/sa_records.h"
#include "agent/snapshot_events.h"
#include "base/clock.h"
#include "journal/compact_alarm.h"
#include "journal/journal.h"
#include "model/attribute.h"
#include "model/fabric.h"
#include "model/maintenance.h"
#include "model/names.h"
#include "model/setting.h"
#include "topology/measured_errors.h"
#include "topology/topology.h"

enum {
    SNAPSHOT_SUBSCRIPTIONS_MAX = 32,
    SNAPSHOT_RECEIVERS_MAX = 512,
    SNAPSHOT_ALARMS_MAX = 65536, // the first raised of more active alarms: some 20 MB
};

// A row of ibtrapdSubscriptionTable. Times are monotonic microseconds; 0: never.
struct snapshot_subscription {
    uint32_t trap;
    uint8_t state; // as the MIB numbers it
    uint16_t status;
    char reason[256];
    int64_t changed_at, last_report_at;
    uint64_t reports;
};

// A row of ibtrapdReceiverTable. Times are as above.
struct snapshot_receiver {
    char name[65];
    uint8_t kind, state; // as the MIB numbers them
    char address[256], reason[256];
    int64_t changed_at, last_success_at;
    uint64_t sent, acknowledged, retried, filtered, dropped;
    uint64_t lag_events;
    int64_t oldest_us; // UTC; 0: none waits
};

// A row of ibtrapdWindowTable: a maintenance window.
struct snapshot_window {
    char name[MAINTENANCE_NAME_SIZE];
    int64_t until_us; // UTC
    bool all;         // it covers all nodes
    char nodes[256], who[MAINTENANCE_WHO_SIZE], comment[MAINTENANCE_COMMENT_SIZE];
};

// The scalars of ibtrapdFlow that do not come from the journal.
struct snapshot_flow {
    uint64_t reports, acknowledged, repeated, malformed, foreign, ring_full;
    uint64_t events, suppressed, journalled, dropped;
    int64_t since; // monotonic
};

// The state of the gateway's other parts. Subscriptions ascend by trap, receivers by the length of
// the name, then by name.
struct snapshot_gateway {
    struct snapshot_subscription subscriptions[SNAPSHOT_SUBSCRIPTIONS_MAX];
    size_t subscription_count;
    struct snapshot_receiver receivers[SNAPSHOT_RECEIVERS_MAX];
    size_t receiver_count;
    struct snapshot_window windows[MAINTENANCE_MAX]; // that have not ended
    size_t window_count;
    struct snapshot_flow flow;
};

// The active alarms, ascending by event_number.
struct snapshot_alarms {
    struct compact_alarm *all;
    size_t count, room;
};

struct paths;
struct reads;

// Reads on demand, by the contract of ib/reads.h. NULL functions: no reads. The agent's thread
// calls the functions.
struct snapshot_demand {
    int fd; // an eventfd, written when answers have come
    enum demand_state (*ask)(struct reads *reads, const struct demand_key *key,
                             struct demand_answer **answer, int64_t *ticket);
    void (*drop)(struct reads *reads, const struct demand_key *key); // of a Set
    bool (*can_ask)(struct reads *reads, const struct demand_key *key);
    bool (*is_ready)(struct reads *reads, int64_t ticket);
    int64_t (*run)(struct reads *reads);
    struct reads *reads;
};

// The parts of the gateway behind snapshots. All parts outlive the agent, which calls the functions
// in its own thread.
struct snapshot_source {
    struct topology *topology;
    struct journal *journal;
    void (*gateway)(void *ctx, struct snapshot_gateway *out);
    struct settings *(*settings)(void *ctx);         // a reference, the caller's; may be NULL
    struct accumulated_counters *(*sums)(void *ctx); // the same
    struct measured_errors *(*errors)(void *ctx);    // the same; a NULL function: there are none
    void *ctx;
    enum contexts_of fabric_of; // nodes whose ports are interfaces of the fabric
    const char *gateway_name;   // in the name of the fabric as one device
    const char *fabric_name;    // the fabric's, up to 63 octets
    struct snapshot_demand demand;
    uint8_t event_trap_level; // GswEventSeverity of a switch without a setting
    const struct clock *clock;
    int64_t master_started_at; // monotonic: when the master's sysUpTime was 0; the agent sets it
    struct paths *paths;       // live, not of the snapshot's time; the agent sets it; NULL: none
};

struct agent_snapshot {
    int64_t time_us;           // UTC
    int64_t now;               // monotonic
    int64_t master_started_at; // copied from the source
    const struct snapshot_source *source;
    struct fabric *fabric;                    // NULL: no sweep yet
    struct names *names;                      // may be NULL
    struct accumulated_counters *accumulated; // counters of the ports; may be NULL
    struct measured_errors *errors;           // their error rates; may be NULL
    struct settings *settings;                // may be NULL
    uint32_t *switches; // node indices of the switches and routers, ascending by GUID
    size_t switch_count;
    int64_t first_event, last_event; // numbers in the journal; 0: none
    struct snapshot_gateway gateway;
    struct snapshot_alarms *alarms; // NULL until snapshot_alarms_of is called
    struct node_numbers *numbers;
    struct interface_list *interfaces;         // NULL until snapshot_interfaces_of is called
    struct snapshot_events *events;            // the agent's, shared by all snapshots
    struct sa_records *records[RECORDS_KINDS]; // NULL until a request needs them
};

// An event's number in the journal is this base plus the event_number.
static inline int64_t snapshot_base(const struct agent_snapshot *snapshot)
{
    return snapshot->last_event - event_number(snapshot->last_event);
}

// The range of events in the tables.
static inline struct snapshot_events_range snapshot_range(const struct agent_snapshot *snapshot)
{
    return (struct snapshot_events_range){snapshot_base(snapshot), snapshot->last_event};
}

// Returns NULL if the journal cannot be read now. The agent's thread only.
struct agent_snapshot *snapshot_take(const struct snapshot_source *source,
                                     struct snapshot_events *events);
void snapshot_free(struct agent_snapshot *snapshot); // NULL is allowed

// The active alarms, copied from the journal at the first call.
const struct snapshot_alarms *snapshot_alarms_of(struct agent_snapshot *snapshot);
void snapshot_alarms_free(struct snapshot_alarms *alarms); // NULL is allowed

// The interfaces of the fabric, made at the first call.
const struct interface_list *snapshot_interfaces_of(struct agent_snapshot *snapshot);
