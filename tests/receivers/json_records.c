// SPDX-License-Identifier: BSD-2-Clause
// Writes events in the JSON formats, and the alarms that they raise: for each row of the catalogue
// a test event, an event with hardly anything, and events with everything.
//
//   json_records json|cloudevents|ecs|alarm       # a line each
#include "full_event.h"
#include "support_clock.h"

#include "control/handlers.h"
#include "event/test_event.h"
#include "model/alarm.h"
#include "model/counter.h"
#include "model/link_reason.h"
#include "sink/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void records_format(struct text *t, const struct format_origin *origin,
                            const struct event *event);

static void write_event(records_format *format, const struct event *event, size_t room)
{
    static char buffer[FORMAT_SIZE];
    static struct format_process process;
    struct format_origin origin;
    struct text line = text_in(buffer, room);
    format_origin_own(&origin, &process);
    format(&line, &origin, event);
    puts(buffer);
}

static void write_alarm(const struct event *event)
{
    struct alarm alarm = alarm_of_event(event, 1);
    alarm_note_raise(&alarm, event, 1);
    alarm.count = 1;
    if (event->test) {
        alarm.acknowledged_us = alarm.shelved_until_us = event->time_us;
        snprintf(alarm.acknowledged_by, sizeof alarm.acknowledged_by, "alice (uid 1000)");
        snprintf(alarm.shelved_by, sizeof alarm.shelved_by, "bob (uid 1001)");
        alarm.notified = ALARM_NOTIFIED;
    }
    json_t *object = event->test ? alarm_answers_document(&alarm, event, "Halle-2", "gw1")
                                 : alarm_answers_json(&alarm, event->subject.system, "Halle-2");
    if (json_dumpf(object, stdout, JSON_COMPACT) != 0)
        abort();
    putchar('\n');
    json_decref(object);
}

// Everything, within the bounds of a Notice.
static struct event *make_full_event(int type, const char *piece)
{
    struct event *event = full_event_make(type, piece);
    event->notice.key = 0xF;
    event->notice.producer = event->notice.qp1 = event->notice.qp2 = 0xFFFFFF;
    event->repeat_count = 3;
    event->sent_again = true;
    event->parts = event->parts_changed = 2;
    event->counter = COUNTER_SYMBOL_ERROR;
    event->blame = LINK_END_OTHER;
    event->local_reason = event->remote_reason = 2;
    struct endpoint *const who[] = {&event->subject, &event->issuer, &event->source,
                                    &event->destination, &event->peer};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++)
        snprintf(who[i]->system, sizeof who[i]->system, "rack %zu", i);
    return event;
}

static void write_record(records_format *format, struct event *event)
{
    if (format) {
        write_event(format, event, FORMAT_SIZE);
        write_event(format, event, FORMAT_SIZE_MIN);
    } else if (event_alarm(event) == ALARM_RAISES) {
        write_alarm(event);
    }
    event_unref(event);
}

static struct event *make_test_event(int type)
{
    static const struct event_builder BUILDER = {.clock = &SUPPORT_STOPPED,
                                                 .random = &SUPPORT_SAME,
                                                 .fabric = "Halle-2",
                                                 .subnet_prefix = UINT64_C(0xfe80000000000000)};
    struct test_event test = {.type = (enum catalogue_event)type};
    test_event_make_up(&test);
    return test_event_make(&BUILDER, &test);
}

int main(int argc, char *argv[])
{
    static const struct {
        const char *word;
        records_format *format; // NULL: alarms
    } KINDS[] = {{"json", format_json},
                 {"cloudevents", format_cloudevents},
                 {"ecs", format_ecs},
                 {"alarm", NULL}};
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        if (argc != 2 || strcmp(KINDS[k].word, argv[1]) != 0)
            continue;
        for (int type = 0; type < CATALOGUE_COUNT; type++) {
            write_record(KINDS[k].format, make_test_event(type));
            write_record(KINDS[k].format, full_event_begin(type));
            write_record(KINDS[k].format, make_full_event(type, "x"));
            write_record(KINDS[k].format, make_full_event(type, "\""));
        }
        return 0;
    }
    return 2;
}
