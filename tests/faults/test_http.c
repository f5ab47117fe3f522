// SPDX-License-Identifier: BSD-2-Clause
// Each allocation of a receiver of the kind `http` fails in turn, those of libcurl and jansson
// among them: it delivers its events, or says that it did not. Nothing crashes or leaks (under
// ASan), and the next attempt, with memory, delivers.
#include "http_server.h"
#include "scarce_memory.h"
#include "support.h"

#include "http/options.h"
#include "model/catalogue.h"
#include "sink/module.h"

enum { EVENTS = 3, WAITS = 200, WAIT_MS = 50, IN_PART = 120 };

static char url[80];

// A success that every format here understands.
static void answer(const char *request, struct text *body)
{
    (void)request;
    text_add(body, "{\"text\":\"Success\",\"code\":0}");
}

static int start_server(void **state)
{
    char root[64];
    (void)state;
    const int failed = http_server_start(answer, root);
    snprintf(url, sizeof url, "%s/in", root);
    return failed;
}

static int stop_server(void **state)
{
    (void)state;
    return http_server_stop();
}

// The receiver.

static struct event *events[EVENTS];
static struct http_options options;
static const struct module_host HOST = {.log = NULL};

static bool deliver_with(struct sink *sink, struct error *err)
{
    int confirmed = 0, got = 0;
    for (size_t i = 0; i < EVENTS; i++) {
        if (sink->send(sink->self, events[i], err) != SINK_PENDING)
            return false;
    }
    for (unsigned i = 0; i < WAITS && confirmed < EVENTS && got >= 0; i++) {
        got = sink->wait(sink->self, WAIT_MS, err);
        confirmed += got > 0 ? got : 0;
    }
    return confirmed == EVENTS;
}

// Twice: what a failure leaves behind must not spoil what follows.
static bool deliver(struct error *err, bool *again)
{
    struct sink sink = {0};
    err->text[0] = '\0';
    *again = false;
    if (!ibtrapd_module.make(&sink, "http", "r", &options, &HOST, err))
        return false;
    bool ok = sink.open(sink.self, err);
    if (ok) {
        ok = deliver_with(&sink, err);
        sink.close(sink.self);
    }
    struct error later;
    scarce_memory_fail(0, false);
    if (sink.open(sink.self, &later)) {
        *again = deliver_with(&sink, &later);
        sink.close(sink.self);
    }
    sink.free(sink.self);
    return ok;
}

static void fail_each(void)
{
    struct error err;
    bool again;
    scarce_memory_fail(0, false);
    struct sink sink;
    assert_true(ibtrapd_module.make(&sink, "http", "r", &options, &HOST, &err));
    assert_true(sink.open(sink.self, &err) && deliver_with(&sink, &err));
    sink.close(sink.self);
    sink.free(sink.self);
    const unsigned n = scarce_memory_count();
    assert_true(n > 10);
    for (unsigned nth = 1; nth <= n; nth += n / IN_PART + 1) {
        for (int for_good = 0; for_good < 2; for_good++) {
            scarce_memory_fail(nth, for_good);
            const bool ok = deliver(&err, &again);
            scarce_memory_fail(0, false);
            if (!ok)
                assert_true(err.text[0] != '\0');
            if (nth > 1 && !again && strcmp(err.text, "out of memory") != 0)
                fail_msg("allocation %u of %u: %s", nth, n, err.text);
        }
    }
    print_message("    %u allocations\n", n);
}

static void use(enum http_format format, bool gzip)
{
    options = (struct http_options){
        .to = {.url = url,
               .user = "",
               .password_file = "",
               .token_file = "",
               .renew_ms = TRANSFER_RENEW_MS,
               .tls = {.ca_file = "", .crl_file = "", .cert_file = "", .key_file = "", .name = ""}},
        .format = format,
        .batch = 2,
        .batch_size = 65536,
        .timeout = 5,
        .gzip = gzip,
        .index = ""};
}

TEST(json_packed)
{
    use(HTTP_JSON, true);
    fail_each();
}

TEST(logs_of_opentelemetry)
{
    use(HTTP_OTLP, false);
    fail_each();
}

TEST(events_for_splunk)
{
    use(HTTP_SPLUNK, false);
    fail_each();
}

static void make_events(void)
{
    for (size_t i = 0; i < EVENTS; i++) {
        events[i] = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
        snprintf(events[i]->id, sizeof events[i]->id, "01990000-0000-7000-8000-%012zu", i);
        snprintf(events[i]->text, sizeof events[i]->text, "It is down, %0500d.", 0);
        events[i]->time_us = SUPPORT_UTC_US;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_packed),
        cmocka_unit_test(logs_of_opentelemetry),
        cmocka_unit_test(events_for_splunk),
    };
    if (!http_libraries_begin())
        return 1;
    make_events();
    const int failed = cmocka_run_group_tests(tests, start_server, stop_server);
    for (size_t i = 0; i < EVENTS; i++)
        event_unref(events[i]);
    http_libraries_end();
    return failed;
}
