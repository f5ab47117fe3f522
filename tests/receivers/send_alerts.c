// SPDX-License-Identifier: BSD-2-Clause
// Opens one receiver of the kind `alertmanager` with one alarm that stays active, and keeps the
// receiver as delivery would, until standard input ends. No daemon, no journal.
//
//   send_alerts urls=http://127.0.0.1:9093 expire=4 renew=50 token_file=...
//
// Prints "error TEXT" on standard error for each failure.
#include "sender.h"

#include "base/clock.h"
#include "http/alertmanager.h"
#include "model/alarm.h"
#include "model/catalogue.h"
#include "sink/module.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STEP_MS = 20 };

static struct alarm alarm_ = {.key = "link 1",
                              .type = "link-down",
                              .event_sequence = 1,
                              .last_sequence = 1,
                              .severity = SEVERITY_ERROR,
                              .category = CATEGORY_LINK};

static struct module_alarms_state whole(void *ctx)
{
    (void)ctx;
    return (struct module_alarms_state){.is_whole = true};
}

static void page(void *ctx, struct alarm_page *out)
{
    (void)ctx;
    out->count = out->after < alarm_.event_sequence;
    out->more = false;
    if (out->count == 1) {
        out->all[0] = alarm_;
        out->after = alarm_.event_sequence;
    }
}

static bool may_pass(void *ctx, const struct alarm *alarm, const struct filter *filter)
{
    (void)ctx;
    (void)alarm;
    (void)filter;
    return true;
}

static struct event *event_of(void *ctx, const struct alarm *alarm, const struct filter *filter,
                              bool *refused)
{
    struct event *event = sender_event(alarm->event_sequence, "leaf1");
    (void)ctx;
    (void)filter;
    *refused = false;
    if (event)
        event->number = alarm->event_sequence;
    return event;
}

static bool input_has_ended(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char octet;
    return poll(&input, 1, STEP_MS) > 0 && read(STDIN_FILENO, &octet, 1) <= 0;
}

static const struct module_alarms ALARMS = {.state = whole,
                                            .page = page,
                                            .may_pass = may_pass,
                                            .event = event_of,
                                            .gateway = "gw1",
                                            .fabric = ""};

#define TAKE(out, name) snprintf(out, sizeof out, "%s", sender_option(args, name, ""))

int main(int argc, char **argv)
{
    static const struct module_host HOST = {.alarms = &ALARMS};
    char **args = argv + 1;
    static struct tickets tickets;
    struct sink sink = {0};
    struct error err;
    (void)argc;
    static struct conf_receiver receiver = {.alertmanager = {.source = "fabric1"}};
    TAKE(receiver.alertmanager.urls, "urls");
    TAKE(receiver.http_access.token_file, "token_file");
    TAKE(receiver.http_access.header_file, "header_file");
    receiver.alertmanager.expire_s = (unsigned)sender_number(args, "expire", 300);
    sender_renew_ms = (unsigned)sender_number(args, "renew", 60000);
    signal(SIGPIPE, SIG_IGN);
    alarm_.raised_us = clock_utc(&clock_system);
    if (!ibtrapd_module.make(&sink, "alertmanager", "test", &receiver, &HOST, &err) ||
        !sink.open(sink.self, &tickets, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    while (!input_has_ended()) {
        struct sink_progress progress = {.failed = 0};
        if (!sink.keep(sink.self, &progress, &err))
            fprintf(stderr, "error %s\n", err.text);
    }
    sink.close(sink.self);
    sink.free(sink.self);
    return 0;
}
