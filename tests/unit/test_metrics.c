// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "metrics/metrics.h"
#include "model/catalogue.h"

static struct event_counts events;
static struct histogram commits, times;
static struct sweeper_status sweep;
static struct metrics_receiver receivers[2];
static struct maintenance windows;
static struct metrics metrics;
static char *text;
static size_t size;

static int begin(void **state)
{
    (void)state;
    memset(&events, 0, sizeof events);
    memset(&commits, 0, sizeof commits);
    memset(&times, 0, sizeof times);
    sweep = (struct sweeper_status){.method = SWEEP_SMP};
    receivers[0] = (struct metrics_receiver){.name = "nms", .kind = "snmp", .times = &times};
    receivers[1] = (struct metrics_receiver){.name = "siem", .kind = "syslog", .times = &times};
    metrics = (struct metrics){.release = "1.2.3",
                               .now_us = SUPPORT_UTC_US,
                               .events = &events,
                               .commits = &commits,
                               .windows = &windows,
                               .receivers = receivers,
                               .receiver_count = 2};
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void write_text(void)
{
    end(NULL);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    metrics_write(out, &metrics);
    fclose(out);
}

// Whether the text contains exactly that line.
static bool has(const char *line)
{
    size_t length = strlen(line);
    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        if (strncmp(p, line, length) == 0 && p[length] == '\n')
            return true;
    }
    return false;
}

static void expect(const char *line)
{
    write_text();
    if (!has(line))
        fail_msg("there is no line '%s' in\n%s", line, text);
}

static void expect_nothing_of(const char *words)
{
    write_text();
    if (strstr(text, words))
        fail_msg("'%s' is in\n%s", words, text);
}

static void add_event(enum catalogue_event kind, const char *held)
{
    struct event event = {.type = catalogue_get(kind), .severity = catalogue_get(kind)->severity};
    snprintf(event.suppressed, sizeof event.suppressed, "%s", held);
    event_counts_add(&events, &event);
}

TEST(a_family_has_help_and_type)
{
    expect("# HELP ibtrapd_uptime_seconds Time since the start.");
    expect("# TYPE ibtrapd_uptime_seconds gauge");
}

TEST(times_are_seconds)
{
    metrics.uptime_us = 90250000;
    expect("ibtrapd_uptime_seconds 90.25");
}

TEST(the_release_is_told)
{
    expect("ibtrapd_build_info{version=\"1.2.3\"} 1");
}

TEST(the_process_is_told)
{
    metrics.started_us = SUPPORT_UTC_US;
    metrics.process = (struct process_use){.cpu_us = 2500000,
                                           .resident_bytes = 4096,
                                           .virtual_bytes = 8192,
                                           .descriptors = 20,
                                           .descriptors_limit = 1024};
    char line[80];
    snprintf(line, sizeof line, "process_start_time_seconds %.15g", (double)SUPPORT_UTC_US / 1e6);
    expect(line);
    expect("# TYPE process_cpu_seconds_total counter");
    expect("process_cpu_seconds_total 2.5");
    expect("process_resident_memory_bytes 4096");
    expect("process_virtual_memory_bytes 8192");
    expect("process_open_fds 20");
    expect("process_max_fds 1024");
}

TEST(what_the_kernel_does_not_tell_has_no_sample)
{
    metrics.process = (struct process_use){-1, -1, -1, -1, -1};
    expect_nothing_of("process_cpu");
    expect_nothing_of("_memory_bytes");
    expect_nothing_of("_fds");
}

TEST(labels_are_escaped)
{
    metrics.release = "a\"b\\c\nd\xC3\xA9";
    expect("ibtrapd_build_info{version=\"a\\\"b\\\\c\\nd\xC3\xA9\"} 1");
}

TEST(large_counters_are_exact)
{
    metrics.agent.counters.reports = 999999999999999;
    expect("ibtrapd_reports_total 999999999999999");
}

TEST(every_kind_of_event_is_there_from_the_start)
{
    for (size_t i = 0; i < CATALOGUE_COUNT; i++) {
        char line[200];
        const struct catalogue_entry *type = catalogue_get((enum catalogue_event)i);
        snprintf(line, sizeof line, "ibtrapd_events_total{event=\"%s\",severity=\"%s\"} 0",
                 type->name, severity_word(type->severity));
        expect(line);
    }
}

TEST(events_are_counted_by_kind)
{
    add_event(CATALOGUE_BAD_PKEY, "");
    add_event(CATALOGUE_BAD_PKEY, "");
    add_event(CATALOGUE_THRESHOLD_CLEARED, "");
    expect("ibtrapd_events_total{event=\"bad-pkey\",severity=\"warning\"} 2");
    expect("ibtrapd_events_total{event=\"bad-qkey\",severity=\"warning\"} 0");
    expect_nothing_of("ibtrapd_events_suppressed_total{");
}

TEST(test_events_are_counted_apart)
{
    struct event event = {.type = catalogue_get(CATALOGUE_BAD_PKEY),
                          .severity = SEVERITY_WARNING,
                          .test = true,
                          .suppressed = "standby"};
    event_counts_add(&events, &event);
    expect("ibtrapd_test_events_total 1");
    expect("ibtrapd_events_total{event=\"bad-pkey\",severity=\"warning\"} 0");
    expect("ibtrapd_events_suppressed_total{reason=\"standby\"} 1");
}

TEST(held_events_are_counted_by_reason)
{
    add_event(CATALOGUE_BAD_PKEY, "standby");
    add_event(CATALOGUE_BAD_MKEY, "standby");
    add_event(CATALOGUE_BAD_MKEY, "storm");
    add_event(CATALOGUE_BAD_MKEY, "");
    expect("ibtrapd_events_suppressed_total{reason=\"standby\"} 2");
    expect("ibtrapd_events_suppressed_total{reason=\"storm\"} 1");
    expect("ibtrapd_events_total{event=\"bad-mkey\",severity=\"warning\"} 3");
    expect_nothing_of("reason=\"flapping\"");
    expect_nothing_of("reason=\"\"");
}

TEST(a_subscription_is_in_one_state)
{
    metrics.agent.subscriptions[0] =
        (struct subscription){.trap = 64, .state = SUBSCRIPTION_REJECTED};
    metrics.agent.subscriptions[1] =
        (struct subscription){.trap = MAD_TRAP_VENDOR, .state = SUBSCRIPTION_SUBSCRIBED};
    expect("ibtrapd_subscription_state{trap=\"64\",state=\"pending\"} 0");
    expect("ibtrapd_subscription_state{trap=\"64\",state=\"subscribed\"} 0");
    expect("ibtrapd_subscription_state{trap=\"64\",state=\"rejected\"} 1");
    expect("ibtrapd_subscription_state{trap=\"64\",state=\"no-answer\"} 0");
    expect("ibtrapd_subscription_state{trap=\"vendor\",state=\"subscribed\"} 1");
}

TEST(a_histogram_is_cumulative)
{
    histogram_add(&commits, 100);
    histogram_add(&commits, 150);
    histogram_add(&commits, 150);
    histogram_add(&commits, INT64_C(1000) * CLOCK_US_PER_S);
    expect("# TYPE ibtrapd_journal_commit_seconds histogram");
    expect("ibtrapd_journal_commit_seconds_bucket{le=\"0.0001\"} 1");
    expect("ibtrapd_journal_commit_seconds_bucket{le=\"0.0002\"} 3");
    expect("ibtrapd_journal_commit_seconds_bucket{le=\"0.0004\"} 3");
    expect("ibtrapd_journal_commit_seconds_bucket{le=\"209.7152\"} 3");
    expect("ibtrapd_journal_commit_seconds_bucket{le=\"+Inf\"} 4");
    expect("ibtrapd_journal_commit_seconds_sum 1000.0004");
    expect("ibtrapd_journal_commit_seconds_count 4");
}

TEST(each_receiver_has_its_histogram)
{
    histogram_add(&times, 300);
    expect("ibtrapd_report_to_wire_seconds_bucket{receiver=\"nms\",le=\"0.0004\"} 1");
    expect("ibtrapd_report_to_wire_seconds_bucket{receiver=\"siem\",le=\"+Inf\"} 1");
    expect("ibtrapd_report_to_wire_seconds_sum{receiver=\"siem\"} 0.0003");
    expect("ibtrapd_report_to_wire_seconds_count{receiver=\"nms\"} 1");
}

TEST(receivers_are_told_apart)
{
    receivers[0].status = (struct receiver_status){.sent = 7, .failed = 2, .problem = "refused"};
    receivers[1].status = (struct receiver_status){.filtered = 3, .dropped = 4, .paused = true};
    expect("ibtrapd_receiver_sent_total{receiver=\"nms\",kind=\"snmp\"} 7");
    expect("ibtrapd_receiver_sent_total{receiver=\"siem\",kind=\"syslog\"} 0");
    expect("ibtrapd_receiver_failures_total{receiver=\"nms\",kind=\"snmp\"} 2");
    expect("ibtrapd_receiver_failing{receiver=\"nms\",kind=\"snmp\"} 1");
    expect("ibtrapd_receiver_failing{receiver=\"siem\",kind=\"syslog\"} 0");
    expect("ibtrapd_receiver_filtered_total{receiver=\"siem\",kind=\"syslog\"} 3");
    expect("ibtrapd_receiver_dropped_total{receiver=\"siem\",kind=\"syslog\"} 4");
    expect("ibtrapd_receiver_paused{receiver=\"siem\",kind=\"syslog\"} 1");
}

TEST(lag_is_as_old_as_its_oldest_event)
{
    receivers[0].status =
        (struct receiver_status){.lag = 12, .oldest_us = SUPPORT_UTC_US - 2500000};
    receivers[1].status = (struct receiver_status){.lag = 0, .oldest_us = SUPPORT_UTC_US - 2500000};
    expect("ibtrapd_receiver_lag_events{receiver=\"nms\",kind=\"snmp\"} 12");
    expect("ibtrapd_receiver_lag_seconds{receiver=\"nms\",kind=\"snmp\"} 2.5");
    expect("ibtrapd_receiver_lag_seconds{receiver=\"siem\",kind=\"syslog\"} 0");
}

TEST(a_clock_that_was_set_back_makes_no_negative_age)
{
    receivers[0].status = (struct receiver_status){.lag = 1, .oldest_us = SUPPORT_UTC_US + 1};
    sweep.last_begin_us = SUPPORT_UTC_US + 1;
    metrics.sweep = &sweep;
    expect("ibtrapd_receiver_lag_seconds{receiver=\"nms\",kind=\"snmp\"} 0");
    expect("ibtrapd_sweep_age_seconds 0");
}

TEST(without_sweeps_there_is_nothing_to_tell_of_them)
{
    expect_nothing_of("ibtrapd_sweep");
    metrics.sweep = &sweep;
    sweep.method = SWEEP_OFF;
    expect_nothing_of("ibtrapd_sweep");
    sweep.method = SWEEP_SA;
    expect("ibtrapd_sweeps_total 0");
    expect_nothing_of("ibtrapd_sweep_");
    expect_nothing_of("ibtrapd_reading");
}

TEST(reads_on_demand_are_counted_where_there_are_any)
{
    static const struct reads_counters READS = {.sent = 12, .answered = 9, .silent = 1};
    expect_nothing_of("ibtrapd_demand");
    metrics.reads = &READS;
    expect("ibtrapd_demand_queries_total 12");
    expect("ibtrapd_demand_answered_total 9");
    expect("ibtrapd_demand_silent_total 1");
}

TEST(the_last_sweep_and_reading_are_told)
{
    metrics.sweep = &sweep;
    sweep = (struct sweeper_status){.method = SWEEP_SMP,
                                    .last_begin_us = SUPPORT_UTC_US - 60 * CLOCK_US_PER_S,
                                    .last_duration_us = 1500000,
                                    .last_complete = true,
                                    .sweeps = 5,
                                    .overflowed = 2,
                                    .failed = 1,
                                    .nodes = 8,
                                    .switches = 3,
                                    .links = 16,
                                    .inactive = 7,
                                    .silent = 2,
                                    .pkey_tables_left_out = 6,
                                    .counters_last_us = SUPPORT_UTC_US - CLOCK_US_PER_S,
                                    .counters_duration_us = 250000,
                                    .counters_ports = 32,
                                    .counters_silent = 4};
    metrics.pipeline = (struct pipeline_counters){.unwatched = {.errors = 3, .waits = 7}};
    expect("ibtrapd_sweeps_total 5");
    expect("ibtrapd_sweeps_failed_total 1");
    expect("ibtrapd_sweeps_overflowed_total 2");
    expect("ibtrapd_sweep_duration_seconds 1.5");
    expect("ibtrapd_sweep_age_seconds 60");
    expect("ibtrapd_sweep_complete 1");
    expect("ibtrapd_sweep_nodes 8");
    expect("ibtrapd_sweep_switches 3");
    expect("ibtrapd_sweep_links 16");
    expect("ibtrapd_sweep_inactive_links 7");
    expect("ibtrapd_sweep_silent_ports 2");
    expect("ibtrapd_sweep_pkey_tables_left_out 6");
    expect("ibtrapd_reading_duration_seconds 0.25");
    expect("ibtrapd_reading_age_seconds 1");
    expect("ibtrapd_reading_ports 32");
    expect("ibtrapd_reading_silent_ports 4");
    expect("ibtrapd_errors_unwatched_total 3");
    expect("ibtrapd_waits_unwatched_total 7");
}

TEST(the_journal_and_the_queue_are_told)
{
    metrics.journal = (struct journal_status){.durable = true,
                                              .rows = 10,
                                              .bytes = 4096,
                                              .pending = 2,
                                              .dropped = 3,
                                              .alarms = 4,
                                              .alarms_missed = 5};
    metrics.pipeline = (struct pipeline_counters){
        .repeated = 6, .queued = 7, .policy = {.overflowed = 8, .read_back = 9}};
    expect("ibtrapd_journal_durable 1");
    expect("ibtrapd_journal_rows 10");
    expect("ibtrapd_journal_bytes 4096");
    expect("ibtrapd_journal_pending_events 2");
    expect("ibtrapd_journal_dropped_events_total 3");
    expect("ibtrapd_alarms 4");
    expect("ibtrapd_alarms_missed_total 5");
    expect("ibtrapd_alarms_overflowed_total 8");
    expect("ibtrapd_alarms_read_back_total 9");
    expect("ibtrapd_reports_repeated_total 6");
    expect("ibtrapd_queue_items 7");
    expect("ibtrapd_queue_capacity_items 65536");
}

TEST(alarms_are_told_by_event)
{
    metrics.alarms.of[CATALOGUE_LINK_DOWN][SEVERITY_WARNING] = 2;
    metrics.alarms.of[CATALOGUE_LINK_DOWN][SEVERITY_ERROR] = 3;
    metrics.alarms.of[CATALOGUE_COUNT][SEVERITY_NOTICE] = 4;
    metrics.verdicts[HEALTH_OF_FABRIC] = HEALTH_CRITICAL;
    expect("ibtrapd_health{of=\"gateway\"} 0");
    expect("ibtrapd_health{of=\"fabric\"} 2");
    metrics.alarms.by_standing[ALARM_IN_MAINTENANCE] = 5;
    expect("ibtrapd_alarms_by_standing{standing=\"maintenance\"} 5");
    windows = (struct maintenance){.count = 2};
    strcpy(windows.windows[0].name, "over");
    windows.windows[0].until_us = SUPPORT_UTC_US;
    strcpy(windows.windows[1].name, "rack7");
    strcpy(windows.windows[1].who, "kim (uid 7)");
    strcpy(windows.windows[1].comment, "new \"cables\"");
    windows.windows[1].until_us = 1900000000 * CLOCK_US_PER_S;
    expect("ibtrapd_maintenance_end_seconds{window=\"rack7\",all=\"true\",by=\"kim (uid 7)\","
           "comment=\"new \\\"cables\\\"\"} 1900000000");
    expect_nothing_of("\"over\"");
    expect("# TYPE ibtrapd_active_alarms gauge");
    expect("ibtrapd_active_alarms{event=\"link-down\",category=\"link\",severity=\"warning\"} 2");
    expect("ibtrapd_active_alarms{event=\"link-down\",category=\"link\",severity=\"error\"} 3");
    expect("ibtrapd_active_alarms{event=\"unknown\",category=\"unknown\",severity=\"notice\"} 4");
    expect("ibtrapd_active_alarms{event=\"receiver-failing\",category=\"gateway\","
           "severity=\"error\"} 0");
    expect_nothing_of("ibtrapd_active_alarms{event=\"bad-pkey\""); // it raises none
    struct alarm named = {.event_sequence = 7,
                          .type = "link-down",
                          .severity = SEVERITY_WARNING,
                          .category = CATEGORY_LINK,
                          .node_guid = 0x22,
                          .text = "Port 1 \"went\" down."};
    const struct metrics_alarm all = {&named, "leaf1"};
    expect_nothing_of("ibtrapd_open_alarm_info{");
    metrics.named = &all;
    metrics.named_count = 1;
    expect("ibtrapd_open_alarm_info{event=\"link-down\",category=\"link\",severity=\"warning\","
           "number=\"7\",node=\"leaf1\",guid=\"0x0000000000000022\",text=\"Port 1 \\\"went\\\" "
           "down.\"} 1");
    metrics.alarms.open_of[CATALOGUE_LINK_DOWN][SEVERITY_WARNING] = 1;
    expect("ibtrapd_open_alarms{event=\"link-down\",category=\"link\",severity=\"warning\"} 1");
}

#define METRICS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        METRICS_TEST(a_family_has_help_and_type),
        METRICS_TEST(times_are_seconds),
        METRICS_TEST(the_release_is_told),
        METRICS_TEST(the_process_is_told),
        METRICS_TEST(what_the_kernel_does_not_tell_has_no_sample),
        METRICS_TEST(labels_are_escaped),
        METRICS_TEST(large_counters_are_exact),
        METRICS_TEST(every_kind_of_event_is_there_from_the_start),
        METRICS_TEST(events_are_counted_by_kind),
        METRICS_TEST(test_events_are_counted_apart),
        METRICS_TEST(held_events_are_counted_by_reason),
        METRICS_TEST(a_subscription_is_in_one_state),
        METRICS_TEST(a_histogram_is_cumulative),
        METRICS_TEST(each_receiver_has_its_histogram),
        METRICS_TEST(receivers_are_told_apart),
        METRICS_TEST(lag_is_as_old_as_its_oldest_event),
        METRICS_TEST(a_clock_that_was_set_back_makes_no_negative_age),
        METRICS_TEST(without_sweeps_there_is_nothing_to_tell_of_them),
        METRICS_TEST(reads_on_demand_are_counted_where_there_are_any),
        METRICS_TEST(the_last_sweep_and_reading_are_told),
        METRICS_TEST(the_journal_and_the_queue_are_told),
        METRICS_TEST(alarms_are_told_by_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
