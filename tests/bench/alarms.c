// SPDX-License-Identifier: BSD-2-Clause
// Measures the costs of the death and the return of a switch with many hosts behind it: two alarms
// for each host, in policy and in the journal. Prints rates, memory, and the longest time that one
// call takes from the pipeline's thread. Arguments: an empty directory, the number of hosts.
#include "base/clock.h"
#include "event/event_builder.h"
#include "journal/journal.h"
#include "pipeline/emitter.h"
#include "policy/policy.h"
#include "policy_options.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 150000, BATCH = 256 };
static const uint64_t SWITCH = UINT64_C(0x0002c90300000001);
static const uint64_t FIRST_HOST = UINT64_C(0x0002c90310000001);

struct bench {
    struct event_builder builder;
    struct journal *journal;
    struct policy *policy;
    int64_t now; // policy's clock
    unsigned uncommitted;
    unsigned long told;
};

static void fail(const char *what)
{
    fprintf(stderr, "%s failed\n", what);
    exit(EXIT_FAILURE);
}

// Policy's sink.

static void stamp(void *ctx, struct event *event)
{
    event_builder_stamp(&((struct bench *)ctx)->builder, event);
}

static void bench_keep(struct bench *b, struct event *event)
{
    b->told += event->suppressed[0] == '\0';
    journal_append(b->journal, event, &(struct journal_report){0});
    if (++b->uncommitted < BATCH)
        return;
    journal_commit(b->journal);
    b->uncommitted = 0;
}

static struct event *bench_read(void *ctx, int64_t number)
{
    return journal_find(((struct bench *)ctx)->journal, number);
}

static void bench_drain(struct bench *b)
{
    struct event *event;
    while ((event = policy_next(b->policy, b->now)) != NULL)
        bench_keep(b, event);
}

static void start_policy(struct bench *b)
{
    struct policy_options options;
    policy_options_init(&options);
    const struct policy_sink sink = {.stamp = stamp, .read = bench_read, .ctx = b};
    b->policy = policy_new(&options, &sink, &random_system);
}

// Time and memory.

static double ms_since(int64_t before)
{
    return (double)(clock_monotonic(&clock_system) - before) / 1000;
}

static double heap_mb(void)
{
#if __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 m = mallinfo2();
#else
    const struct mallinfo m = mallinfo();
#endif
    return (double)(m.uordblks + m.hblkhd) / 1e6;
}

// Lets policy do its work of the next `us` of virtual time.
static void run_ticks(struct bench *b, const char *name, int64_t us)
{
    const int64_t end = b->now + us;
    double longest = 0, total = 0;
    const unsigned long told = b->told;
    for (int64_t due; (due = policy_due(b->policy)) <= end;) {
        b->now = due > b->now ? due : b->now;
        const int64_t before = clock_monotonic(&clock_system);
        bench_drain(b);
        const double spent = ms_since(before);
        total += spent;
        longest = spent > longest ? spent : longest;
    }
    b->now = end;
    printf("%-34s %9.1f ms, longest call %.1f ms, %lu told\n", name, total, longest,
           b->told - told);
}

#define TIMED(name, call)                                                                          \
    do {                                                                                           \
        const int64_t before = clock_monotonic(&clock_system);                                     \
        call;                                                                                      \
        printf("%-34s %9.1f ms\n", name, ms_since(before));                                        \
    } while (0)

// The fabric.

static void write_change(struct change *out, enum catalogue_event type, unsigned host)
{
    const uint64_t guid = FIRST_HOST + host;
    *out = (struct change){.type = type, .cause = FABRIC_NONE, .switch_guid = SWITCH};
    out->subject = (struct endpoint){.guid = guid, .node_guid = guid, .lid = 1, .port = 1};
    out->peer = (struct endpoint){.guid = SWITCH, .node_guid = SWITCH, .lid = 2, .port = 7};
    snprintf(out->subject.name, sizeof out->subject.name, "node%06u HCA-1", host);
    snprintf(out->peer.name, sizeof out->peer.name, "director1");
    if (type == CATALOGUE_LINK_DOWN || type == CATALOGUE_LINK_UP)
        snprintf(out->alarm_key, sizeof out->alarm_key, "link 0x%016llx/7-0x%016llx/1",
                 (unsigned long long)SWITCH, (unsigned long long)guid);
    else
        snprintf(out->alarm_key, sizeof out->alarm_key, "node 0x%016llx", (unsigned long long)guid);
}

static void give(struct bench *b, const struct change *change, const char *cause, char *id)
{
    struct event *event = event_builder_from_change(&b->builder, change, false, cause, "");
    if (!event)
        fail("event_builder_from_change");
    if (id)
        memcpy(id, event->id, sizeof event->id);
    bench_drain(b);
    policy_process(b->policy, event, b->now);
    bench_drain(b);
    event_unref(event);
}

static void change_all(struct bench *b, const char *name, unsigned hosts, bool lost)
{
    char id[EVENT_ID_SIZE] = "";
    struct change change = {.type = lost ? CATALOGUE_SWITCH_REMOVED : CATALOGUE_SWITCH_ADDED,
                            .subject = {.guid = SWITCH, .node_guid = SWITCH, .name = "director1"},
                            .affected = hosts,
                            .cause = FABRIC_NONE};
    snprintf(change.alarm_key, sizeof change.alarm_key, "node 0x%016llx",
             (unsigned long long)SWITCH);
    const unsigned long told = b->told;
    const int64_t before = clock_monotonic(&clock_system);
    give(b, &change, "", id);
    for (unsigned i = 0; i < hosts; i++) {
        write_change(&change, lost ? CATALOGUE_HOST_REMOVED : CATALOGUE_HOST_ADDED, i);
        give(b, &change, lost ? id : "", NULL);
        write_change(&change, lost ? CATALOGUE_LINK_DOWN : CATALOGUE_LINK_UP, i);
        give(b, &change, lost ? id : "", NULL);
    }
    journal_commit(b->journal);
    const double spent = ms_since(before);
    printf("%-34s %9.1f ms, %.0f events/s, %lu told\n", name, spent, 2e3 * hosts / spent,
           b->told - told);
}

static void change_policy(struct bench *b)
{
    struct policy_options options;
    policy_options_init(&options);
    struct policy_rule rule = {.enabled = POLICY_NO,
                               .severity = POLICY_SAME,
                               .category = POLICY_SAME,
                               .hold_down_us = POLICY_SAME,
                               .events = {.patterns = {"link-down"}, .count = 1}};
    options.rules = &rule;
    options.rule_count = 1;
    options.has_partner = true; // policy_confirm has something to do
    const struct maintenance_window window = {.name = "night",
                                              .until_us = b->now + 600 * CLOCK_US_PER_S};
    TIMED("policy_change_options", policy_change_options(b->policy, &options, b->now));
    run_ticks(b, "ticks of a minute", 60 * CLOCK_US_PER_S);
    TIMED("policy_start_maintenance", policy_start_maintenance(b->policy, &window, b->now));
    run_ticks(b, "ticks of a minute", 60 * CLOCK_US_PER_S);
    TIMED("policy_stop_maintenance", policy_stop_maintenance(b->policy, "night", b->now));
    TIMED("policy_set_active, false", policy_set_active(b->policy, false, b->now));
    TIMED("policy_set_active, true", policy_set_active(b->policy, true, b->now));
    TIMED("policy_confirm", policy_confirm(b->policy, b->now));
    run_ticks(b, "ticks of a minute", 60 * CLOCK_US_PER_S);
}

static void count_alarm(void *ctx, const struct alarm *alarm)
{
    *(size_t *)ctx += alarm->key[0] != '\0';
}

static void use_journal(struct bench *b)
{
    size_t count = 0;
    TIMED("policy_list_alarms", free(policy_list_alarms(b->policy, &count)));
    count = 0;
    TIMED("journal_each_alarm",
          journal_each_alarm(b->journal, JOURNAL_ACTIVE_ALARMS, count_alarm, &count));
    TIMED("journal_forget_ends", journal_forget_ends(b->journal, 0));
    TIMED("a commit without changes", journal_commit(b->journal));
    journal_explain_alarm(b->journal, "node 0x0002c90310000001", "x", "");
    TIMED("a commit of one alarm", journal_commit(b->journal));
    printf("%-34s %9zu\n", "alarms", count);
}

static void start_again(struct bench *b)
{
    policy_free(b->policy);
    start_policy(b);
    const struct emitter emitter = {
        .builder = b->builder, .policy = b->policy, .journal = b->journal};
    TIMED("emitter_restore", emitter_restore(&emitter));
    b->now = clock_monotonic(&clock_system);
    TIMED("policy_set_active, true", policy_set_active(b->policy, true, b->now));
    run_ticks(b, "ticks of a minute", 60 * CLOCK_US_PER_S);
}

int main(int argc, char **argv)
{
    const unsigned hosts = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : HOSTS;
    struct error err;
    struct bench b = {.builder = {.clock = &clock_system, .random = &random_system}};
    struct journal_options options = {.directory = argc > 1 ? argv[1] : ".",
                                      .rows_max = 2000000,
                                      .bytes_max = INT64_C(4) << 30,
                                      .age_us = INT64_C(365) * 86400 * CLOCK_US_PER_S,
                                      .clock = &clock_system,
                                      .random = &random_system};
    b.journal = journal_open(&options, &err);
    if (!b.journal)
        fail(err.text);
    start_policy(&b);
    b.now = clock_monotonic(&clock_system);
    policy_set_active(b.policy, true, b.now);
    const double empty = heap_mb();
    change_all(&b, "a switch dies", hosts, true);
    const double full = heap_mb();
    printf("%-34s %9.1f MB, %.0f octets for each alarm\n", "memory", full - empty,
           (full - empty) * 1e6 / (2.0 * hosts));
    run_ticks(&b, "ticks of ten minutes", 600 * CLOCK_US_PER_S);
    change_policy(&b);
    use_journal(&b);
    start_again(&b);
    change_all(&b, "it comes back", hosts, false);
    run_ticks(&b, "ticks of ten minutes", 600 * CLOCK_US_PER_S);
    const double with_policy = heap_mb();
    policy_free(b.policy);
    printf("%-34s %9.1f MB\n", "memory after the return", with_policy - empty);
    journal_close(b.journal);
    return EXIT_SUCCESS;
}
