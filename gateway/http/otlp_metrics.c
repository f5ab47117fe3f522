// SPDX-License-Identifier: BSD-2-Clause
#include "http/otlp_metrics.h"

#include "base/clock.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "install.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_MS = 500, STEP_MS = 50, NAME_SIZE = 128, ANSWER_MAX = 4096 };

// The semantic conventions have names for these metrics. All other metrics keep their names.
struct otlp_metrics_row {
    const char *prometheus, *name, *unit;
    bool is_sum;             // of both signs, if Prometheus has a gauge
    const char *key, *value; // a further attribute; NULL: none
};

#define PORT_ERRORS(what)                                                                          \
    {                                                                                              \
        "ibtrapd_port_" what "_total", "hw.errors", "{error}", true, "error.type", what            \
    }
#define DIRECTION "network.io.direction"

static const struct otlp_metrics_row ROWS[] = {
    {"ibtrapd_port_link_up", "hw.network.up", "1", true, NULL, NULL},
    {"ibtrapd_port_rate_bytes_per_second", "hw.network.bandwidth.limit", "By/s", true, NULL, NULL},
    {"ibtrapd_port_receive_bytes_total", "hw.network.io", "By", true, DIRECTION, "receive"},
    {"ibtrapd_port_transmit_bytes_total", "hw.network.io", "By", true, DIRECTION, "transmit"},
    {"ibtrapd_port_receive_packets_total", "hw.network.packets", "{packet}", true, DIRECTION,
     "receive"},
    {"ibtrapd_port_transmit_packets_total", "hw.network.packets", "{packet}", true, DIRECTION,
     "transmit"},
    PORT_ERRORS("symbol_errors"),
    PORT_ERRORS("link_error_recoveries"),
    PORT_ERRORS("link_downed"),
    PORT_ERRORS("receive_errors"),
    PORT_ERRORS("receive_remote_physical_errors"),
    PORT_ERRORS("receive_switch_relay_errors"),
    PORT_ERRORS("transmit_discards"),
    PORT_ERRORS("transmit_constraint_errors"),
    PORT_ERRORS("receive_constraint_errors"),
    PORT_ERRORS("local_link_integrity_errors"),
    PORT_ERRORS("excessive_buffer_overrun_errors"),
    PORT_ERRORS("vl15_dropped"),
    PORT_ERRORS("fec_uncorrectable_blocks"),
    {"process_cpu_seconds_total", "process.cpu.time", "s", true, NULL, NULL},
    {"process_resident_memory_bytes", "process.memory.usage", "By", true, NULL, NULL},
    {"process_virtual_memory_bytes", "process.memory.virtual", "By", true, NULL, NULL},
    {"process_open_fds", "process.unix.file_descriptor.count", "{file_descriptor}", true, NULL,
     NULL},
    {"ibtrapd_uptime_seconds", "process.uptime", "s", false, NULL, NULL},
};

static const struct otlp_metrics_row *otlp_metrics_find(const char *name)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (strcmp(ROWS[i].prometheus, name) == 0)
            return &ROWS[i];
    }
    return NULL;
}

// Writing.

static void otlp_metrics_add_attribute(struct text *t, const char *key, const char *value)
{
    text_add(t, t->buf[t->len - 1] == '[' ? "{" : ",{");
    json_text_member(t, "key", key);
    json_text_name(t, "value");
    text_add(t, "{");
    json_text_member(t, "stringValue", value);
    text_add(t, "}}");
}

static void otlp_metrics_begin(struct text *t, const struct otlp_metrics_writer *w)
{
    text_add(t, "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[");
    otlp_metrics_add_attribute(t, "service.name", "ibtrapd");
    otlp_metrics_add_attribute(t, "service.version", INSTALL_VERSION);
    otlp_metrics_add_attribute(t, "service.instance.id", w->instance);
    otlp_metrics_add_attribute(t, "ibtrapd.fabric", w->fabric);
    text_add(t, "]},\"scopeMetrics\":[{\"scope\":{");
    json_text_member(t, "name", "ibtrapd");
    json_text_member(t, "version", INSTALL_VERSION);
    text_add(t, "},\"metrics\":[");
}

static void otlp_metrics_close(struct otlp_metrics_writer *w, struct text *t)
{
    if (w->open)
        text_add(t, "]}}");
    w->open = NULL;
}

// Opens the metric, unless it is open.
static void otlp_metrics_open(struct otlp_metrics_writer *w, struct text *t, const char *name,
                              const struct otlp_metrics_row *row)
{
    const bool counter = strcmp(w->type, "counter") == 0;
    const char *const wanted = row ? row->name : name;
    if (w->open && strcmp(w->open, row ? row->name : "") == 0)
        return;
    otlp_metrics_close(w, t);
    text_add(t, t->buf[t->len - 1] == '[' ? "{" : ",{");
    json_text_member(t, "name", wanted);
    json_text_member(t, "unit", row ? row->unit : "");
    const bool sum = counter || (row && row->is_sum);
    const bool histogram = strcmp(w->type, "histogram") == 0;
    json_text_name(t, histogram ? "histogram" : sum ? "sum" : "gauge");
    text_add(t, "{");
    if (sum || histogram)
        text_add(t, "\"aggregationTemporality\":2,");
    if (sum)
        text_addf(t, "\"isMonotonic\":%s,", counter ? "true" : "false");
    text_add(t, "\"dataPoints\":[");
    w->open = row ? row->name : "";
}

// Reads the value of a label up to its quotation mark; returns what follows the mark. NULL: there
// is no such mark.
static const char *otlp_metrics_read_label(const char *at, struct text *out)
{
    for (; *at != '"'; at++) {
        if (*at == '\0' || *at == '\n')
            return NULL;
        if (*at == '\\' && at[1] != '\0')
            at++;
        text_add_n(out, *at == 'n' && at[-1] == '\\' ? "\n" : at, 1);
    }
    return at + 1;
}

// Adds the attributes of "{name="value",...}"; returns what follows. NULL: it is malformed.
static const char *otlp_metrics_add_labels(struct text *t, const char *at)
{
    char name[NAME_SIZE], value[1024], guid[32] = "", id[64];
    while (at && *at != '}') {
        at += *at == '{' || *at == ',';
        const size_t length = strcspn(at, "=\n");
        struct text n = text_in(name, sizeof name), v = text_in(value, sizeof value);
        text_add_n(&n, at, length);
        at = strncmp(at + length, "=\"", 2) == 0 ? otlp_metrics_read_label(at + length + 2, &v)
                                                 : NULL;
        if (!at)
            return NULL;
        otlp_metrics_add_attribute(t, name, value);
        if (strcmp(name, "guid") == 0)
            snprintf(guid, sizeof guid, "%.31s", value);
        if (strcmp(name, "port") == 0 && guid[0] != '\0') {
            snprintf(id, sizeof id, "%s/%.20s", guid, value);
            otlp_metrics_add_attribute(t, "hw.id", id);
            otlp_metrics_add_attribute(t, "hw.type", "network");
        }
    }
    return at ? at + 1 : NULL;
}

// Histograms.

// Whether the name of the line's sample is that of the family and the suffix.
static bool otlp_metrics_ends(const char *line, size_t name_length, const char *suffix)
{
    const size_t length = strlen(suffix);
    return name_length > length && strncmp(line + name_length - length, suffix, length) == 0;
}

// Keeps what a line says of a histogram. True: the line is the last one, with the count.
static bool otlp_metrics_gather(struct otlp_metrics_writer *w, const char *line, size_t name_length)
{
    const size_t length = strcspn(line, "\n");
    const char *const space = memrchr(line, ' ', length);
    const char *const limit = memmem(line, length, "le=\"", 4);
    if (!space)
        return false;
    if (otlp_metrics_ends(line, name_length, "_bucket") && limit &&
        w->buckets.count < OTLP_METRICS_BUCKETS_MAX) {
        w->buckets.limits[w->buckets.count] = strtod(limit + 4, NULL);
        w->buckets.through[w->buckets.count++] = strtoull(space + 1, NULL, 10);
    }
    if (otlp_metrics_ends(line, name_length, "_sum"))
        w->buckets.sum = strtod(space + 1, NULL);
    return otlp_metrics_ends(line, name_length, "_count") && w->buckets.count > 0;
}

// The last bucket has no limit, and each count at OpenTelemetry is of its bucket alone.
static void otlp_metrics_add_histogram(struct otlp_metrics_writer *w, struct text *t)
{
    const size_t last = w->buckets.count - 1;
    text_addf(t, ",\"count\":\"%" PRIu64 "\",\"sum\":%.17g,\"explicitBounds\":[",
              w->buckets.through[last], w->buckets.sum);
    for (size_t i = 0; i < last; i++)
        text_addf(t, i ? ",%.17g" : "%.17g", w->buckets.limits[i]);
    text_add(t, "],\"bucketCounts\":[");
    for (size_t i = 0; i <= last; i++)
        text_addf(t, i ? ",\"%" PRIu64 "\"" : "\"%" PRIu64 "\"",
                  w->buckets.through[i] - (i ? w->buckets.through[i - 1] : 0));
    text_add(t, "]}");
    w->buckets.count = 0;
}

// Adds a sample. False: the line is none, or not finite, or of a histogram with further lines.
static bool otlp_metrics_add_sample(struct otlp_metrics_writer *w, struct text *t, const char *line)
{
    char name[NAME_SIZE], number[40];
    struct text n = text_in(name, sizeof name), v = text_in(number, sizeof number);
    const size_t length = strcspn(line, "{ \n");
    const bool histogram = strcmp(w->type, "histogram") == 0;
    if (length == 0 || (histogram && !otlp_metrics_gather(w, line, length)))
        return false;
    text_add_n(&n, line, length - (histogram ? strlen("_count") : 0));
    if (n.cut)
        return false;
    const struct otlp_metrics_row *row = otlp_metrics_find(name);
    otlp_metrics_open(w, t, name, row);
    text_add(t, t->buf[t->len - 1] == '[' ? "{\"attributes\":[" : ",{\"attributes\":[");
    if (row && row->key)
        otlp_metrics_add_attribute(t, row->key, row->value);
    const char *at =
        line[length] == '{' ? otlp_metrics_add_labels(t, line + length) : line + length;
    if (!at || *at != ' ')
        return false;
    text_add_n(&v, at + 1, strcspn(at + 1, "\n"));
    if (v.len == 0 || strspn(number, "0123456789.e+-") != v.len)
        return false;
    text_add(t, "],\"startTimeUnixNano\":");
    json_text_time_ns(t, w->started_us, 0);
    json_text_name(t, "timeUnixNano");
    json_text_time_ns(t, w->time_us, 0);
    if (histogram) {
        otlp_metrics_add_histogram(w, t);
        return true;
    }
    json_text_name(t, "asDouble");
    text_add(t, number);
    text_add(t, "}");
    return true;
}

static void otlp_metrics_take_line(struct otlp_metrics_writer *w, struct text *t, const char *line)
{
    const char *const open = w->open;
    const struct text before = *t;
    if (*line != '#') {
        if (otlp_metrics_add_sample(w, t, line))
            return;
        text_go_back(t, &before);
        w->open = open;
    } else if (strncmp(line, "# TYPE ", 7) == 0) {
        const char *type = line + 7 + strcspn(line + 7, " \n");
        struct text word = text_in(w->type, sizeof w->type);
        text_add_n(&word, type + (*type == ' '), strcspn(type + (*type == ' '), "\n"));
        if (w->open && w->open[0] == '\0')
            otlp_metrics_close(w, t);
        w->buckets.count = 0;
    }
}

void otlp_metrics_write(struct otlp_metrics_writer *writer, struct text *out, size_t size_max)
{
    otlp_metrics_begin(out, writer);
    do {
        const char *end = strchr(writer->at, '\n');
        if (end)
            otlp_metrics_take_line(writer, out, writer->at);
        writer->at = end ? end + 1 : NULL;
    } while (writer->at && out->len < size_max);
    otlp_metrics_close(writer, out);
    text_add(out, "]}]}]}");
}

// The sink.

struct otlp_metrics {
    const struct conf_http *options;
    const struct module_alarms *alarms;
    struct transfer_options to;
    struct transfer *transfer;
    struct otlp_metrics_writer writer;
    char *scrape; // that is being posted; NULL: none
    char *body;
    int64_t next_at;       // monotonic: of the next scrape
    bool asked;            // for a scrape
    bool posts;            // a request is under way
    unsigned posts_failed; // since the last call of `keep`
    bool failed;           // the last post; `problem` says why
    struct error problem;
};

// Posts the next part of the scrape. False: there is none.
static bool otlp_metrics_post(struct otlp_metrics *s)
{
    const size_t room = s->options->batch_size + 2 * (size_t)OTLP_METRICS_LINE_MAX;
    struct text body = text_in(s->body, room);
    if (!s->writer.at || s->writer.at[0] == '\0')
        return false;
    otlp_metrics_write(&s->writer, &body, s->options->batch_size);
    const struct transfer_request request = {.content_type = "application/json",
                                             .body = body.buf,
                                             .size = body.len,
                                             .gzip = s->options->gzip,
                                             .timeout_ms = (int)s->options->timeout * 1000};
    s->posts = transfer_begin(s->transfer, &request, &s->problem);
    s->failed = !s->posts;
    s->posts_failed += s->failed;
    return s->posts;
}

// Goes on with a request. After a failure, the rest of the scrape is left out.
static void otlp_metrics_go_on(struct otlp_metrics *s)
{
    struct transfer_answer answer;
    const int ended = transfer_go_on(s->transfer, STEP_MS, &answer, &s->problem);
    s->posts = ended == 0;
    if (ended == 0)
        return;
    s->failed = ended < 0 || answer.status < 200 || answer.status >= 300;
    if (ended > 0 && s->failed)
        error_set(&s->problem, "%s: it answers the metrics with status %d",
                  transfer_peer(s->transfer), answer.status);
    s->posts_failed += s->failed;
    if (s->failed)
        s->writer.at = NULL;
}

static void otlp_metrics_begin_scrape(struct otlp_metrics *s, char *scrape)
{
    free(s->scrape);
    s->scrape = scrape;
    s->asked = false;
    s->writer = (struct otlp_metrics_writer){.at = scrape,
                                             .instance = s->alarms->gateway,
                                             .fabric = s->alarms->fabric_name,
                                             .time_us = clock_utc(&clock_system),
                                             .started_us = s->alarms->started_us};
}

// Does the next thing that is due. False: nothing is.
static bool otlp_metrics_step(struct otlp_metrics *s)
{
    if (s->posts) {
        otlp_metrics_go_on(s);
        return true;
    }
    if (otlp_metrics_post(s))
        return true;
    char *scrape = s->asked ? s->alarms->take_metrics(s->alarms->ctx) : NULL;
    if (scrape)
        otlp_metrics_begin_scrape(s, scrape);
    else if (!s->asked && clock_now() >= s->next_at) {
        s->next_at = clock_now() + s->options->interval_s * CLOCK_US_PER_S;
        s->asked = true;
        s->alarms->ask_metrics(s->alarms->ctx);
    }
    return scrape != NULL;
}

static bool otlp_metrics_keep(void *self, struct sink_progress *progress, struct error *err)
{
    struct otlp_metrics *s = self;
    const int64_t until = clock_now() + KEEP_MS * CLOCK_US_PER_MS;
    do {
        progress->is_busy = otlp_metrics_step(s);
    } while (progress->is_busy && clock_now() < until);
    progress->failed = s->posts_failed;
    s->posts_failed = 0;
    return !s->failed || error_set(err, "%s", s->problem.text);
}

static bool otlp_metrics_open_sink(void *self, struct tickets *tickets, struct error *err)
{
    struct otlp_metrics *s = self;
    (void)tickets;
    s->transfer = transfer_open(&s->to, err);
    return s->transfer != NULL;
}

static void otlp_metrics_close_sink(void *self)
{
    struct otlp_metrics *s = self;
    transfer_close(s->transfer);
    s->transfer = NULL;
    s->posts = false;
    s->writer.at = NULL;
}

static void otlp_metrics_free(void *self)
{
    struct otlp_metrics *s = self;
    free(s->scrape);
    free(s->body);
    free(s);
}

void otlp_metrics_make(struct sink *out, const struct conf_receiver *receiver,
                       const struct module_host *host)
{
    struct otlp_metrics *s = memory_zeroed(1, sizeof *s);
    s->options = &receiver->http;
    s->alarms = host->alarms;
    s->to = transfer_options_of(receiver, receiver->http.url, "Bearer");
    s->to.answer_max = ANSWER_MAX;
    s->body = memory_get(s->options->batch_size + 2 * (size_t)OTLP_METRICS_LINE_MAX);
    s->next_at = clock_now();
    *out = (struct sink){.open = otlp_metrics_open_sink,
                         .keep = otlp_metrics_keep,
                         .close = otlp_metrics_close_sink,
                         .free = otlp_metrics_free,
                         .self = s,
                         .in_flight_max = HTTP_IN_FLIGHT_MAX};
}
