// SPDX-License-Identifier: BSD-2-Clause
#include "made_snapshot.h"

#include "agent/paths.h"
#include "agent/snapshot_events.h"
#include "base/log.h"
#include "generated.h"
#include "model/catalogue.h"
#include "support_clock.h"
#include "tables/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 20 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void be_told(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx;
    (void)change;
    (void)reason;
    (void)count;
}

static void tell_of_gateway(void *ctx, struct snapshot_gateway *out)
{
    enum { SUBSCRIBED = 3, SYSLOG_UDP = 6, UP = 2 }; // as the IBTRAPD-MIB numbers them
    static const char *const NAMES[] = {"a", "z", "nms", "siem"};
    (void)ctx;
    for (; out->receiver_count < sizeof NAMES / sizeof *NAMES; out->receiver_count++) {
        struct snapshot_receiver *r = &out->receivers[out->receiver_count];
        *r = (struct snapshot_receiver){.kind = SYSLOG_UDP, .state = UP};
        snprintf(r->name, sizeof r->name, "%s", NAMES[out->receiver_count]);
    }
    for (; out->subscription_count < 3; out->subscription_count++)
        out->subscriptions[out->subscription_count] = (struct snapshot_subscription){
            .trap = 64 + (uint32_t)out->subscription_count, .state = SUBSCRIBED};
    out->windows[out->window_count++] = (struct snapshot_window){.name = "rack7",
                                                                 .until_us = SUPPORT_UTC_US,
                                                                 .nodes = "node* leaf2",
                                                                 .who = "kim (uid 7)",
                                                                 .comment = "new cables"};
}

static struct settings *no_settings(void *ctx)
{
    (void)ctx;
    return NULL;
}

static struct accumulated_counters *some_sums;
static struct measured_errors *some_errors;

static struct accumulated_counters *tell_of_sums(void *ctx)
{
    (void)ctx;
    return accumulated_ref(some_sums);
}

static struct measured_errors *tell_of_errors(void *ctx)
{
    (void)ctx;
    return measured_errors_ref(some_errors);
}

// Each port says why it counts errors.
static void tell_details(struct counter_reading *reading, struct error_details *details)
{
    reading->details = details;
    reading->detail_count = 0;
    for (size_t i = 0; i < reading->count; i++) {
        struct error_details one = {.node_guid = reading->samples[i].node_guid,
                                    .port = reading->samples[i].port,
                                    .known = true,
                                    .counts = {1, 2, 3, 4, 5, 6}};
        one.counter = COUNTER_RCV_ERRORS;
        details[reading->detail_count++] = one;
        one.counter = COUNTER_XMIT_DISCARDS;
        details[reading->detail_count++] = one;
    }
}

// Reads the counters of all ports with a peer twice, in two minutes. All grow, but no link went
// down.
static void read_counters(const struct fabric *fabric)
{
    enum { MINUTE_US = 60 * 1000000 };
    const struct counter_watch_limits limits = {
        .window_us = {12 * INT64_C(60000000), 125 * INT64_C(60000000)},
        .per_hour[COUNTER_SYMBOL_ERROR] = {1, 1}};
    struct counter_reading *reading =
        calloc(1, sizeof *reading + fabric->port_count * sizeof reading->samples[0]);
    struct error_details *details = calloc(fabric->port_count, 2 * sizeof *details);
    struct counter_watch *watch = counter_watch_new(&limits);
    require(reading && details);
    for (int64_t minute = 1; minute <= 2; minute++) {
        reading->time_us = minute * MINUTE_US;
        reading->count = 0;
        for (uint32_t i = 0; i < fabric->port_count; i++) {
            struct counter_sample *sample = &reading->samples[reading->count];
            sample->node_guid = fabric->nodes[fabric_node_of_port(fabric, i)].guid;
            sample->port = fabric->ports[i].number;
            for (unsigned c = 0; c < COUNTER_COUNT; c++)
                sample->values[c] = c == COUNTER_LINK_DOWNED ? i : (uint64_t)minute * i;
            reading->count += fabric->ports[i].peer_node != FABRIC_NONE;
        }
        tell_details(reading, details);
        const struct counter_watch_reading one = {some_sums, reading, fabric,
                                                  (1000 + minute) * MINUTE_US};
        size_t count;
        counter_watch_update(watch, &one, &count);
        struct accumulated_counters *sums = accumulated_with(some_sums, reading);
        require(sums);
        accumulated_unref(some_sums);
        some_sums = sums;
    }
    some_errors = measured_errors_of(watch);
    require(some_errors && some_errors->count > 0);
    counter_watch_free(watch);
    free(reading);
    free(details);
}

enum { HAS_LED_INFO = 1 << 9 }; // of CapabilityMask

// Attributes with all bits, without any, and with a 1 in each field of four: for instance a value
// that does not fit its object.
static void tell_attributes(struct generated *g)
{
    static const int BITS[] = {0, 0xFF, 0x11};
    for (uint32_t i = 0; i < g->count; i++) {
        struct fabric_node *node = &g->nodes[i].node;
        node->vendor = 0x0002c9; // has a table of modules
        const int bits = BITS[i % (sizeof BITS / sizeof *BITS)];
        node->base_version = node->class_version = 1;
        node->partition_cap = i % 2 ? UINT16_MAX : 1;
        node->local_port = i % 2 ? UINT8_MAX : 0;
        node->switch_info.known = node->type == FABRIC_SWITCH;
        memset(node->switch_info.octets, bits, sizeof node->switch_info.octets);
        for (uint8_t number = node->type == FABRIC_SWITCH ? 0 : 1; number < 2; number++) {
            struct fabric_port *port = generated_port(g, i, number);
            port->detail.known = true;
            port->capabilities |= HAS_LED_INFO;
            memset(port->detail.octets, bits, sizeof port->detail.octets);
        }
    }
}

static struct topology *make_topology(void)
{
    struct generated g = {0};
    struct changes changes = {0};
    bool late;
    generated_fat_tree(&g, 8, 2);
    generated_add(&g, FABRIC_ROUTER, UINT64_MAX, "router", 2);
    tell_attributes(&g);
    generated_sm(&g, 0, 0, 15, FABRIC_MASTER);
    generated_sm(&g, 1, 0, 0, FABRIC_NOT_ACTIVE);
    for (size_t i = 0; i < g.sm_count; i++) {
        g.sms[i].counts = true;
        g.sms[i].activity = UINT32_MAX;
    }
    struct topology *topology = topology_new(NULL, &random_system, NULL);
    require(topology);
    topology_update(topology, generated_look(&g, 0), &changes, &late);
    changes_clear(&changes);
    generated_clear(&g);
    return topology;
}

// The journal stays in memory, because this directory does not exist.
static struct journal *make_journal(struct topology *topology)
{
    struct error err;
    struct log *log = log_open(fopen("/dev/null", "we"), LOG_LEVEL_ERROR, false, &clock_system);
    const struct journal_options options = {.directory = "/proc/none",
                                            .rows_max = 1000,
                                            .bytes_max = 1 << 20,
                                            .age_us = CLOCK_US_PER_S,
                                            .notify = be_told,
                                            .clock = &clock_system,
                                            .random = &random_system,
                                            .log = log};
    struct journal *journal = journal_open(&options, &err);
    struct fabric *fabric = topology_current(topology);
    require(journal && fabric);
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct event *event = event_make(catalogue_get(CATALOGUE_SM_UNREACHABLE));
        require(event);
        event->switch_guid = fabric->nodes[i % fabric->node_count].guid;
        snprintf(event->id, sizeof event->id, "0199a2b3-0000-7000-8000-%012u", i);
        snprintf(event->alarm_key, sizeof event->alarm_key, "%u", i);
        snprintf(event->fabric, sizeof event->fabric, "halle-%u", i);
        journal_append(journal, event, &(struct journal_report){0});
        event_unref(event);
    }
    journal_commit(journal);
    read_counters(fabric);
    fabric_unref(fabric);
    return journal;
}

// What is read on demand: octets with all bits, but for what has to fit the objects.

static const uint8_t A_GID[16] = {0xFF, 0x12, 0x40, 0x1B};

static void make_record(uint16_t attribute, uint8_t *record, size_t size)
{
    enum { MTU_AND_RATE = 38, RATE = 42, SCOPE = 48, PKEY_PORT = 4, LID_1 = 1 };
    enum { PATH_SELECTORS = 54, PATH_SELECTOR_COUNT = 3, PATH_SELECTED = 0x85 };
    memset(record, UINT8_MAX, size);
    if (attribute == DEMAND_MC_MEMBER_RECORD) {
        memcpy(record, A_GID, sizeof A_GID);
        record[MTU_AND_RATE] = 0xC5;
        record[RATE] = 0xD8;
        record[SCOPE] = 0xE1;
    } else if (attribute == DEMAND_PKEY_TABLE_RECORD) {
        memset(record, 0, size);
        record[LID_1] = 1;
        record[size - 1] = 1; // a P_Key
    } else if (attribute == DEMAND_PATH_RECORD) {
        memset(record + PATH_SELECTORS, PATH_SELECTED, PATH_SELECTOR_COUNT);
    }
}

static size_t size_of_answer(const struct demand_key *key)
{
    static const size_t SIZES[] = {[DEMAND_SMP] = 64, [DEMAND_PERF] = 192, [DEMAND_REGISTER] = 220};
    if (key->class != DEMAND_SA)
        return SIZES[key->class];
    switch (key->attribute) {
    case DEMAND_MC_MEMBER_RECORD:
        return 52;
    case DEMAND_PKEY_TABLE_RECORD:
        return 72;
    case DEMAND_PATH_RECORD:
        return 64;
    default:
        return 176;
    }
}

static struct demand_answer *make_answer(const struct demand_key *key)
{
    const size_t size = size_of_answer(key);
    struct demand_answer *answer = demand_answer_new(1, size);
    require(answer);
    if (key->class == DEMAND_SA)
        make_record(key->attribute, answer->octets, size);
    else
        memset(answer->octets, key->attribute == DEMAND_LINEAR_FORWARDING ? 1 : UINT8_MAX, size);
    if (key->class == DEMAND_PERF)
        answer->octets[1] = (uint8_t)key->modifier; // PortSelect
    return answer;
}

// Makes each answer once: in tests/faults, while memory is not short yet.
static enum demand_state tell_answer(struct reads *reads, const struct demand_key *key,
                                     struct demand_answer **answer, int64_t *ticket)
{
    static struct demand_answer *made[4][UINT8_MAX + 1][UINT8_MAX + 1];
    (void)reads;
    (void)ticket;
    if (key->class == DEMAND_SMP && key->attribute != DEMAND_SL_TO_VL &&
        key->attribute != DEMAND_VL_ARBITRATION && (key->modifier & 0xFFFF) != 0)
        return DEMAND_NONE; // only the first block of a table
    const uint8_t port = key->class == DEMAND_PERF ? (uint8_t)key->modifier : 0;
    struct demand_answer **kept = &made[key->class][(uint8_t)key->attribute][port];
    if (!*kept)
        *kept = make_answer(key);
    if (key->sets)
        memcpy((*kept)->octets, key->record, sizeof key->record); // what is set is read then
    *answer = demand_answer_ref(*kept);
    return DEMAND_HERE;
}

static void drop_set(struct reads *reads, const struct demand_key *key)
{
    (void)reads;
    (void)key; // its answer was not kept
}

// A manager's question for PathRecords.
static void ask_for_paths(const struct agent_snapshot *snapshot)
{
    enum { ACTIVE_AT_ONCE = 4, PATHS_LID = 9, LID_COLUMNS = 2, MTU_COLUMN = 18 };
    static const uint8_t MASK[8] = {[7] = 0x30};
    struct paths *paths = snapshot->source->paths;
    const uint64_t prefix = snapshot->fabric->subnet_prefix;
    struct agentx_oid index = {.length = 0};
    size_t failed;
    for (int shift = 56; shift >= 0; shift -= 8)
        agentx_oid_add(&index, prefix >> shift & UINT8_MAX);
    agentx_oid_add(&index, 1);
    paths_begin(paths, "", prefix, snapshot->now);
    for (size_t i = 0; i < SM_PATH_REQUESTS.column_count; i++) {
        const struct table_column *column = &SM_PATH_REQUESTS.columns[i];
        struct agentx_value value = {.type = column->type, .number = 1};
        const bool is_lid = column->number - PATHS_LID < LID_COLUMNS;
        if (column->number == PATHS_COMPONENT_MASK)
            agentx_value_set_octets(&value, MASK, sizeof MASK);
        else if (column->number == PATHS_STATUS)
            value.number = ACTIVE_AT_ONCE;
        else if (!is_lid && column->number != MTU_COLUMN)
            continue;
        require(paths_stage(paths, column, &index, &value, 0) == AGENTX_NO_ERROR);
    }
    require(paths_check(paths, &failed) == AGENTX_NO_ERROR);
    paths_commit(paths);
}

struct agent_snapshot *made_view(void)
{
    static struct snapshot_source source;
    static struct support_time stands;
    static struct clock clock;
    source = (struct snapshot_source){.topology = make_topology(),
                                      .gateway = tell_of_gateway,
                                      .settings = no_settings,
                                      .sums = tell_of_sums,
                                      .errors = tell_of_errors,
                                      .demand = {.ask = tell_answer, .drop = drop_set},
                                      .paths = paths_new(),
                                      .gateway_name = "gw1",
                                      .fabric_name = "halle-2",
                                      .clock = &clock};
    source.journal = make_journal(source.topology);
    stands = (struct support_time){clock_utc(&clock_system), clock_monotonic(&clock_system)};
    clock = support_clock(&stands);
    struct agent_snapshot *snapshot = snapshot_take(&source, snapshot_events_new());
    require(snapshot && snapshot->switch_count > 0 && source.paths);
    ask_for_paths(snapshot);
    return snapshot;
}
