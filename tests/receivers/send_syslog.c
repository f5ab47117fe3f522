// SPDX-License-Identifier: BSD-2-Clause
// Opens a syslog or file receiver and sends made-up events like delivery: with a window, with
// waits, and all pending events again after a failure. No daemon, no journal.
//
//   send_syslog transport=tcp host=127.0.0.1 port=514 count=1000 ...
//
// Event number n, from 0, has n in its identifier. Prints "acked N" on standard error when the
// receiver has confirmed the first N events, and "error TEXT" for each new reason of a failure.
// SIGHUP reopens the receiver. Exits with 0 when all events are confirmed, with 1 after `deadline`
// seconds.
#include "driver.h"
#include "sender.h"
#include "sink_defaults.h"

#include "base/clock.h"
#include "base/text.h"
#include "sink/file.h"
#include "sink/syslog.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_US = 100000, WAIT_MS = 500 };

struct run {
    struct sink sink;
    struct driver driver;
    long count, next, acked; // events in all; sent; confirmed
    const char *node;        // name of the node that each event is about
    long pause_us;           // after each event
    bool is_open;
    char problem[512];
};

static volatile sig_atomic_t hangup;

static void note_hangup(int signal)
{
    (void)signal;
    hangup = 1;
}

static struct event *make(const struct run *run, long n)
{
    struct event *e = sender_event(n, run->node);
    struct text t = text_in(e->text, sizeof e->text);
    text_addf(&t, "Event %ld of ", n);
    text_add(&t, e->subject.name);
    text_add(&t, ".");
    return e;
}

// Options of words. Returns `count` if there is no such word.
static int find_word(const char *const *words, int count, const char *wanted)
{
    int i = 0;
    while (i < count && (!words[i] || strcmp(wanted, words[i]) != 0))
        i++;
    return i;
}

#define TAKE(out, name) snprintf(out, sizeof out, "%s", sender_option(args, name, ""))

static bool choose_syslog(struct sink *out, char **args, struct error *err)
{
    static struct conf_receiver o;
    o = SYSLOG_DEFAULTS;
    static const char *const TRANSPORTS[TRANSPORT_COUNT] = {
        [TRANSPORT_LOCAL] = "local",  [TRANSPORT_UDP] = "udp",   [TRANSPORT_TCP] = "tcp",
        [TRANSPORT_TLS] = "tls",      [TRANSPORT_RELP] = "relp", [TRANSPORT_RELP_TLS] = "relp-tls",
        [TRANSPORT_STDOUT] = "stdout"};
    static const char *const FORMATS[FORMAT_COUNT] = {"rfc5424", "rfc3164", "ecs",        "cef",
                                                      "leef",    "json",    "cloudevents"};
    o.transport = (enum transport)find_word(TRANSPORTS, TRANSPORT_COUNT,
                                            sender_option(args, "transport", "local"));
    o.syslog.format =
        (enum format)find_word(FORMATS, FORMAT_COUNT, sender_option(args, "format", "rfc5424"));
    snprintf(o.host, sizeof o.host, "%s", sender_option(args, "host", "127.0.0.1"));
    o.port = (uint16_t)sender_number(args, "port", 514);
    snprintf(o.syslog.path, sizeof o.syslog.path, "%s", sender_option(args, "path", "/dev/log"));
    o.syslog.lines = strcmp(sender_option(args, "framing", ""), "lines") == 0;
    o.syslog.facility = (unsigned)sender_number(args, "facility", o.syslog.facility);
    TAKE(o.tls.ca_file, "ca");
    TAKE(o.tls.certificate_file, "cert");
    TAKE(o.tls.key_file, "key");
    TAKE(o.tls.server_name, "name");
    TAKE(o.tls.crl_file, "crl");
    if (o.syslog.format == FORMAT_COUNT || o.transport == TRANSPORT_COUNT)
        return error_set(err, "no such format or transport");
    syslog_sink(out, &o, 0, NULL);
    return true;
}

static bool choose(struct sink *out, char **args, struct error *err)
{
    const char *file = sender_option(args, "file", NULL);
    bool each = strcmp(sender_option(args, "fsync", "none"), "each") == 0;
    if (!file)
        return choose_syslog(out, args, err);
    file_sink(out, "test", file, each);
    return true;
}

static void tell(struct run *run, long acked)
{
    if (acked == run->acked)
        return;
    run->acked = acked;
    fprintf(stderr, "acked %ld\n", acked);
}

static void fail(struct run *run, const struct error *err)
{
    tell(run, run->acked + driver_ended(&run->driver));
    if (strcmp(run->problem, err->text) != 0)
        fprintf(stderr, "error %s\n", err->text);
    snprintf(run->problem, sizeof run->problem, "%s", err->text);
    if (run->is_open)
        driver_close(&run->driver);
    run->is_open = false;
    run->next = run->acked;
    usleep(RETRY_US);
}

static bool send_next(struct run *run, struct error *err)
{
    struct event *event = make(run, run->next);
    enum sink_result result = driver_send(&run->driver, event, err);
    event_unref(event);
    if (result == SINK_FAILED)
        return false;
    run->next++;
    if (result == SINK_DONE)
        tell(run, run->next);
    if (run->pause_us > 0)
        usleep((useconds_t)run->pause_us);
    return true;
}

static bool has_room(const struct run *run)
{
    long pending = run->next - run->acked;
    return run->next < run->count &&
           (run->sink.in_flight_max == 0 || pending < run->sink.in_flight_max);
}

static bool step(struct run *run, struct error *err)
{
    if (!run->is_open)
        return run->is_open = driver_open(&run->driver, &run->sink, err);
    if (hangup) {
        hangup = 0;
        run->sink.reopen(run->sink.self);
    }
    bool room = has_room(run);
    if (room && !send_next(run, err))
        return false;
    if (run->next == run->acked)
        return true;
    int n = driver_wait(&run->driver, room ? 0 : WAIT_MS, err);
    if (n > 0)
        tell(run, run->acked + n);
    return n >= 0;
}

int main(int argc, char **argv)
{
    (void)argc;
    char **args = argv + 1;
    static struct run run;
    run = (struct run){.count = sender_number(args, "count", 1),
                       .node = sender_option(args, "node", "node1"),
                       .pause_us = sender_number(args, "pause", 0)};
    struct error err;
    int64_t begun = clock_monotonic(&clock_system);
    int64_t deadline = begun + sender_number(args, "deadline", 300) * CLOCK_US_PER_S;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, note_hangup);
    if (!choose(&run.sink, args, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    while (run.acked < run.count && clock_monotonic(&clock_system) < deadline) {
        if (!step(&run, &err))
            fail(&run, &err);
    }
    if (run.is_open)
        driver_close(&run.driver);
    run.sink.free(run.sink.self);
    fprintf(stderr, "took %.3f\n", (double)(clock_monotonic(&clock_system) - begun) / 1e6);
    return run.acked < run.count;
}
