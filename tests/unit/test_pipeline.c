// SPDX-License-Identifier: BSD-2-Clause
#include "generated.h"
#include "golden.h"
#include "policy_options.h"
#include "support.h"

#include "ib/reports.h"
#include "journal/store.h"
#include "model/event_record.h"
#include "model/fabric_builder.h"
#include "model/fabric_record.h"
#include "pipeline/pipeline.h"
#include "topology/topology.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ANSWERS_MAX = PIPELINE_QUEUE_MAX + 1 };

static struct pipeline *pipeline;
static struct pipeline_options options;
static struct journal *journal;
static struct journal_options journal_options;
static const char *directory;
static char path[96];
static struct random chance;
static struct support_chance counting;
static struct support_time now; // advanced only while no thread reads it
static struct clock clock_;
static struct log *log_;

// Written by the pipeline's threads, with the lock; the test reads the variables after both ended.
static struct {
    uint64_t tid;
    int64_t last; // of the journal
    bool stored;
} answers[ANSWERS_MAX];
static size_t answer_count;
static bool expect_stored;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The pipeline makes no events while it is `held`, by a call that does not return.
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t holder;
static bool held, holding;

static uint64_t tid_of(const struct sa_report *report)
{
    struct mad_header h = {0};
    mad_read_header(report->mad, report->size, &h);
    return h.tid;
}

struct search {
    const struct sa_report *report;
    bool found;
};

static bool look_at_row(void *ctx, const struct store_row *row)
{
    struct search *s = ctx;
    s->found = row->report_lid == s->report->from.lid && row->report_tid == tid_of(s->report);
    return !s->found;
}

// Reads the file as another process does, without uncommitted events.
static bool is_stored(const struct sa_report *report)
{
    struct search search = {report, false};
    struct store *store;
    struct error err;
    if (store_open(path, true, &store, &err) != STORE_OK)
        return false;
    assert_int_equal(store_read(store, STORE_SINCE, 0, SIZE_MAX, look_at_row, &search, &err),
                     STORE_OK);
    store_close(store);
    return search.found;
}

static void acknowledge(void *ctx, const struct sa_report *report)
{
    assert_ptr_equal(ctx, &answers);
    const bool stored = !expect_stored || is_stored(report);
    pthread_mutex_lock(&lock);
    assert_true(answer_count < ANSWERS_MAX);
    answers[answer_count].tid = tid_of(report);
    answers[answer_count].last = journal_last(journal);
    answers[answer_count++].stored = stored;
    pthread_mutex_unlock(&lock);
}

static void stay(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx, (void)inside;
    pthread_mutex_lock(&lock);
    holding = true;
    pthread_cond_broadcast(&changed);
    while (held)
        pthread_cond_wait(&changed, &lock);
    holding = false;
    pthread_mutex_unlock(&lock);
}

static void *call_to_stay(void *arg)
{
    assert_true(pipeline_call(pipeline, stay, NULL));
    return arg;
}

static void hold(void)
{
    held = true;
    assert_int_equal(pthread_create(&holder, NULL, call_to_stay, NULL), 0);
    pthread_mutex_lock(&lock);
    while (!holding)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void let_go(void)
{
    pthread_mutex_lock(&lock);
    held = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(holder, NULL);
}

static void take_journal_change(void *ctx, enum journal_change change, const char *reason,
                                uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static void start(void)
{
    struct error err;
    journal = journal_open(&journal_options, &err);
    assert_non_null(journal);
    options.journal = journal;
    pipeline = pipeline_start(&options, &err);
    assert_non_null(pipeline);
}

static int begin(void **state)
{
    (void)state;
    answer_count = 0;
    expect_stored = true;
    counting = (struct support_chance){0};
    chance = support_random(&counting);
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * CLOCK_US_PER_S};
    clock_ = support_clock(&now);
    log_ = support_log(NULL);
    directory = scratch_make();
    snprintf(path, sizeof path, "%s/journal.db", directory);
    journal_options = (struct journal_options){.directory = directory,
                                               .rows_max = 1000000,
                                               .bytes_max = INT64_C(1) << 30,
                                               .age_us = 86400 * CLOCK_US_PER_S,
                                               .patience_us = SUPPORT_PATIENCE_US,
                                               .notify = take_journal_change,
                                               .clock = &clock_,
                                               .random = &chance,
                                               .log = log_};
    options = (struct pipeline_options){.builder = {.clock = &clock_, .random = &chance},
                                        .acknowledge = acknowledge,
                                        .ctx = &answers,
                                        .log = log_};
    start();
    return 0;
}

static struct pipeline_counters counters;

// Waits until every Report was processed.
static void finish(void)
{
    pipeline_stop(pipeline);
    pipeline_get_counters(pipeline, &counters);
}

static void close_all(void)
{
    pipeline_free(pipeline);
    pipeline = NULL;
    journal_close(journal);
    journal = NULL;
}

static int end(void **state)
{
    (void)state;
    close_all();
    log_close(log_);
    scratch_remove(directory);
    return 0;
}

static struct sa_report *make_report(enum golden golden, uint16_t tid)
{
    struct sa_report *report = calloc(1, sizeof *report);
    assert_non_null(report);
    report->from = (struct mad_address){.lid = 1, .qpn = 1};
    report->subnet_prefix = GOLDEN_PREFIX;
    report->arrived_at = now.monotonic;
    report->size = MAD_SIZE;
    support_hex(report->mad, 24, "01 03 02 06 0000 0000 0000ABCD00000000 0002 0000 00000000");
    report->mad[14] = (uint8_t)(tid >> 8);
    report->mad[15] = (uint8_t)tid;
    golden_wire(golden, report->mad + 56);
    return report;
}

static void put(enum golden golden, uint16_t tid)
{
    assert_true(pipeline_put_report(pipeline, make_report(golden, tid)));
}

static void put_occurrence(enum catalogue_event type, const char *alarm_key, const char *reason,
                           uint64_t subnet_prefix)
{
    struct event_builder_occurrence what = {.type = type};
    snprintf(what.alarm_key, sizeof what.alarm_key, "%s", alarm_key);
    snprintf(what.reason, sizeof what.reason, "%s", reason);
    pipeline_put_occurrence(pipeline, &what, subnet_prefix);
}

// The event with that number, until the next call.
static const struct event *event_at(int64_t sequence)
{
    static struct event *event;
    struct journal_item item;
    event_unref(event);
    event = NULL;
    if (sequence == 0)
        return NULL;
    assert_int_equal(journal_read(journal, sequence - 1, &item, 1), 1);
    assert_int_equal(item.sequence, sequence);
    return event = item.event;
}

static void check_answers(size_t n)
{
    assert_int_equal(answer_count, n);
    for (size_t i = 0; i < n; i++)
        assert_true(answers[i].stored);
}

TEST(a_report_becomes_an_event_on_disk_and_is_answered_then)
{
    char id[EVENT_ID_SIZE];
    put(GOLDEN_128, 1);
    put(GOLDEN_64, 2);
    finish();
    assert_int_equal(journal_last(journal), 2);
    assert_string_equal(event_at(1)->type->name, "link-state-change");
    assert_int_equal(event_at(1)->subnet_prefix, GOLDEN_PREFIX);
    memcpy(id, event_at(1)->id, sizeof id);
    assert_string_equal(event_at(2)->type->name, "gid-in-service");
    assert_string_not_equal(event_at(2)->id, id);
    check_answers(2);
    assert_int_equal((answers[0].tid & 0xFF) + (answers[1].tid & 0xFF), 3); // in any order
    assert_int_equal(counters.events, 2);
    assert_int_equal(counters.repeated, 0);
}

TEST(a_repeat_is_answered_and_nothing_else)
{
    for (int i = 0; i < 4; i++)
        put(GOLDEN_128, 1);
    put(GOLDEN_128, 2);
    finish();
    assert_int_equal(journal_last(journal), 2);
    check_answers(5);
    assert_int_equal(counters.events, 2);
    assert_int_equal(counters.repeated, 3);
}

// Repeats that arrive while the commit of the first is under way, which takes longer than repeats
// are remembered.
TEST(a_repeat_that_waits_long_is_a_repeat)
{
    struct sa_report *second = make_report(GOLDEN_128, 1), *third = make_report(GOLDEN_128, 1);
    second->arrived_at += 200 * CLOCK_US_PER_MS;
    third->arrived_at += 400 * CLOCK_US_PER_MS;
    put(GOLDEN_128, 1);
    static const atomic_bool never = false;
    assert_true(journal_wait(journal, 0, 60 * CLOCK_US_PER_S, &never));
    now.monotonic += 2 * REPEATS_MEMORY_US;
    assert_true(pipeline_put_report(pipeline, second));
    assert_true(pipeline_put_report(pipeline, third));
    finish();
    assert_int_equal(counters.events, 1);
    assert_int_equal(counters.repeated, 2);
    check_answers(3);
}

// Octets after the Notice do not matter; octets of the Notice do.
TEST(a_repeat_has_the_same_notice)
{
    struct sa_report *padded = make_report(GOLDEN_128, 1), *other = make_report(GOLDEN_128, 1);
    padded->mad[56 + NOTICE_SIZE] ^= 0xFF;
    other->mad[56 + NOTICE_SIZE - 1] ^= 0xFF;
    put(GOLDEN_128, 1);
    assert_true(pipeline_put_report(pipeline, padded));
    assert_true(pipeline_put_report(pipeline, other));
    finish();
    assert_int_equal(counters.events, 2);
    assert_int_equal(counters.repeated, 1);
    assert_int_equal(answer_count, 3);
}

TEST(repeats_are_told_across_a_restart)
{
    put(GOLDEN_128, 1);
    finish();
    close_all();
    now.utc += 4 * CLOCK_US_PER_S;
    now.monotonic = 17; // another boot
    start();
    put(GOLDEN_128, 1);
    put(GOLDEN_129, 2);
    finish();
    assert_int_equal(counters.repeated, 1);
    assert_int_equal(counters.events, 1);
    assert_int_equal(journal_last(journal), 2);
    check_answers(3);
}

TEST(an_old_report_is_no_repeat_after_a_restart)
{
    put(GOLDEN_128, 1);
    finish();
    close_all();
    now.utc += 6 * CLOCK_US_PER_S;
    now.monotonic += 6 * CLOCK_US_PER_S;
    start();
    put(GOLDEN_128, 1);
    finish();
    assert_int_equal(counters.repeated, 0);
    assert_int_equal(counters.events, 1);
    check_answers(2);
}

TEST(a_clock_set_back_makes_no_repeats)
{
    put(GOLDEN_128, 1);
    finish();
    close_all();
    now.utc -= 3600 * CLOCK_US_PER_S;
    now.monotonic = 17;
    start();
    put(GOLDEN_128, 1);
    put(GOLDEN_128, 1);
    finish();
    assert_int_equal(counters.repeated, 1); // the second one, recognised by Reports since the start
    assert_int_equal(counters.events, 1);
    assert_int_equal(journal_last(journal), 2);
    check_answers(3);
}

TEST(a_malformed_mad_is_an_event_too)
{
    struct sa_report *report = make_report(GOLDEN_128, 1);
    report->malformed = true;
    report->size = 20; // shorter than a header
    strcpy(report->reason, "it has 20 octets, too few for a header");
    expect_stored = false; // without a TransactionID the test cannot find it
    assert_true(pipeline_put_report(pipeline, report));
    finish();
    assert_int_equal(journal_last(journal), 1);
    assert_string_equal(event_at(1)->text, "LID 1 sent a malformed management datagram: it has 20 "
                                           "octets, too few for a header.");
    assert_int_equal(event_at(1)->raw_size, 20);
    assert_int_equal(answer_count, 1);
    assert_int_equal(answers[0].last, 1);
}

TEST(occurrences_are_events_without_an_answer)
{
    put_occurrence(CATALOGUE_GATEWAY_STARTED, "", "version 1", 0);
    put_occurrence(CATALOGUE_SUBSCRIPTION_LOST, "subscriptions", "gone", 5);
    put_occurrence(CATALOGUE_GATEWAY_STOPPED, "", "SIGTERM", 0);
    finish();
    assert_int_equal(journal_last(journal), 3);
    assert_string_equal(event_at(1)->text, "ibtrapd started: version 1.");
    assert_int_equal(event_at(1)->subnet_prefix, 0);
    assert_string_equal(event_at(2)->alarm_key, "subscriptions");
    assert_int_equal(event_at(2)->subnet_prefix, 5);
    assert_int_equal(event_at(3)->subnet_prefix, 5); // the prefix known so far
    assert_int_equal(answer_count, 0);
}

// While the first Report's answer is delayed, the others wait; then they are committed together.
static enum event_level level_of(void *ctx, uint64_t switch_guid)
{
    (void)ctx;
    return switch_guid == 3 ? EVENT_LEVEL_INFORMATIONAL : EVENT_LEVEL_WARNING;
}

// setting-changed is a notice, which is informational there.
TEST(severe_events_of_a_switch_are_for_gsw_event_trap)
{
    finish();
    close_all();
    options.event_trap_level = level_of;
    start();
    for (uint64_t guid = 3; guid <= 4; guid++) {
        const struct event_builder_occurrence what = {.type = CATALOGUE_SETTING_CHANGED,
                                                      .switch_guid = guid};
        pipeline_put_occurrence(pipeline, &what, 0);
    }
    put_occurrence(CATALOGUE_JOURNAL_DEGRADED, "", "an error, of no switch", 0);
    finish();
    assert_true(event_at(1)->event_trap);
    assert_int_equal(event_at(1)->number, 1);
    assert_int_equal(event_at(1)->subject.node_guid, 3);
    assert_false(event_at(2)->event_trap);
    assert_false(event_at(3)->event_trap);
}

static uint64_t count_commits(void)
{
    struct journal_status status;
    journal_get_status(journal, &status);
    return status.commits;
}

TEST(what_waits_together_is_committed_together)
{
    enum { BATCHES = 4, MORE = BATCHES * PIPELINE_BATCH_MAX };
    bool answered[MORE] = {false};
    expect_stored = false; // too slow for so many
    hold();
    const uint64_t before = count_commits();
    for (uint16_t i = 0; i < MORE; i++)
        put(GOLDEN_129, i);
    let_go();
    finish();
    assert_int_equal(answer_count, MORE);
    for (size_t i = 0; i < MORE; i++) {
        const size_t n = answers[i].tid & 0xFFFF; // event n + 1, as the order of arrival stays
        assert_true(n < MORE && !answered[n] && answers[i].last > (int64_t)n);
        answered[n] = true;
        assert_int_equal(event_at((int64_t)n + 1)->number, n + 1);
    }
    // The two threads may split one batch; the end of the run commits, too.
    assert_in_range(count_commits(), before + BATCHES, before + BATCHES + 2);
}

// The service manager's watchdog depends on this.
TEST(the_pipeline_beats_while_it_goes_on)
{
    uint64_t before = pipeline_progress(pipeline);
    while (pipeline_progress(pipeline) == before)
        usleep(1000); // the pipeline is idle
    hold();
    before = pipeline_progress(pipeline);
    put(GOLDEN_129, 1);
    assert_int_equal(pipeline_progress(pipeline), before); // stuck
    let_go();
    finish();
    assert_true(pipeline_progress(pipeline) > before);
}

// A receiver that does not read delays no answer.
TEST(receivers_delay_nobody)
{
    assert_int_equal(journal_receiver(journal, "stuck"), 0);
    for (uint16_t i = 0; i < 50; i++)
        put(GOLDEN_129, i);
    finish();
    check_answers(50);
    assert_int_equal(journal_cursor(journal, 0), 0);
}

TEST(without_a_disk_reports_are_answered_from_memory)
{
    struct journal_status status;
    finish();
    close_all();
    char no_directory[80];
    snprintf(no_directory, sizeof no_directory, "%s/file", directory);
    fclose(fopen(no_directory, "w"));
    journal_options.directory = no_directory;
    expect_stored = false;
    start();
    int64_t before = journal_last(journal);
    put(GOLDEN_128, 1);
    put(GOLDEN_128, 1);
    finish();
    assert_int_equal(answer_count, 2);
    assert_int_equal(answers[0].last, before + 1);
    assert_string_equal(event_at(before + 1)->type->name, "link-state-change");
    journal_get_status(journal, &status);
    assert_false(status.durable);
    assert_int_equal(status.pending, 1);
}

TEST(nothing_is_taken_after_the_stop)
{
    finish();
    struct sa_report *report = make_report(GOLDEN_128, 1);
    assert_false(pipeline_put_report(pipeline, report));
    free(report); // the caller still owns it
    put_occurrence(CATALOGUE_GATEWAY_STARTED, "", "late", 0);
    assert_int_equal(journal_last(journal), 0);
}

// Sweeps.

// The newest snapshot, which the caller releases; NULL: none.
static struct fabric *read_snapshot(void)
{
    struct error err;
    struct journal_snapshot newest;
    size_t size;
    uint8_t *record = journal_read_snapshot(journal, 0, &newest, &size, &err);
    struct fabric *fabric = record ? fabric_record_read(record, size, &err) : NULL;
    free(record);
    return fabric;
}

static uint32_t nodes_of_snapshot(void)
{
    struct fabric *fabric = read_snapshot();
    uint32_t nodes = fabric ? fabric->node_count : 0;
    fabric_unref(fabric);
    return nodes;
}

// One run of the gateway, with only these snapshots.
static void live(struct fabric *const *looks, size_t count)
{
    options.topology = topology_new(NULL, &random_system, NULL);
    start();
    topology_restore(options.topology, read_snapshot());
    while (journal_has_work(journal)) // what a start writes is a commit of its own
        sched_yield();
    for (size_t i = 0; i < count; i++)
        pipeline_put_fabric(pipeline, looks[i]);
    finish();
}

static void die(void)
{
    close_all();
    topology_free(options.topology);
    options.topology = NULL;
}

static struct fabric *look(const struct generated *g, bool complete)
{
    struct fabric *fabric = generated_look(g, 0);
    fabric->complete = complete;
    return fabric;
}

#define LIVE(...)                                                                                  \
    live((struct fabric *[]){__VA_ARGS__},                                                         \
         sizeof(struct fabric *[]){__VA_ARGS__} / sizeof(struct fabric *))

TEST(the_snapshot_is_what_is_known_not_what_one_sweep_shows)
{
    struct generated whole = {0}, part = {0};
    generated_fat_tree(&whole, 8, 2);
    generated_fat_tree(&part, 8, 2);
    generated_remove(&part, part.count - 1);
    finish();
    close_all();

    LIVE(look(&part, false));
    assert_int_equal(nodes_of_snapshot(), 0);
    die();
    LIVE(look(&part, false), look(&whole, true));
    assert_int_equal(nodes_of_snapshot(), whole.count);
    die();
    LIVE(look(&part, false));
    assert_int_equal(nodes_of_snapshot(), whole.count);
    die();
    LIVE(look(&part, false), look(&whole, true), look(&whole, true));
    assert_int_equal(nodes_of_snapshot(), whole.count);
    die();
    LIVE(look(&whole, true));
    assert_int_equal(journal_last(journal), 0); // no node was added or removed
    die();
    generated_clear(&whole);
    generated_clear(&part);
}

// A lone host; `pkeys`: its P_Key table was read.
static struct fabric *look_at_host(bool pkeys)
{
    static const uint16_t DEFAULT = 0xFFFF;
    struct fabric_builder *builder = fabric_builder_new();
    assert_non_null(builder);
    const uint32_t node =
        fabric_builder_node(builder, &(struct fabric_node){.guid = 0x100, .type = FABRIC_CA});
    const struct fabric_port port = {
        .number = 1, .known = true, .state = FABRIC_ACTIVE, .guid = 0x101};
    assert_true(fabric_builder_port(builder, node, &port));
    if (pkeys)
        assert_true(fabric_builder_pkeys(builder, node, 1, &DEFAULT, 1));
    return fabric_builder_finish(builder, 0, 0, true);
}

// The first reading of a table is no change, but the base for later readings.
TEST(the_snapshot_has_the_first_pkeys)
{
    finish();
    close_all();
    LIVE(look_at_host(false), look_at_host(false), look_at_host(true));
    assert_int_equal(journal_last(journal), 0);
    struct fabric *saved = read_snapshot();
    assert_non_null(saved);
    assert_int_equal(saved->pkey_table_count, 1);
    fabric_unref(saved);
    die();
}

// Counts.

TEST(what_repeated_until_the_stop_is_told_with_its_count)
{
    enum { TIMES = 30 };
    finish();
    close_all();
    policy_options_init(&options.policy);
    start();
    for (uint16_t i = 0; i < TIMES; i++)
        put(GOLDEN_256, i);
    finish();
    close_all();
    start(); // the count is on disk
    assert_int_equal(journal_last(journal), TIMES + 1);
    assert_string_equal(event_at(TIMES + 1)->type->name, "event-repeated");
    assert_int_equal(event_at(TIMES + 1)->repeat_count, TIMES - 1);
    finish();
    assert_int_equal(journal_last(journal), TIMES + 1);
}

// Two gateways.

static int64_t active_for; // number of events until the role changes

static enum pipeline_role role_of_test(void *ctx, const struct fabric *fabric)
{
    struct journal_status status;
    (void)ctx, (void)fabric;
    journal_get_status(journal, &status);
    return status.last + status.pending < active_for ? PIPELINE_ACTIVE : PIPELINE_STANDBY;
}

// Starts the gateway again, or for the first time.
static void start_beside_another(int64_t active_events)
{
    finish();
    close_all();
    active_for = active_events;
    options.role = role_of_test;
    policy_options_init(&options.policy);
    start();
}

static void check_held_at(int64_t sequence, const char *type, const char *reason)
{
    const struct event *event = event_at(sequence);
    assert_string_equal(event->type->name, type);
    assert_string_equal(event->suppressed, reason);
}

TEST(who_stands_by_tells_of_itself)
{
    start_beside_another(0);
    put(GOLDEN_128, 1);
    put_occurrence(CATALOGUE_SM_UNREACHABLE, "sm-reachable", "", 0);
    put_occurrence(CATALOGUE_HEARTBEAT, "", "", 0);
    put_occurrence(CATALOGUE_RECEIVER_FAILING, "receiver nms", "refused", 0);
    finish();
    check_held_at(1, "link-state-change", "standby");
    check_held_at(2, "sm-unreachable", ""); // as seen from this gateway's port
    check_held_at(3, "heartbeat", "");
    check_held_at(4, "receiver-failing", "");
}

TEST(an_own_alarm_told_while_active_ends_while_standing_by)
{
    char failing[EVENT_ID_SIZE];
    start_beside_another(1);
    put_occurrence(CATALOGUE_JOURNAL_DEGRADED, "journal", "full", 0);
    start_beside_another(1);
    put_occurrence(CATALOGUE_JOURNAL_HEALED, "journal", "works", 0);
    finish();
    check_held_at(1, "journal-degraded", "");
    memcpy(failing, event_at(1)->id, sizeof failing);
    check_held_at(2, "journal-healed", "");
    assert_string_equal(event_at(2)->clears_id, failing);
}

TEST(summaries_are_not_of_the_gateway_itself)
{
    start_beside_another(2);
    put(GOLDEN_256, 1);
    put(GOLDEN_256, 2);
    finish();
    check_held_at(2, "bad-mkey", "duplicate");
    check_held_at(3, "event-repeated", "standby");
}

static enum pipeline_role role_without_manager(void *ctx, const struct fabric *fabric)
{
    (void)ctx;
    return fabric ? PIPELINE_UNKNOWN : PIPELINE_ACTIVE;
}

static void outlast_handover(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx, (void)inside;
    now.monotonic += POLICY_HANDOVER_US;
    now.utc += POLICY_HANDOVER_US;
}

// The sweep shows no master, and is dropped: there is no handover. After a handover, clears of
// alarms without a notification would be sent. The commits of a run that finds this many hosts
// renamed.
static uint64_t commits_with_renamed(struct generated *g, uint32_t hosts, const char *prefix)
{
    struct journal_status status;
    uint32_t left = hosts;
    for (uint32_t i = 0; i < g->count && left > 0; i++) {
        char name[32];
        if (g->nodes[i].node.type != FABRIC_CA)
            continue;
        snprintf(name, sizeof name, "%s%u", prefix, (unsigned)i);
        generated_rename(g, i, name);
        left--;
    }
    assert_int_equal(left, 0);
    LIVE(look(g, true));
    journal_get_status(journal, &status);
    die();
    return status.commits;
}

// After a crash between two commits, the next start would find the changes of the first once more.
TEST(the_changes_of_a_sweep_and_its_snapshot_are_one_commit)
{
    struct generated g = {0};
    generated_fat_tree(&g, 2000, 16);
    finish();
    close_all();
    LIVE(look(&g, true));
    int64_t before = journal_last(journal);
    die();
    const uint64_t usual = commits_with_renamed(&g, 1, "a");
    assert_int_equal(commits_with_renamed(&g, 3 * PIPELINE_BATCH_MAX, "b"), usual);
    start();
    assert_true(journal_last(journal) - before > 3 * PIPELINE_BATCH_MAX);
    finish();
    generated_clear(&g);
}

TEST(a_sweep_that_is_dropped_changes_no_role)
{
    struct policy_rule wait = {
        .severity = POLICY_SAME, .category = POLICY_SAME, .hold_down_us = 3600 * CLOCK_US_PER_S};
    struct generated g = {0};
    generated_add(&g, FABRIC_SWITCH, 0, "switch", 4);
    start_beside_another(0);
    finish();
    close_all();
    options.role = role_without_manager;
    options.policy.has_partner = true;
    options.policy.rules = &wait;
    options.policy.rule_count = 1;
    start();
    put_occurrence(CATALOGUE_LINK_DOWN, "link 1", "", 0);
    assert_true(pipeline_call(pipeline, outlast_handover, NULL));
    pipeline_put_fabric(pipeline, generated_look(&g, 0));
    put_occurrence(CATALOGUE_LINK_UP, "link 1", "", 0);
    finish();
    check_held_at(1, "link-down", "hold-down");
    check_held_at(2, "link-up", "never-notified");
    generated_clear(&g);
}

// No room.

static size_t count_queued(void)
{
    struct pipeline_counters now_counted;
    pipeline_get_counters(pipeline, &now_counted);
    return now_counted.queued;
}

// The pipeline processes none of them before let_go().
static void fill_with_reports(void)
{
    expect_stored = false; // too slow for so many
    hold();
    for (size_t i = 0; i < PIPELINE_QUEUE_MAX; i++)
        put(GOLDEN_128, 1); // repetitions, which cost no work
    struct sa_report *one_more = make_report(GOLDEN_128, 1);
    assert_false(pipeline_put_report(pipeline, one_more));
    free(one_more);
}

// A pipeline call, in a thread of its own.
struct calling {
    pthread_t thread;
    atomic_bool over;
    bool said, ran;
};

static void run_calling(void *ctx, const struct pipeline_context *inside)
{
    struct calling *calling = ctx;
    (void)inside;
    calling->ran = true;
}

static void *call(void *arg)
{
    struct calling *calling = arg;
    calling->said = pipeline_call(pipeline, run_calling, calling);
    atomic_store(&calling->over, true);
    return NULL;
}

TEST(what_nobody_sends_again_finds_room_beside_reports)
{
    struct calling calling = {0};
    fill_with_reports();
    put_occurrence(CATALOGUE_JOURNAL_HEALED, "journal", "works", 0);
    assert_int_equal(count_queued(), PIPELINE_QUEUE_MAX + 1);
    assert_int_equal(pthread_create(&calling.thread, NULL, call, &calling), 0);
    while (count_queued() == PIPELINE_QUEUE_MAX + 1 && !atomic_load(&calling.over))
        usleep(1000);
    let_go();
    pthread_join(calling.thread, NULL);
    assert_true(calling.said && calling.ran);
    finish();
    assert_int_equal(answer_count, PIPELINE_QUEUE_MAX);
    assert_int_equal(journal_last(journal), 2);
    assert_string_equal(event_at(2)->type->name, "journal-healed");
}

TEST(what_is_lost_is_logged_and_calls_still_fit)
{
    enum { PLACES = PIPELINE_OTHERS_MAX - PIPELINE_CALLS_MAX };
    struct calling calling = {0};
    char *lines = NULL;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    finish();
    close_all();
    options.log = support_log(stream);
    start();
    fill_with_reports();
    for (size_t i = 0; i < PLACES; i++)
        put_occurrence(CATALOGUE_HEARTBEAT, "", "", 0);
    fflush(stream);
    assert_string_equal(lines, "");
    put_occurrence(CATALOGUE_RECEIVER_BACK, "receiver nms", "it answers", 0);
    fflush(stream);
    assert_non_null(strstr(lines, "receiver-back (it answers) is lost"));
    assert_int_equal(count_queued(), PIPELINE_QUEUE_MAX + PLACES);
    assert_int_equal(pthread_create(&calling.thread, NULL, call, &calling), 0);
    while (count_queued() == PIPELINE_QUEUE_MAX + PLACES && !atomic_load(&calling.over))
        usleep(1000);
    let_go();
    pthread_join(calling.thread, NULL);
    assert_true(calling.said && calling.ran);
    finish();
    assert_int_equal(journal_last(journal), 1 + PLACES);
    log_close(options.log);
    fclose(stream);
    free(lines);
}

TEST(a_call_after_the_stop_says_that_it_did_not_run)
{
    struct calling calling = {0};
    finish();
    assert_false(pipeline_call(pipeline, run_calling, &calling));
    assert_false(calling.ran);
}

static int end_with_events(void **state)
{
    event_at(0);
    return end(state);
}

#define PIPELINE_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end_with_events)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(a_report_becomes_an_event_on_disk_and_is_answered_then),
        PIPELINE_TEST(a_repeat_is_answered_and_nothing_else),
        PIPELINE_TEST(a_repeat_that_waits_long_is_a_repeat),
        PIPELINE_TEST(a_repeat_has_the_same_notice),
        PIPELINE_TEST(repeats_are_told_across_a_restart),
        PIPELINE_TEST(an_old_report_is_no_repeat_after_a_restart),
        PIPELINE_TEST(a_clock_set_back_makes_no_repeats),
        PIPELINE_TEST(a_malformed_mad_is_an_event_too),
        PIPELINE_TEST(occurrences_are_events_without_an_answer),
        PIPELINE_TEST(severe_events_of_a_switch_are_for_gsw_event_trap),
        PIPELINE_TEST(what_waits_together_is_committed_together),
        PIPELINE_TEST(the_pipeline_beats_while_it_goes_on),
        PIPELINE_TEST(receivers_delay_nobody),
        PIPELINE_TEST(without_a_disk_reports_are_answered_from_memory),
        PIPELINE_TEST(nothing_is_taken_after_the_stop),
        PIPELINE_TEST(what_repeated_until_the_stop_is_told_with_its_count),
        PIPELINE_TEST(who_stands_by_tells_of_itself),
        PIPELINE_TEST(an_own_alarm_told_while_active_ends_while_standing_by),
        PIPELINE_TEST(summaries_are_not_of_the_gateway_itself),
        PIPELINE_TEST(the_changes_of_a_sweep_and_its_snapshot_are_one_commit),
        PIPELINE_TEST(a_sweep_that_is_dropped_changes_no_role),
        PIPELINE_TEST(what_nobody_sends_again_finds_room_beside_reports),
        PIPELINE_TEST(what_is_lost_is_logged_and_calls_still_fit),
        PIPELINE_TEST(a_call_after_the_stop_says_that_it_did_not_run),
        PIPELINE_TEST(the_snapshot_is_what_is_known_not_what_one_sweep_shows),
        PIPELINE_TEST(the_snapshot_has_the_first_pkeys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
