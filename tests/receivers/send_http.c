// SPDX-License-Identifier: BSD-2-Clause
// Opens a receiver of the kind `http` and sends made-up events like delivery: with a window, with
// waits, and all pending events again after a failure; an event that is refused five times is given
// up. No daemon, no journal.
//
//   send_http url=http://127.0.0.1:8080/ count=1000 format=json batch=256 ...
//
// Event number n, from 0, has n in its identifier. Prints "acked N" on standard error when the
// receiver has confirmed the first N events, "gave-up N" for an event, "error TEXT" for each new
// reason of a failure, and at the end "slowest MS", the longest call. Exits with 0 when all events
// are confirmed or given up, with 1 after `deadline` ms, or, with
// once=1, after the first failure.
#include "driver.h"
#include "sender.h"

#include "base/clock.h"
#include "conf/check.h"
#include "http/transfer.h"
#include "sink/module.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_US = 20000, WAIT_MS = 5, READ_AHEAD = 64, ATTEMPTS = 5, HEADERS = 2 };

struct run {
    struct sink sink;
    struct driver driver;
    long count, next, acked; // events in all; sent; confirmed or given up
    int refusals;            // of the event with number `acked`
    bool is_open;
    int64_t slowest_us;
    char problem[512];
};

static struct event *make(long n)
{
    char node[16];
    snprintf(node, sizeof node, "leaf%ld", n % 16);
    struct event *e = sender_event(n, node);
    snprintf(e->text, sizeof e->text, "Event %ld, \"quoted\".", n);
    return e;
}

#define TAKE(out, name) snprintf(out, sizeof out, "%s", sender_option(args, name, ""))

static void choose(struct conf_receiver *r, char **args)
{
    static const char *const FORMATS[HTTP_FORMAT_COUNT] = {
        [HTTP_JSON] = "json", [HTTP_CLOUDEVENTS] = "cloudevents", [HTTP_OTLP] = "otlp",
        [HTTP_LOKI] = "loki", [HTTP_SPLUNK] = "splunk",           [HTTP_ELASTIC] = "elasticsearch"};
    TAKE(r->http.url, "url");
    TAKE(r->http.index, "index");
    TAKE(r->tls.ca_file, "ca");
    TAKE(r->tls.crl_file, "crl");
    TAKE(r->tls.certificate_file, "cert");
    TAKE(r->tls.key_file, "key");
    TAKE(r->tls.server_name, "name");
    TAKE(r->http_access.user, "user");
    TAKE(r->http_access.password_file, "password_file");
    TAKE(r->http_access.token_file, "token_file");
    TAKE(r->http_access.header_file, "header_file");
    TAKE(r->http_access.headers[0], "header");
    sender_renew_ms = (unsigned)sender_number(args, "renew", 60000);
    r->http.batch = (unsigned)sender_number(args, "batch", 256);
    r->http.batch_size = (uint32_t)sender_number(args, "batch_size", 524288);
    r->http.timeout = (unsigned)sender_number(args, "timeout", 3);
    r->http.gzip = sender_number(args, "gzip", 0) != 0;
    r->http.ack = sender_number(args, "ack", 0) != 0;
    for (int f = 0; f < HTTP_FORMAT_COUNT; f++) {
        if (strcmp(sender_option(args, "format", "json"), FORMATS[f]) == 0)
            r->http.format = (enum http_format)f;
    }
}

static void note_time(struct run *run, int64_t begun)
{
    const int64_t took = clock_monotonic(&clock_system) - begun;
    run->slowest_us = took > run->slowest_us ? took : run->slowest_us;
}

// An event that the receiver confirmed out of order ends without being sent again.
static void tell(struct run *run, long acked)
{
    if (acked == run->acked)
        return;
    run->acked = acked;
    if (run->next < acked)
        run->next = acked;
    run->refusals = 0;
    fprintf(stderr, "acked %ld\n", acked);
}

static void fail(struct run *run, const struct error *err)
{
    tell(run, run->acked + driver_ended(&run->driver));
    const int refused = run->is_open ? driver_refused(&run->driver) : -1;
    if (strcmp(run->problem, err->text) != 0)
        fprintf(stderr, "error %s\n", err->text);
    snprintf(run->problem, sizeof run->problem, "%s", err->text);
    if (refused > 0)
        fprintf(stderr, "error not the oldest is refused: %d\n", refused);
    if (refused == 0 && ++run->refusals == ATTEMPTS) {
        fprintf(stderr, "gave-up %ld\n", run->acked);
        driver_give_up(&run->driver);
        tell(run, run->acked + 1);
    }
    if (run->is_open)
        driver_close(&run->driver);
    run->is_open = false;
    run->next = run->acked;
    usleep(RETRY_US);
}

static enum sink_result send_one(struct run *run, struct error *err)
{
    struct event *e = make(run->next);
    const int64_t begun = clock_monotonic(&clock_system);
    const enum sink_result result = driver_send(&run->driver, e, err);
    note_time(run, begun);
    event_unref(e);
    run->next += result == SINK_PENDING;
    return result;
}

// One round of delivery. False: the receiver failed.
static bool step(struct run *run, struct error *err)
{
    int64_t begun = clock_monotonic(&clock_system);
    if (!run->is_open && !(run->is_open = driver_open(&run->driver, &run->sink, err)))
        return false;
    note_time(run, begun);
    enum sink_result result = SINK_PENDING;
    for (int i = 0; i < READ_AHEAD && result == SINK_PENDING && run->next < run->count &&
                    run->next - run->acked < run->sink.in_flight_max;
         i++)
        result = send_one(run, err);
    if (result == SINK_FAILED)
        return false;
    const bool stuck = result == SINK_BLOCKED || run->next == run->count ||
                       run->next - run->acked == run->sink.in_flight_max;
    begun = clock_monotonic(&clock_system);
    const int n = driver_wait(&run->driver, stuck ? WAIT_MS : 0, err);
    note_time(run, begun);
    if (n >= 0)
        tell(run, run->acked + n);
    return n >= 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    char **args = argv + 1;
    static struct run run;
    run.count = sender_number(args, "count", 1);
    const struct module_host host = {.log = NULL};
    static struct conf_receiver receiver;
    struct error err;
    const int64_t begun = clock_monotonic(&clock_system);
    const int64_t deadline = begun + sender_number(args, "deadline", 60000) * CLOCK_US_PER_MS;
    const bool once = sender_number(args, "once", 0) != 0;
    signal(SIGPIPE, SIG_IGN);
    choose(&receiver, args);
    if (!check_url(receiver.http.url, &err)) {
        fprintf(stderr, "'url' %s\n", err.text);
        return 2;
    }
    if (!ibtrapd_module.check("http", &receiver, &err) ||
        !ibtrapd_module.make(&run.sink, "http", "test", &receiver, &host, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    while (run.acked < run.count && clock_monotonic(&clock_system) < deadline) {
        if (step(&run, &err))
            continue;
        fail(&run, &err);
        if (once)
            break;
    }
    if (run.is_open)
        driver_close(&run.driver);
    run.sink.free(run.sink.self);
    fprintf(stderr, "slowest %.3f\ntook %.3f\n", (double)run.slowest_us / 1e3,
            (double)(clock_monotonic(&clock_system) - begun) / 1e6);
    return run.acked < run.count;
}
