// SPDX-License-Identifier: BSD-2-Clause
// The formats that consist of key=value pairs: RFC 3164, CEF, LEEF.
#include "sink/format.h"

#include "base/clock.h"
#include "install.h"
#include "model/catalogue.h"
#include "model/field.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

// Takes the latest pair, which begins at `before`, out again if the pair does not fit whole.
static void format_plain_keep_whole(struct text *t, const struct text *before)
{
    if (t->cut && !before->cut)
        text_go_back(t, before);
}

// RFC 3164.

// Adds a number of one or two digits, with `blank` in place of the first one's zero.
static void format_plain_add_two(struct text *t, char before, int number, char blank)
{
    const char tens = (char)('0' + number / 10 % 10);
    const char added[] = {before, number < 10 ? blank : tens, (char)('0' + number % 10)};
    text_add_n(t, added, sizeof added);
}

void format_rfc3164_header(struct text *t, const struct format_origin *origin,
                           const struct event *event)
{
    static const char MONTHS[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t when = (time_t)(event->time_us / CLOCK_US_PER_S);
    struct tm tm = {0};
    localtime_r(&when, &tm); // RFC 3164 4.1.2: local time
    text_add(t, "<");
    text_add_number(t, format_priority(origin, event));
    text_add(t, ">");
    text_add(t, MONTHS[tm.tm_mon]);
    format_plain_add_two(t, ' ', tm.tm_mday, ' ');
    format_plain_add_two(t, ' ', tm.tm_hour, '0');
    format_plain_add_two(t, ':', tm.tm_min, '0');
    format_plain_add_two(t, ':', tm.tm_sec, '0');
    text_add(t, " ");
    if (!origin->local) {
        text_add_n(t, origin->hostname, strcspn(origin->hostname, "."));
        text_add(t, " ");
    }
}

// Adds a pair; quotes an empty value and one with a blank, '"', '=' or '\'.
static void format_plain_add_word(void *ctx, const char *name, const char *value,
                                  enum field_kind kind)
{
    struct text *t = ctx;
    const struct text before = *t;
    (void)kind;
    text_add_n(t, " ", 1);
    text_add(t, name);
    if (*value != '\0' && strpbrk(value, " \"=\\") == NULL) {
        text_add_n(t, "=", 1);
        text_add(t, value);
    } else {
        text_add_n(t, "=\"", 2);
        format_escape(t, value, "\"\\");
        text_add_n(t, "\"", 1);
    }
    format_plain_keep_whole(t, &before);
}

// Repeats the time as a value, since local loggers replace the header's time with the time of
// arrival.
static void format_plain_make_content(struct text *t, const struct format_origin *origin,
                                      const struct event *event)
{
    (void)origin;
    char when[CLOCK_TEXT_SIZE];
    text_add(t, event->text);
    clock_format_utc(event->time_us, when);
    format_plain_add_word(t, field_name(FIELD_TIME), when, FIELD_IS_TEXT);
    format_fields(event, format_plain_add_word, t);
}

void format_rfc3164_content(struct text *t, const struct event *event)
{
    format_shared_add(t, EVENT_TEXT_RFC3164, 0, format_plain_make_content, NULL, event);
}

void format_rfc3164(struct text *t, const struct format_origin *origin, const struct event *event)
{
    format_rfc3164_header(t, origin, event);
    text_add(t, "ibtrapd[");
    text_add(t, origin->process_id);
    text_add(t, "]: ");
    format_rfc3164_content(t, event);
}

// The severity for both SIEMs, whose scales go from 0 (CEF) or 1 (LEEF) to 10, the worst.
static unsigned format_siem_severity(enum severity severity)
{
    static const unsigned WEIGHTS[FORMAT_SEVERITIES] = {10, 9, 8, 7, 5, 3, 2, 1};
    return WEIGHTS[severity];
}

// Adds the time in milliseconds.
static void format_plain_add_ms(struct text *t, const struct event *event)
{
    const int64_t ms = event->time_us / CLOCK_US_PER_MS;
    text_add(t, ms < 0 ? "-" : "");
    text_add_number(t, (uint64_t)(ms < 0 ? -ms : ms));
}

// CEF. Uses its standard keys where their meaning is that of a field. The keys of other fields are
// the product's name and the field's name, as CEF requires.

static void format_add_cef_value(struct text *t, const struct text *before, const char *value)
{
    text_add_n(t, "=", 1);
    format_escape(t, value, "\\=");
    format_plain_keep_whole(t, before);
}

static void format_add_cef(struct text *t, const char *name, const char *value)
{
    const struct text before = *t;
    text_add_n(t, " ", 1);
    text_add(t, name);
    format_add_cef_value(t, &before, value);
}

static void format_add_cef_field(void *ctx, const char *name, const char *value,
                                 enum field_kind kind)
{
    struct text *t = ctx;
    const struct text before = *t;
    const char capital = (char)toupper((unsigned char)name[0]);
    (void)kind;
    text_add(t, " ibtrapd");
    text_add_n(t, &capital, 1);
    text_add(t, name + 1);
    format_add_cef_value(t, &before, value);
}

void format_cef(struct text *t, const struct format_origin *origin, const struct event *event)
{
    text_add(t, "CEF:0|ibtrapd|ibtrapd|" INSTALL_VERSION "|");
    format_escape(t, event->type->name, "\\|");
    text_add(t, "|");
    format_escape(t, event->type->title, "\\|");
    text_add(t, "|");
    text_add_number(t, format_siem_severity(format_severity(origin, event)));
    text_add(t, "|rt=");
    format_plain_add_ms(t, event);
    format_add_cef(t, "externalId", event->id);
    format_add_cef(t, "cat", category_word(event->category));
    format_add_cef(t, "dvchost", origin->hostname);
    format_add_cef(t, "dvcpid", origin->process_id);
    format_add_cef(t, "msg", event->text);
    if (event->reason[0])
        format_add_cef(t, "reason", event->reason);
    format_fields(event, format_add_cef_field, t);
}

// LEEF has no escapes, so the delimiter is a character that no value contains: the tab.

static void format_add_leef(struct text *t, const char *name, const char *value)
{
    const struct text before = *t;
    text_add_n(t, "\t", 1);
    text_add(t, name);
    text_add_n(t, "=", 1);
    text_add(t, value);
    format_plain_keep_whole(t, &before);
}

static void format_add_leef_field(void *ctx, const char *name, const char *value,
                                  enum field_kind kind)
{
    (void)kind;
    format_add_leef(ctx, name, value);
}

void format_leef(struct text *t, const struct format_origin *origin, const struct event *event)
{
    text_add(t, "LEEF:2.0|ibtrapd|ibtrapd|" INSTALL_VERSION "|");
    text_add(t, event->type->name);
    text_add(t, "|x09|devTime=");
    format_plain_add_ms(t, event);
    text_add(t, "\tsev=");
    text_add_number(t, format_siem_severity(format_severity(origin, event)));
    format_add_leef(t, "cat", category_word(event->category));
    format_add_leef(t, "identHostName", origin->hostname);
    format_add_leef(t, "msg", event->text);
    format_fields(event, format_add_leef_field, t);
}
