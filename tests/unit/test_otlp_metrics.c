// SPDX-License-Identifier: BSD-2-Clause
// Metrics for OpenTelemetry, made of the text format of Prometheus.
#include "support.h"

#include "http/otlp_metrics.h"

#include <jansson.h>

static const char SCRAPE[] =
    "# HELP ibtrapd_sweep_nodes Nodes.\n# TYPE ibtrapd_sweep_nodes gauge\nibtrapd_sweep_nodes 8\n"
    "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1.25e-05\n"
    "# TYPE ibtrapd_journal_commit_seconds histogram\n"
    "ibtrapd_journal_commit_seconds_bucket{le=\"0.1\"} 7\n"
    "ibtrapd_journal_commit_seconds_bucket{le=\"0.25\"} 7\n"
    "ibtrapd_journal_commit_seconds_bucket{le=\"+Inf\"} 9\n"
    "ibtrapd_journal_commit_seconds_sum 1.5\nibtrapd_journal_commit_seconds_count 9\n"
    "# TYPE ibtrapd_report_to_wire_seconds histogram\n"
    "ibtrapd_report_to_wire_seconds_bucket{receiver=\"nms\",le=\"1\"} 0\n"
    "ibtrapd_report_to_wire_seconds_bucket{receiver=\"nms\",le=\"+Inf\"} 2\n"
    "ibtrapd_report_to_wire_seconds_sum{receiver=\"nms\"} 4\n"
    "ibtrapd_report_to_wire_seconds_count{receiver=\"nms\"} 2\n"
    "ibtrapd_report_to_wire_seconds_bucket{receiver=\"b\",le=\"+Inf\"} 1\n"
    "ibtrapd_report_to_wire_seconds_sum{receiver=\"b\"} 2\n"
    "ibtrapd_report_to_wire_seconds_count{receiver=\"b\"} 1\n"
    "# TYPE ibtrapd_port_receive_bytes_total counter\n"
    "ibtrapd_port_receive_bytes_total{node=\"a \\\"b\\\\c\\n\",guid=\"0x01\",port=\"3\"} 17\n"
    "# TYPE ibtrapd_port_symbol_errors_total counter\n"
    "ibtrapd_port_symbol_errors_total{guid=\"0x01\",port=\"3\"} 1\n"
    "# TYPE ibtrapd_port_link_downed_total counter\n"
    "ibtrapd_port_link_downed_total{guid=\"0x01\",port=\"3\"} 2\n"
    "broken\nbroken{a} 1\nbroken{a=\"b} 1\nbroken{a=\"b\"}1\nbroken NaN\n";

static json_t *sent[64]; // the metrics of each request
static size_t sent_count;

static void send_all(size_t size_max)
{
    struct otlp_metrics_writer w = {.at = SCRAPE,
                                    .instance = "gw1",
                                    .fabric = "halle-2",
                                    .time_us = 2000000,
                                    .started_us = 1000000};
    sent_count = 0;
    while (w.at && w.at[0] != '\0') {
        char *room = malloc(size_max + OTLP_METRICS_LINE_MAX + 1);
        json_error_t err;
        struct text t = text_in(room, size_max + OTLP_METRICS_LINE_MAX + 1);
        assert_true(sent_count < COUNT(sent));
        otlp_metrics_write(&w, &t, size_max);
        assert_false(t.cut);
        json_t *all = json_loads(room, JSON_REJECT_DUPLICATES, &err);
        assert_non_null(all);
        json_t *of = json_array_get(json_object_get(all, "resourceMetrics"), 0);
        of = json_array_get(json_object_get(of, "scopeMetrics"), 0);
        sent[sent_count++] = json_incref(json_object_get(of, "metrics"));
        json_decref(all);
        free(room);
    }
}

static void forget_all(void)
{
    for (size_t i = 0; i < sent_count; i++)
        json_decref(sent[i]);
}

// The count, the sum, and each bucket as "COUNT<=LIMIT".
static void describe_buckets(const json_t *point, struct text *t)
{
    const json_t *const counts = json_object_get(point, "bucketCounts");
    const json_t *const limits = json_object_get(point, "explicitBounds");
    assert_int_equal(json_array_size(counts), json_array_size(limits) + 1);
    text_addf(t, " %s/%g:", json_string_value(json_object_get(point, "count")),
              json_number_value(json_object_get(point, "sum")));
    for (size_t i = 0; i < json_array_size(counts); i++)
        text_addf(t, "%s<=%g ", json_string_value(json_array_get(counts, i)),
                  json_number_value(json_array_get(limits, i)));
}

// A metric as text: "NAME UNIT KIND VALUE{KEY=VALUE,}...".
static void describe(const json_t *metric, struct text *t)
{
    const json_t *sum = json_object_get(metric, "sum");
    const json_t *const histogram = json_object_get(metric, "histogram");
    const json_t *data = sum ? sum : histogram ? histogram : json_object_get(metric, "gauge");
    const char *kind = histogram                                           ? "histogram"
                       : !sum                                              ? "gauge"
                       : json_is_true(json_object_get(sum, "isMonotonic")) ? "counter"
                                                                           : "sum";
    const json_t *point, *attribute;
    size_t i, j;
    text_addf(t, "%s %s %s", json_string_value(json_object_get(metric, "name")),
              json_string_value(json_object_get(metric, "unit")), kind);
    json_array_foreach(json_object_get(data, "dataPoints"), i, point)
    {
        if (histogram)
            describe_buckets(point, t);
        else
            text_addf(t, " %g", json_number_value(json_object_get(point, "asDouble")));
        text_add(t, "{");
        assert_string_equal(json_string_value(json_object_get(point, "timeUnixNano")),
                            "2000000000");
        json_array_foreach(json_object_get(point, "attributes"), j, attribute)
        {
            const json_t *value = json_object_get(attribute, "value");
            text_addf(t, "%s=%s,", json_string_value(json_object_get(attribute, "key")),
                      json_string_value(json_object_get(value, "stringValue")));
        }
        text_add(t, "}");
    }
    text_add(t, "\n");
}

TEST(metrics_have_the_names_of_the_conventions)
{
    char said[2048];
    struct text t = text_in(said, sizeof said);
    send_all(64 << 10);
    assert_int_equal(sent_count, 1);
    for (size_t i = 0; i < json_array_size(sent[0]); i++)
        describe(json_array_get(sent[0], i), &t);
    assert_string_equal(
        said, "ibtrapd_sweep_nodes  gauge 8{}\n"
              "process.cpu.time s counter 1.25e-05{}\n"
              "ibtrapd_journal_commit_seconds  histogram 9/1.5:7<=0.1 0<=0.25 2<=0 {}\n"
              "ibtrapd_report_to_wire_seconds  histogram 2/4:0<=1 2<=0 {receiver=nms,} "
              "1/2:1<=0 {receiver=b,}\n"
              "hw.network.io By counter 17{network.io.direction=receive,node=a \"b\\c\n,guid=0x01,"
              "port=3,hw.id=0x01/3,hw.type=network,}\n"
              "hw.errors {error} counter "
              "1{error.type=symbol_errors,guid=0x01,port=3,hw.id=0x01/3,hw.type=network,} "
              "2{error.type=link_downed,guid=0x01,port=3,hw.id=0x01/3,hw.type=network,}\n");
    forget_all();
}

TEST(requests_have_a_bounded_size)
{
    size_t metrics = 0;
    send_all(1); // a line each
    for (size_t i = 0; i < sent_count; i++)
        metrics += json_array_size(sent[i]);
    assert_int_equal(metrics, 8);
    forget_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_have_the_names_of_the_conventions),
        cmocka_unit_test(requests_have_a_bounded_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
