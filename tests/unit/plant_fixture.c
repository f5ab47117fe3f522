// SPDX-License-Identifier: BSD-2-Clause
#include "plant_fixture.h"

#include "pipeline/reconcile.h"

#include <inttypes.h>

struct generated plant;
struct cable *cables;
size_t cable_count, cable_room;
bool *off; // by node

int64_t seen_through; // the last event before the present sweep

// The plant.

uint32_t add_node(enum fabric_type type, const char *name, uint8_t ports)
{
    const uint32_t node = generated_add(&plant, type, 0, name, ports);
    off = realloc(off, plant.capacity * sizeof *off);
    assert_non_null(off);
    off[node] = false;
    return node;
}

size_t plant_connect(uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b)
{
    if (cable_count == cable_room) {
        cable_room = cable_room ? 2 * cable_room : 64;
        cables = realloc(cables, cable_room * sizeof *cables);
        assert_non_null(cables);
    }
    cables[cable_count] = (struct cable){.a = a, .b = b, .port_a = port_a, .port_b = port_b};
    return cable_count++;
}

static bool is_laid(const struct cable *c)
{
    return !c->cut && !off[c->a] && !off[c->b];
}

// Removes what a sweep from node 0 does not reach.
static void find_reached(void)
{
    for (uint32_t i = 0; i < plant.count; i++)
        plant.nodes[i].removed = i != 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < cable_count; i++) {
            bool *a = &plant.nodes[cables[i].a].removed, *b = &plant.nodes[cables[i].b].removed;
            if (!is_laid(&cables[i]) || *a == *b)
                continue;
            *a = *b = false;
            more = true;
        }
    }
}

static void lay_cables(void)
{
    for (size_t i = 0; i < cable_count; i++)
        generated_unlink(&plant, cables[i].a, cables[i].port_a);
    for (size_t i = 0; i < cable_count; i++) {
        const struct cable *c = &cables[i];
        if (!is_laid(c) || plant.nodes[c->a].removed)
            continue;
        generated_link(&plant, c->a, c->port_a, c->b, c->port_b);
        if (c->narrow)
            generated_port(&plant, c->a, c->port_a)->width_active =
                generated_port(&plant, c->b, c->port_b)->width_active = 1;
        if (c->state != 0)
            generated_port(&plant, c->a, c->port_a)->state =
                generated_port(&plant, c->b, c->port_b)->state = c->state;
    }
}

uint64_t guid_of(uint32_t node)
{
    return plant.nodes[node].node.guid;
}

// The gateway.

void sweep_for(int64_t us)
{
    find_reached();
    lay_cables();
    seen_through = journal_last(journal);
    struct fabric *seen = generated_look(&plant, 0);
    seen->time_us = now.utc;
    pipeline_put_fabric(pipeline, seen);
    pass_time(us);
}

void sweep(void)
{
    sweep_for(60 * CLOCK_US_PER_S);
}

struct policy_options plant_policy = {.suppress_consequences = true};
bool starts_without_sweeps;

_Atomic size_t sweeps_wanted;

static void want_sweep(void *ctx)
{
    (void)ctx;
    sweeps_wanted++;
}

void plant_start(void)
{
    struct pipeline_options options = parts_options();
    options.policy = plant_policy;
    options.request_sweep = want_sweep;
    options.correlator =
        (struct correlator_options){.age_us = 30 * DAY,
                                    .inactive = {.sweeps = 3, .interval_us = 60 * CLOCK_US_PER_S},
                                    .sources.no_sweeps = starts_without_sweeps};
    start_pipeline(&options);
}

int plant_begin(void **state)
{
    (void)state;
    parts_begin(NULL);
    plant_start();
    add_node(FABRIC_SWITCH, "core", 40);
    return 0;
}

int plant_end(void **state)
{
    (void)state;
    stop_pipeline();
    parts_end();
    generated_clear(&plant);
    plant = (struct generated){0};
    free(cables);
    free(off);
    cables = NULL;
    off = NULL;
    cable_count = cable_room = 0;
    plant_policy = (struct policy_options){.suppress_consequences = true};
    return 0;
}

// What the present sweep told.

static size_t count_of(enum catalogue_event type, bool of_receivers)
{
    size_t count = 0;
    for (int64_t n = seen_through + 1; n <= journal_last(journal); n++) {
        struct event *event = journal_find(journal, n);
        assert_non_null(event);
        count +=
            event->type == catalogue_get(type) && (!of_receivers || event->suppressed[0] == '\0');
        event_unref(event);
    }
    return count;
}

size_t count_events(enum catalogue_event type)
{
    return count_of(type, false);
}

// How many of them receivers got.
size_t count_told(enum catalogue_event type)
{
    return count_of(type, true);
}

// The only event of the type among the receivers' events, until the next call.
const struct event *told(enum catalogue_event type)
{
    static struct event *found;
    event_unref(found);
    found = NULL;
    for (int64_t n = seen_through + 1; n <= journal_last(journal); n++) {
        struct event *event = journal_find(journal, n);
        const bool is_one = event->type == catalogue_get(type) && event->suppressed[0] == '\0';
        if (is_one && found)
            fail_msg("%s is told twice", event->type->name);
        if (is_one)
            found = event;
        else
            event_unref(event);
    }
    if (!found)
        fail_msg("%s is not told", catalogue_get(type)->name);
    return found;
}

void check_told(enum catalogue_event type, const char *key, const char *reason)
{
    const struct event *event = told(type);
    assert_string_equal(event->alarm_key, key);
    assert_string_equal(event->reason, reason);
}

void check_nothing_told(void)
{
    for (int64_t n = seen_through + 1; n <= journal_last(journal); n++) {
        struct event *event = journal_find(journal, n);
        print_error("told: %s\n", event->text);
        event_unref(event);
    }
    assert_int_equal(journal_last(journal), seen_through);
}

const char *key_of(const struct alarm_key *what)
{
    static char key[EVENT_KEY_SIZE];
    alarm_key_write(key, what);
    return key;
}

const char *node_key(uint32_t node)
{
    return key_of(&(struct alarm_key){.kind = ALARM_KEY_NODE, .guid = guid_of(node)});
}

const char *port_key(uint32_t node, uint8_t port)
{
    return key_of(&(struct alarm_key){.kind = ALARM_KEY_PORT, .guid = guid_of(node), .port = port});
}

static struct alarm_key about_cable(size_t cable)
{
    const struct cable *c = &cables[cable];
    return (struct alarm_key){.kind = ALARM_KEY_LINK,
                              .guid = guid_of(c->a),
                              .port = c->port_a,
                              .peer_guid = guid_of(c->b),
                              .peer_port = c->port_b};
}

const char *cable_key(enum alarm_key_kind kind, size_t cable)
{
    struct alarm_key key = about_cable(cable);
    key.kind = kind;
    return key_of(&key);
}

const char *inactive_key(size_t cable)
{
    struct alarm_key key = about_cable(cable);
    key.about = ALARM_ABOUT_INACTIVE;
    return key_of(&key);
}

struct count {
    const char *key; // NULL: any
    size_t count;
};

static void count_alarm(void *ctx, const struct alarm *alarm)
{
    struct count *c = ctx;
    c->count += !c->key || strcmp(alarm->key, c->key) == 0;
}

bool is_active(const char *key)
{
    struct count c = {.key = key};
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, count_alarm, &c);
    return c.count == 1;
}

size_t count_alarms(void)
{
    struct count c = {0};
    journal_each_alarm(journal, JOURNAL_ACTIVE_ALARMS, count_alarm, &c);
    return c.count;
}
