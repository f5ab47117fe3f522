// SPDX-License-Identifier: BSD-2-Clause
#include "gateway_under_test.h"

#include "require.h"
#include "scratch.h"

#include "base/log.h"
#include "journal/journal.h"
#include "model/fabric_record.h"
#include "model/filter.h"
#include "pipeline/pipeline.h"
#include "sink/audience.h"
#include "topology/topology.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 128, READ_AT_ONCE = 64, PATIENCE = 1000000 };

struct gateway_under_test {
    const char *base;
    char name[16], directory[PATH_SIZE];
    unsigned lives; // each crash begins a new directory
    struct clock clock;
    _Atomic uint64_t chance;
    struct random random;
    struct log *log;
    struct journal *journal;
    struct topology *topology;
    struct event_builder_lookup lookup;
    struct pipeline *pipeline; // NULL: it is stopped
    atomic_int role;
    int64_t read_through; // the last event that gateway_read has seen
};

// Any thread: every call gets numbers of its own.
static void fill_random(void *ctx, void *out, size_t size)
{
    struct gateway_under_test *g = ctx;
    for (size_t done = 0; done < size;) {
        uint64_t x = atomic_fetch_add(&g->chance, UINT64_C(0x9E3779B97F4A7C15));
        x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
        x ^= x >> 31;
        size_t part = size - done < sizeof x ? size - done : sizeof x;
        memcpy((uint8_t *)out + done, &x, part);
        done += part;
    }
}

static void name_directory(struct gateway_under_test *g)
{
    snprintf(g->directory, sizeof g->directory, "%s/%s-%u", g->base, g->name, ++g->lives);
    REQUIRE(mkdir(g->directory, 0700) == 0);
}

struct gateway_under_test *gateway_new(const char *directory, const char *name,
                                       struct support_time *time, uint64_t seed)
{
    struct gateway_under_test *g = calloc(1, sizeof *g);
    REQUIRE(g);
    g->base = directory;
    snprintf(g->name, sizeof g->name, "%s", name);
    name_directory(g);
    g->clock = support_clock(time);
    atomic_init(&g->chance, seed);
    g->random = (struct random){fill_random, g};
    g->log = log_open(fopen("/dev/null", "we"), LOG_LEVEL_ERROR, false, &clock_system);
    REQUIRE(g->log);
    return g;
}

// The start.

static void take_journal_change(void *ctx, enum journal_change change, const char *reason,
                                uint64_t count)
{
    (void)ctx, (void)count;
    if (change == JOURNAL_DEGRADED)
        fprintf(stderr, "the journal is degraded: %s\n", reason);
    REQUIRE(change != JOURNAL_DEGRADED && change != JOURNAL_DROPPING);
}

static enum pipeline_role tell_role(void *ctx, const struct fabric *fabric)
{
    static const enum pipeline_role ROLES[] = {[GATEWAY_ACTIVE] = PIPELINE_ACTIVE,
                                               [GATEWAY_STANDBY] = PIPELINE_STANDBY,
                                               [GATEWAY_UNKNOWN] = PIPELINE_UNKNOWN};
    struct gateway_under_test *g = ctx;
    (void)fabric;
    return ROLES[atomic_load(&g->role)];
}

static void answer_no_report(void *ctx, const struct sa_report *report)
{
    (void)ctx;
    REQUIRE(!report); // there are no Reports
}

static void open_journal(struct gateway_under_test *g)
{
    struct error err;
    const struct journal_options options = {.directory = g->directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 1000 * 86400 * CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = take_journal_change,
                                            .ctx = g,
                                            .clock = &g->clock,
                                            .random = &g->random,
                                            .log = g->log};
    g->journal = journal_open(&options, &err);
    REQUIRE(g->journal);
}

// As restore_fabric of daemon/daemon.c.
static void restore_topology(struct gateway_under_test *g)
{
    struct error err;
    struct journal_snapshot newest;
    size_t size;
    g->topology = topology_new(NULL, &random_system, g->log);
    REQUIRE(g->topology);
    if (journal_list_snapshots(g->journal,
                               (struct journal_snapshot[JOURNAL_SNAPSHOTS_MAX + 1]){0}) == 0)
        return;
    uint8_t *record = journal_read_snapshot(g->journal, 0, &newest, &size, &err);
    REQUIRE(record);
    struct fabric *last = fabric_record_read(record, size, &err);
    free(record);
    REQUIRE(last);
    topology_restore(g->topology, last);
}

// Fills `rules`, which the result points to.
static struct policy_options to_policy(const struct gateway_options *in, struct policy_rule *rules)
{
    size_t count = 0;
    for (size_t i = 0; i < GATEWAY_RULES_MAX; i++) {
        if (!in->rules[i].events)
            continue;
        struct policy_rule *rule = &rules[count++];
        memset(rule, 0, sizeof *rule);
        snprintf(rule->name, sizeof rule->name, "rule%zu", i);
        snprintf(rule->events.patterns[0], FILTER_PATTERN_SIZE, "%s", in->rules[i].events);
        rule->events.count = 1;
        rule->severity = rule->category = POLICY_SAME;
        rule->hold_down_us = in->rules[i].hold_down;
    }
    return (struct policy_options){.rules = rules,
                                   .rule_count = count,
                                   .repeat_window_us = in->repeat_window,
                                   .flap_changes = in->flap_changes,
                                   .flap_within_us = in->flap_within,
                                   .flap_quiet_us = in->flap_quiet,
                                   .storm_rate = in->storm_rate,
                                   .storm_period_us = in->storm_period,
                                   .suppress_consequences = in->suppress_consequences,
                                   .has_filters = true,
                                   .has_partner = in->has_partner};
}

void gateway_start(struct gateway_under_test *g, const struct gateway_options *options)
{
    static struct policy_rule rules[GATEWAY_RULES_MAX];
    struct error err;
    REQUIRE(!g->pipeline);
    open_journal(g);
    restore_topology(g);
    g->lookup = event_builder_lookup_in(g->topology);
    const struct pipeline_options start = {
        .builder = {.clock = &g->clock, .random = &g->random, .lookup = &g->lookup},
        .journal = g->journal,
        .topology = g->topology,
        .policy = to_policy(options, rules),
        .role = tell_role,
        .acknowledge = answer_no_report,
        .ctx = g,
        .log = g->log};
    g->pipeline = pipeline_start(&start, &err);
    REQUIRE(g->pipeline);
}

// The stop.

bool gateway_runs(const struct gateway_under_test *g)
{
    return g->pipeline;
}

static void close_parts(struct gateway_under_test *g)
{
    pipeline_free(g->pipeline);
    g->pipeline = NULL;
    journal_close(g->journal);
    topology_free(g->topology);
}

void gateway_stop(struct gateway_under_test *g, void (*each)(void *ctx, struct event *event),
                  void *ctx)
{
    pipeline_stop(g->pipeline);
    gateway_read(g, each, ctx);
    close_parts(g);
}

static void copy_file(const char *from_directory, const char *to_directory, const char *name)
{
    static char buffer[1 << 16];
    char from[PATH_SIZE + 16], to[PATH_SIZE + 16];
    snprintf(from, sizeof from, "%s/%s", from_directory, name);
    snprintf(to, sizeof to, "%s/%s", to_directory, name);
    FILE *in = fopen(from, "re"), *out = fopen(to, "we");
    REQUIRE(in && out);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        REQUIRE(fwrite(buffer, 1, n, out) == n);
    REQUIRE(!ferror(in) && fclose(in) == 0 && fclose(out) == 0);
}

static void remove_directory(const char *directory)
{
    scratch_clear(directory);
    REQUIRE(rmdir(directory) == 0);
}

// Copies first the file, then its WAL: things that move between the two meanwhile are in both.
void gateway_crash(struct gateway_under_test *g)
{
    char old[PATH_SIZE];
    memcpy(old, g->directory, sizeof old);
    name_directory(g);
    copy_file(old, g->directory, "journal.db");
    copy_file(old, g->directory, "journal.db-wal");
    pipeline_stop(g->pipeline);
    close_parts(g);
    remove_directory(old);
}

static void drop_event(void *ctx, struct event *event)
{
    (void)ctx, (void)event;
}

void gateway_free(struct gateway_under_test *g)
{
    if (gateway_runs(g))
        gateway_stop(g, drop_event, NULL);
    remove_directory(g->directory);
    log_close(g->log);
    free(g);
}

// While it runs.

void gateway_put_sweep(struct gateway_under_test *g, struct fabric *seen)
{
    pipeline_put_fabric(g->pipeline, seen);
}

void gateway_set_role(struct gateway_under_test *g, enum gateway_role role)
{
    atomic_store(&g->role, (int)role);
}

struct call {
    struct gateway_under_test *gateway;
    const struct gateway_options *options;
    struct maintenance_window window;
    const char *key;
    uint64_t progress;
    int64_t until, due;
};

static void call_gateway(struct call *call,
                         void (*function)(void *ctx, const struct pipeline_context *inside))
{
    REQUIRE(pipeline_call(call->gateway->pipeline, function, call));
}

static void change_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    static struct policy_rule rules[GATEWAY_RULES_MAX];
    const struct call *call = ctx;
    const struct policy_options options = to_policy(call->options, rules);
    policy_change_options(inside->policy, &options, inside->now_us);
}

void gateway_change_options(struct gateway_under_test *g, const struct gateway_options *options)
{
    call_gateway(&(struct call){.gateway = g, .options = options}, change_in_pipeline);
}

// As start_in_pipeline and stop_in_pipeline of control/maintenance_answers.c.
static void maintain_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct call *call = ctx;
    int64_t ahead = call->window.until_us - clock_utc(&call->gateway->clock);
    struct maintenance_window window = {.nodes = call->window.nodes,
                                        .until_us = inside->now_us + ahead};
    memcpy(window.name, call->window.name, sizeof window.name);
    if (ahead > 0) {
        REQUIRE(journal_set_maintenance(call->gateway->journal, &call->window));
        REQUIRE(policy_start_maintenance(inside->policy, &window, inside->now_us));
    } else {
        policy_stop_maintenance(inside->policy, window.name, inside->now_us);
        journal_remove_maintenance(call->gateway->journal, window.name);
    }
    journal_commit(call->gateway->journal);
}

void gateway_maintain(struct gateway_under_test *g, const char *window, uint64_t node_guid,
                      const char *node_name, int64_t utc_us)
{
    struct call call = {.gateway = g, .window = {.until_us = utc_us}};
    snprintf(call.window.name, sizeof call.window.name, "%s", window);
    if (node_guid != 0) {
        snprintf(call.window.nodes.patterns[0], FILTER_PATTERN_SIZE, "0x%016" PRIx64, node_guid);
        if (node_name)
            snprintf(call.window.nodes.patterns[0], FILTER_PATTERN_SIZE, "%s", node_name);
        call.window.nodes.count = 1;
    }
    call_gateway(&call, maintain_in_pipeline);
}

// As shelve_in_pipeline of control/alarm_answers.c.
static void shelve_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    const struct call *call = ctx;
    int64_t ahead = call->until - clock_utc(&call->gateway->clock);
    if (journal_shelve_alarm(call->gateway->journal, call->key, call->until, "Kim"))
        policy_shelve(inside->policy, call->key, ahead > 0 ? inside->now_us + ahead : 0,
                      inside->now_us);
}

void gateway_shelve(struct gateway_under_test *g, const char *key, int64_t utc_us)
{
    call_gateway(&(struct call){.gateway = g, .key = key, .until = utc_us}, shelve_in_pipeline);
}

static void look_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct call *call = ctx;
    call->progress = pipeline_progress(call->gateway->pipeline);
    call->due = policy_due(inside->policy);
}

// The pipeline takes the call with other waiting items, then does the due work, then commits. So
// all is done once another call finds that the pipeline has gone on since the first.
int64_t gateway_settle(struct gateway_under_test *g)
{
    struct call call = {.gateway = g};
    call_gateway(&call, look_in_pipeline);
    const uint64_t first = call.progress;
    for (unsigned i = 0; call.progress == first && i < PATIENCE; i++)
        call_gateway(&call, look_in_pipeline);
    REQUIRE(call.progress != first);
    return call.due;
}

void gateway_read(struct gateway_under_test *g, void (*each)(void *ctx, struct event *event),
                  void *ctx)
{
    struct journal_item items[READ_AT_ONCE];
    for (size_t n; (n = journal_read(g->journal, g->read_through, items, READ_AT_ONCE)) > 0;) {
        for (size_t i = 0; i < n; i++) {
            REQUIRE(items[i].event && items[i].sequence == g->read_through + 1);
            g->read_through = items[i].sequence;
            each(ctx, items[i].event);
            event_unref(items[i].event);
        }
    }
}

struct listing {
    void (*each)(void *ctx, const char *key);
    void *ctx;
};

static void pass_key(void *ctx, const struct alarm *alarm)
{
    const struct listing *listing = ctx;
    listing->each(listing->ctx, alarm->key);
}

void gateway_each_alarm(struct gateway_under_test *g, void (*each)(void *ctx, const char *key),
                        void *ctx)
{
    struct listing listing = {each, ctx};
    journal_each_alarm(g->journal, JOURNAL_ACTIVE_ALARMS, pass_key, &listing);
}

static void set_pattern(struct filter_list *list, const char *pattern)
{
    list->count = pattern != NULL;
    if (pattern)
        snprintf(list->patterns[0], FILTER_PATTERN_SIZE, "%s", pattern);
}

struct event *gateway_deliver(struct gateway_under_test *g, const struct gateway_filter *filter,
                              struct event *event)
{
    static struct filter items;
    const struct audience audience = {.filter = &items, .journal = g->journal, .handle = -1};
    filter_init(&items);
    items.severity = filter->severity;
    set_pattern(&items.events, filter->events);
    set_pattern(&items.nodes, filter->node);
    return audience_refusal(&audience, event) ? NULL : audience_view(&audience, event);
}
