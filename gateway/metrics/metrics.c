// SPDX-License-Identifier: BSD-2-Clause
#include "metrics/metrics.h"

#include "metrics/port_metrics.h"
#include "model/address.h"

#include <inttypes.h>
#include <stdarg.h>

enum { LABELS_MAX = 7 }; // of a sample

static const double US_PER_S = (double)CLOCK_US_PER_S;

// Writes the first two lines of a family. Write all of its samples next.
static void metrics_begin(FILE *out, const char *type, const char *name, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

#define METRICS_END ((const char *)NULL) // behind the last label of a sample

// Writes a sample. NULL ends the list of its labels, pairs of a name and a value. A pair without a
// value is left out.
__attribute__((sentinel)) static void metrics_put_sample(FILE *out, const char *name, double number,
                                                         ...)
{
    char text[LABELS_MAX * (PORT_METRICS_LABEL_MAX * 2 + 32)];
    struct text labels = text_in(text, sizeof text);
    va_list args;
    va_start(args, number);
    for (const char *label; (label = va_arg(args, const char *));) {
        const char *value = va_arg(args, const char *);
        if (!value)
            continue;
        text_addf(&labels, "%s%s", labels.len == 0 ? "{" : "\",", label);
        port_metrics_add_label(&labels, "=\"", value);
    }
    va_end(args);
    fprintf(out, "%s%s%s %.15g\n", name, text, labels.len == 0 ? "" : "\"}", number);
}

// Writes a family of one sample.
static void metrics_put(FILE *out, const char *type, const char *name, const char *help,
                        double value)
{
    metrics_begin(out, type, name, help);
    metrics_put_sample(out, name, value, METRICS_END);
}

// Writes the samples of one histogram. `receiver`: the label of each; NULL: there is none.
static void metrics_put_histogram(FILE *out, const char *name, const char *receiver,
                                  const struct histogram *histogram)
{
    char sample[64], limit[32];
    struct histogram_values v;
    uint64_t through = 0;
    histogram_read(histogram, &v);
    snprintf(sample, sizeof sample, "%s_bucket", name);
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        through += v.counts[i];
        snprintf(limit, sizeof limit, "%.10g", (double)histogram_limit_us(i) / US_PER_S);
        metrics_put_sample(out, sample, (double)through, "receiver", receiver, "le", limit,
                           METRICS_END);
    }
    through += v.counts[HISTOGRAM_BUCKETS];
    metrics_put_sample(out, sample, (double)through, "receiver", receiver, "le", "+Inf",
                       METRICS_END);
    snprintf(sample, sizeof sample, "%s_sum", name);
    metrics_put_sample(out, sample, (double)v.sum_us / US_PER_S, "receiver", receiver, METRICS_END);
    snprintf(sample, sizeof sample, "%s_count", name);
    metrics_put_sample(out, sample, (double)v.total, "receiver", receiver, METRICS_END);
}

// The gateway.

static void metrics_put_gateway(FILE *out, const struct metrics *m)
{
    metrics_begin(out, "gauge", "ibtrapd_build_info",
                  "The release that runs, and the fabric; always 1.");
    metrics_put_sample(out, "ibtrapd_build_info", 1, "version", m->release, "fabric", m->fabric,
                       METRICS_END);
    metrics_put(out, "gauge", "ibtrapd_uptime_seconds", "Time since the start.",
                (double)m->uptime_us / US_PER_S);
    metrics_put(
        out, "gauge", "ibtrapd_active",
        "1 if the fabric's events go to the receivers, 0 if another gateway has the master subnet "
        "manager.",
        m->active);
    metrics_put(out, "gauge", "ibtrapd_queue_items",
                "Reports and results that wait to be written to the journal.",
                (double)m->pipeline.queued);
    metrics_put(
        out, "gauge", "ibtrapd_queue_capacity_items",
        "Largest length of the queue. With a full queue, Reports are not answered, and the subnet "
        "manager repeats them.",
        PIPELINE_QUEUE_MAX);
}

// The process, by the names of all of Prometheus' clients. An unknown number has no sample.

static void metrics_put_known(FILE *out, const char *type, const char *name, const char *help,
                              int64_t value, double unit)
{
    if (value >= 0)
        metrics_put(out, type, name, help, (double)value / unit);
}

static void metrics_put_process(FILE *out, const struct metrics *m)
{
    const struct process_use *p = &m->process;
    metrics_put(out, "gauge", "process_start_time_seconds",
                "When ibtrapd started, since 1970 in UTC.", (double)m->started_us / US_PER_S);
    metrics_put_known(out, "counter", "process_cpu_seconds_total", "CPU time of all threads.",
                      p->cpu_us, US_PER_S);
    metrics_put_known(out, "gauge", "process_resident_memory_bytes", "Memory in use.",
                      p->resident_bytes, 1);
    metrics_put_known(out, "gauge", "process_virtual_memory_bytes", "Size of the address space.",
                      p->virtual_bytes, 1);
    metrics_put_known(out, "gauge", "process_open_fds", "Open file descriptors.", p->descriptors,
                      1);
    metrics_put_known(out, "gauge", "process_max_fds", "As many file descriptors may be open.",
                      p->descriptors_limit, 1);
}

// From the start, each kind of event has a sample for its usual severity. An event with another
// severity adds a sample for that severity.
static void metrics_put_events(FILE *out, const struct event_counts *counts)
{
    metrics_begin(out, "counter", "ibtrapd_events_total",
                  "Events, including suppressed ones, without test events.");
    for (size_t kind = 0; kind < CATALOGUE_COUNT; kind++) {
        const struct catalogue_entry *type = catalogue_get((enum catalogue_event)kind);
        for (int s = 0; s < EVENT_COUNTS_SEVERITIES; s++) {
            uint64_t n = atomic_load(&counts->events[kind][s]);
            if (n > 0 || s == (int)type->severity)
                metrics_put_sample(out, "ibtrapd_events_total", (double)n, "event", type->name,
                                   "severity", severity_word((enum severity)s), METRICS_END);
        }
    }
    metrics_put(out, "counter", "ibtrapd_test_events_total", "Test events of all kinds.",
                (double)atomic_load(&counts->tests));
    metrics_begin(
        out, "counter", "ibtrapd_events_suppressed_total",
        "Suppressed events, test events among them, which only the journal has, by reason.");
    for (enum policy_reason r = 0; r < POLICY_REASON_COUNT; r++) {
        const uint64_t n = atomic_load(&counts->reasons[r]);
        if (n > 0)
            metrics_put_sample(out, "ibtrapd_events_suppressed_total", (double)n, "reason",
                               policy_reason_word(r), METRICS_END);
    }
    metrics_begin(
        out, "counter", "ibtrapd_lost_links_total",
        "Links that failed, by the reason that NVIDIA's devices at their ends told in time.");
    for (unsigned r = 0; r < EVENT_COUNTS_LINK_REASONS; r++) {
        const uint64_t n = atomic_load(&counts->lost_links[r]);
        const char *words = link_reason_words((uint8_t)r);
        if (n > 0)
            metrics_put_sample(out, "ibtrapd_lost_links_total", (double)n, "reason",
                               words[0] != '\0' ? words : "another reason", METRICS_END);
    }
}

// The subnet manager.

static void metrics_put_reports(FILE *out, const struct metrics *m)
{
    const struct sa_counters *c = &m->agent.counters;
    metrics_put(out, "counter", "ibtrapd_reports_total", "Reports from the master subnet manager.",
                (double)c->reports);
    metrics_put(out, "counter", "ibtrapd_reports_acknowledged_total", "Reports that were answered.",
                (double)c->acknowledged);
    metrics_put(out, "counter", "ibtrapd_reports_repeated_total",
                "Repeated Reports, which made no new event.", (double)m->pipeline.repeated);
    metrics_put(out, "counter", "ibtrapd_reports_foreign_total",
                "Reports rejected because the master subnet manager did not send them.",
                (double)c->foreign);
    metrics_put(out, "counter", "ibtrapd_reports_malformed_total", "Malformed Reports.",
                (double)c->malformed);
    metrics_put(out, "counter", "ibtrapd_reports_refused_total",
                "Reports not answered because the queue was full.", (double)c->no_room);
}

static void metrics_put_subscriptions(FILE *out, const struct sa_status *agent)
{
    metrics_begin(out, "gauge", "ibtrapd_subscription_state",
                  "1 for the present state of the subscription to a trap, 0 for the other states.");
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++) {
        const struct subscription *one = &agent->subscriptions[i];
        char trap[16] = "vendor";
        if (one->trap != MAD_TRAP_VENDOR)
            snprintf(trap, sizeof trap, "%u", (unsigned)one->trap);
        for (enum subscription_state s = SUBSCRIPTION_PENDING; s <= SUBSCRIPTION_NO_ANSWER; s++)
            metrics_put_sample(out, "ibtrapd_subscription_state", one->state == s, "trap", trap,
                               "state", subscriptions_state_word(s), METRICS_END);
    }
}

static void metrics_put_client(FILE *out, const struct metrics *m)
{
    metrics_put(out, "gauge", "ibtrapd_port_open", "1 if an InfiniBand port is in use.",
                m->agent.open);
    metrics_put(out, "gauge", "ibtrapd_sm_answers", "1 if the master subnet manager answers.",
                m->agent.sm_answers);
    metrics_put_reports(out, m);
    metrics_put_subscriptions(out, &m->agent);
}

// The journal.

// From the start, each kind of event that raises alarms has a sample for its usual severity. There
// is a sample for another severity while alarms have that severity.
static void metrics_put_alarms_of(FILE *out, const char *name, const char *help,
                                  const uint32_t of[CATALOGUE_COUNT + 1][SEVERITY_DEBUG + 1])
{
    metrics_begin(out, "gauge", name, help);
    for (size_t kind = 0; kind <= CATALOGUE_COUNT; kind++) {
        const struct catalogue_entry *type =
            kind < CATALOGUE_COUNT ? catalogue_get((enum catalogue_event)kind) : NULL;
        for (int s = 0; s <= SEVERITY_DEBUG; s++) {
            const uint32_t n = of[kind][s];
            if (n == 0 && !(type && type->alarm == ALARM_RAISES && s == (int)type->severity))
                continue;
            metrics_put_sample(out, name, n, "event", type ? type->name : "unknown", "category",
                               type ? category_word(type->category) : "unknown", "severity",
                               severity_word((enum severity)s), METRICS_END);
        }
    }
}

static void metrics_put_active_alarms(FILE *out, const struct alarm_counts *counts)
{
    metrics_put_alarms_of(out, "ibtrapd_active_alarms",
                          "Active alarms, by the event that raised them.", counts->of);
    metrics_put_alarms_of(out, "ibtrapd_open_alarms",
                          "Active alarms that somebody should look at, by the event that raised "
                          "them: causes only, not put aside, and in no maintenance.",
                          counts->open_of);
}

// A sample for each of the worst alarms.
static void metrics_put_named_alarms(FILE *out, const struct metrics *m)
{
    metrics_begin(out, "gauge", "ibtrapd_open_alarm_info",
                  "One of the worst open alarms, with its sentence; always 1.");
    for (size_t i = 0; i < m->named_count; i++) {
        const struct alarm *a = m->named[i].alarm;
        char number[24], guid[ADDRESS_GUID_TEXT_SIZE];
        snprintf(number, sizeof number, "%" PRId64, a->event_sequence);
        address_format_guid(a->node_guid, guid);
        metrics_put_sample(out, "ibtrapd_open_alarm_info", 1, "event", a->type, "category",
                           category_word(a->category), "severity", severity_word(a->severity),
                           "number", number, "node",
                           m->named[i].node[0] != '\0' ? m->named[i].node : NULL, "guid",
                           a->node_guid != 0 ? guid : NULL, "text", a->text, METRICS_END);
    }
}

static void metrics_put_verdicts(FILE *out, const struct metrics *m)
{
    metrics_begin(out, "gauge", "ibtrapd_health",
                  "The verdict on the gateway and on the fabric: 0 ok, 1 warning, 2 critical.");
    for (enum health_about about = 0; about < HEALTH_VERDICTS; about++)
        metrics_put_sample(out, "ibtrapd_health", m->verdicts[about], "of",
                           health_about_word(about), METRICS_END);
    metrics_begin(out, "gauge", "ibtrapd_alarms_by_standing",
                  "Active alarms: open ones, those that follow from another, that somebody has "
                  "acknowledged or shelved, that are in maintenance, and those about the gateway.");
    for (enum alarm_standing standing = 0; standing < ALARM_STANDINGS; standing++)
        metrics_put_sample(out, "ibtrapd_alarms_by_standing", m->alarms.by_standing[standing],
                           "standing", alarm_standing_word(standing), METRICS_END);
}

static void metrics_put_windows(FILE *out, const struct maintenance *windows, int64_t now_us)
{
    metrics_begin(out, "gauge", "ibtrapd_maintenance_end_seconds",
                  "The end of a maintenance window, since 1970 in UTC; whether the window covers "
                  "all nodes, who made the window and why.");
    for (size_t i = 0; i < windows->count; i++) {
        const struct maintenance_window *window = &windows->windows[i];
        if (window->until_us > now_us)
            metrics_put_sample(out, "ibtrapd_maintenance_end_seconds",
                               (double)window->until_us / US_PER_S, "window", window->name, "all",
                               maintenance_covers_all(window) ? "true" : "false", "by", window->who,
                               "comment", window->comment, METRICS_END);
    }
}

static void metrics_put_journal(FILE *out, const struct metrics *m)
{
    const struct journal_status *j = &m->journal;
    metrics_put(out, "gauge", "ibtrapd_journal_durable",
                "1 if events are on disk, 0 if in memory only.", j->durable);
    metrics_put(out, "gauge", "ibtrapd_journal_rows", "Events in the journal.", (double)j->rows);
    metrics_put(out, "gauge", "ibtrapd_journal_bytes", "Size of the journal's file.",
                (double)j->bytes);
    metrics_put(out, "gauge", "ibtrapd_journal_pending_events",
                "Events in memory that are not on disk yet.", (double)j->pending);
    metrics_put(out, "counter", "ibtrapd_journal_dropped_events_total",
                "Events that expired before every receiver had them.", (double)j->dropped);
    metrics_put(out, "gauge", "ibtrapd_alarms", "Active alarms.", (double)j->alarms);
    metrics_put(out, "counter", "ibtrapd_alarms_missed_total",
                "Changes of alarms lost because there are too many alarms.",
                (double)j->alarms_missed);
    metrics_put(out, "counter", "ibtrapd_alarms_overflowed_total",
                "Events of alarms for which policy has no room; they are treated as events without "
                "an alarm.",
                (double)m->pipeline.policy.overflowed);
    metrics_put(out, "counter", "ibtrapd_alarms_read_back_total",
                "Suppressed events that only the journal keeps, as memory has enough of them.",
                (double)m->pipeline.policy.read_back);
    metrics_begin(out, "histogram", "ibtrapd_journal_commit_seconds",
                  "Time that a commit to disk took.");
    metrics_put_histogram(out, "ibtrapd_journal_commit_seconds", NULL, m->commits);
}

// Receivers.

static double metrics_lag_seconds(const struct metrics *m, const struct receiver_status *s)
{
    bool behind = s->lag > 0 && s->oldest_us > 0 && m->now_us > s->oldest_us;
    return behind ? (double)(m->now_us - s->oldest_us) / US_PER_S : 0;
}

// Gets one number of a receiver; `m` has the current time.
typedef double (*receiver_value)(const struct metrics *m, const struct receiver_status *s);

#define VALUE(function, expression)                                                                \
    static double function(const struct metrics *m, const struct receiver_status *s)               \
    {                                                                                              \
        (void)m;                                                                                   \
        return (double)(expression);                                                               \
    }

VALUE(metrics_get_sent, s->sent)
VALUE(metrics_get_filtered, s->filtered)
VALUE(metrics_get_dropped, s->dropped)
VALUE(metrics_get_refused, s->refused)
VALUE(metrics_get_failed, s->failed)
VALUE(metrics_get_failing, s->problem[0] != '\0')
VALUE(metrics_get_untried, s->untried)
VALUE(metrics_get_paused, s->paused)
VALUE(metrics_get_lag, s->lag)

static const struct {
    const char *type, *name, *help;
    receiver_value get;
} OF_RECEIVERS[] = {
    {"counter", "ibtrapd_receiver_sent_total",
     "Events that the receiver has confirmed, or that were sent if it confirms nothing.",
     metrics_get_sent},
    {"counter", "ibtrapd_receiver_filtered_total", "Events that do not pass its filter.",
     metrics_get_filtered},
    {"counter", "ibtrapd_receiver_dropped_total",
     "Events given up: too old, flushed, refused, or expired from the journal.",
     metrics_get_dropped},
    {"counter", "ibtrapd_receiver_refused_total",
     "Of the events given up: those that the receiver refused too often.", metrics_get_refused},
    {"counter", "ibtrapd_receiver_failures_total", "Attempts that failed.", metrics_get_failed},
    {"gauge", "ibtrapd_receiver_failing", "1 if the last attempt failed.", metrics_get_failing},
    {"gauge", "ibtrapd_receiver_untried",
     "1 if it has taken no event yet, and no attempt failed: nobody knows whether it works.",
     metrics_get_untried},
    {"gauge", "ibtrapd_receiver_paused", "1 if it is paused.", metrics_get_paused},
    {"gauge", "ibtrapd_receiver_lag_events", "Events that it does not have yet.", metrics_get_lag},
    {"gauge", "ibtrapd_receiver_lag_seconds", "Age of the oldest event that it does not have yet.",
     metrics_lag_seconds},
};

static void metrics_put_receivers(FILE *out, const struct metrics *m)
{
    for (size_t i = 0; i < sizeof OF_RECEIVERS / sizeof *OF_RECEIVERS; i++) {
        metrics_begin(out, OF_RECEIVERS[i].type, OF_RECEIVERS[i].name, OF_RECEIVERS[i].help);
        for (size_t r = 0; r < m->receiver_count; r++) {
            const struct metrics_receiver *one = &m->receivers[r];
            metrics_put_sample(out, OF_RECEIVERS[i].name, OF_RECEIVERS[i].get(m, &one->status),
                               "receiver", one->name, "kind", one->kind, METRICS_END);
        }
    }
    metrics_begin(out, "histogram", "ibtrapd_report_to_wire_seconds",
                  "Time from an event to its writing to the receiver's socket or file.");
    for (size_t r = 0; r < m->receiver_count; r++)
        metrics_put_histogram(out, "ibtrapd_report_to_wire_seconds", m->receivers[r].name,
                              m->receivers[r].times);
}

// Sweeps.

static double metrics_age(const struct metrics *m, int64_t then_us)
{
    return m->now_us > then_us ? (double)(m->now_us - then_us) / US_PER_S : 0;
}

static void metrics_put_last_sweep(FILE *out, const struct metrics *m)
{
    const struct sweeper_status *s = m->sweep;
    metrics_put(out, "gauge", "ibtrapd_sweep_duration_seconds", "Time that the last sweep took.",
                (double)s->last_duration_us / US_PER_S);
    metrics_put(out, "gauge", "ibtrapd_sweep_age_seconds", "Time since the last sweep began.",
                metrics_age(m, s->last_begin_us));
    metrics_put(out, "gauge", "ibtrapd_sweep_complete", "1 if every node answered the last sweep.",
                s->last_complete);
    metrics_put(out, "gauge", "ibtrapd_sweep_nodes", "Nodes that the last sweep found.", s->nodes);
    metrics_put(out, "gauge", "ibtrapd_sweep_switches", "Switches that the last sweep found.",
                s->switches);
    metrics_put(out, "gauge", "ibtrapd_sweep_links", "Links that the last sweep found.", s->links);
    metrics_put(out, "gauge", "ibtrapd_sweep_inactive_links",
                "Links that the last sweep found connected and not active.", s->inactive);
    metrics_put(out, "gauge", "ibtrapd_sweep_silent_ports",
                "Linked ports whose peer did not answer the last sweep.", s->silent);
    metrics_put(out, "gauge", "ibtrapd_sweep_pkey_tables_left_out",
                "Ports for whose P_Key tables there was no room.", s->pkey_tables_left_out);
}

static void metrics_put_last_reading(FILE *out, const struct metrics *m)
{
    const struct sweeper_status *s = m->sweep;
    metrics_put(out, "gauge", "ibtrapd_reading_duration_seconds",
                "Time that the last reading of the port counters took.",
                (double)s->counters_duration_us / US_PER_S);
    metrics_put(out, "gauge", "ibtrapd_reading_age_seconds",
                "Time since the last reading of the port counters.",
                metrics_age(m, s->counters_last_us));
    metrics_put(out, "gauge", "ibtrapd_reading_ports",
                "Ports in the last reading of the port counters.", (double)s->counters_ports);
    metrics_put(out, "gauge", "ibtrapd_reading_silent_ports",
                "Ports that did not answer the last reading of the port counters.",
                (double)s->counters_silent);
    metrics_put(out, "counter", "ibtrapd_errors_unwatched_total",
                "Times that an error counter grew and was not watched, as there was no room.",
                (double)m->pipeline.unwatched.errors);
    metrics_put(out, "counter", "ibtrapd_waits_unwatched_total",
                "Times that a port had to wait and was not watched, as there was no room.",
                (double)m->pipeline.unwatched.waits);
}

static void metrics_put_sweeps(FILE *out, const struct metrics *m)
{
    metrics_put(out, "counter", "ibtrapd_sweeps_total", "Sweeps of the fabric.",
                (double)m->sweep->sweeps);
    metrics_put(out, "counter", "ibtrapd_sweeps_failed_total", "Sweeps that failed.",
                (double)m->sweep->failed);
    metrics_put(out, "counter", "ibtrapd_sweeps_overflowed_total",
                "Sweeps that reached a limit, and kept what they found.",
                (double)m->sweep->overflowed);
    if (m->sweep->last_begin_us != 0)
        metrics_put_last_sweep(out, m);
    if (m->sweep->counters_last_us != 0)
        metrics_put_last_reading(out, m);
}

static void metrics_put_reads(FILE *out, const struct reads_counters *reads)
{
    metrics_put(out, "counter", "ibtrapd_demand_queries_total",
                "Queries sent for what managers asked and no sweep reads, repeats included.",
                (double)reads->sent);
    metrics_put(out, "counter", "ibtrapd_demand_answered_total",
                "Reads on demand that were answered.", (double)reads->answered);
    metrics_put(out, "counter", "ibtrapd_demand_silent_total", "Reads on demand without an answer.",
                (double)reads->silent);
}

void metrics_write(FILE *out, const struct metrics *metrics)
{
    metrics_put_gateway(out, metrics);
    metrics_put_process(out, metrics);
    metrics_put_events(out, metrics->events);
    metrics_put_client(out, metrics);
    metrics_put_journal(out, metrics);
    metrics_put_active_alarms(out, &metrics->alarms);
    metrics_put_named_alarms(out, metrics);
    metrics_put_verdicts(out, metrics);
    metrics_put_windows(out, metrics->windows, metrics->now_us);
    metrics_put_receivers(out, metrics);
    if (metrics->sweep && metrics->sweep->method != SWEEP_OFF)
        metrics_put_sweeps(out, metrics);
    if (metrics->reads)
        metrics_put_reads(out, metrics->reads);
}
