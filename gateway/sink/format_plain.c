// SPDX-License-Identifier: BSD-2-Clause
// The formats that consist of key=value pairs: RFC 3164, CEF, LEEF.
#include "sink/format_lines.h"

#include "base/clock.h"
#include "install.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "sink/format_fields.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PAIR_SIZE = FORMAT_VALUE_SIZE * 2 + 64 };

static void add_escaped(struct text *t, const char *value, const char *special)
{
    for (const char *p = value; *p; p++) {
        if (strchr(special, *p))
            text_add_n(t, "\\", 1);
        text_add_n(t, p, 1);
    }
}

// Adds the pair as a whole or not at all.
static void add_whole(struct text *t, const struct text *pair)
{
    if (!pair->cut && t->len + pair->len < t->size)
        text_add_n(t, pair->buf, pair->len);
}

// RFC 3164.

static void add_first_label(struct text *t, const char *hostname)
{
    text_add_n(t, hostname, strcspn(hostname, "."));
}

void format_rfc3164_header(struct text *t, const struct format_origin *origin,
                           const struct event *event)
{
    static const char MONTHS[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t when = (time_t)(event->time_us / CLOCK_US_PER_S);
    struct tm tm = {0};
    localtime_r(&when, &tm); // RFC 3164 4.1.2: local time
    text_addf(t, "<%u>%s %2d %02d:%02d:%02d ", format_priority(origin, event), MONTHS[tm.tm_mon],
              tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (!origin->local) {
        add_first_label(t, origin->hostname);
        text_add(t, " ");
    }
}

// Adds a pair; quotes an empty value and one with a blank, '"', '=' or '\'.
static void format_plain_add_word(void *ctx, const char *name, const char *value,
                                  enum field_kind kind)
{
    (void)kind;
    char buffer[PAIR_SIZE];
    struct text pair = text_in(buffer, sizeof buffer);
    bool quoted = *value == '\0' || strpbrk(value, " \"=\\") != NULL;
    text_addf(&pair, quoted ? " %s=\"" : " %s=", name);
    add_escaped(&pair, value, quoted ? "\"\\" : "");
    text_add(&pair, quoted ? "\"" : "");
    add_whole(ctx, &pair);
}

// Repeats the time as a value, since local loggers replace the header's time with the time of
// arrival.
void format_rfc3164_content(struct text *t, const struct event *event)
{
    char when[CLOCK_TEXT_SIZE];
    text_add(t, event->text);
    clock_format_utc(event->time_us, when);
    format_plain_add_word(t, field_name(FIELD_TIME), when, FIELD_IS_TEXT);
    format_fields(event, format_plain_add_word, t);
}

void format_rfc3164(struct text *t, const struct format_origin *origin, const struct event *event)
{
    format_rfc3164_header(t, origin, event);
    text_addf(t, "ibtrapd[%s]: ", origin->process_id);
    format_rfc3164_content(t, event);
}

// The severity for both SIEMs, whose scales go from 0 (CEF) or 1 (LEEF) to 10, the worst.
static int siem_severity(enum severity severity)
{
    static const int WEIGHTS[FORMAT_SEVERITIES] = {10, 9, 8, 7, 5, 3, 2, 1};
    return WEIGHTS[severity];
}

static int64_t milliseconds(const struct event *event)
{
    return event->time_us / CLOCK_US_PER_MS;
}

// CEF. Uses its standard keys where their meaning is that of a field. The keys of other fields are
// the product's name and the field's name, as CEF requires.

static void add_cef(struct text *t, const char *name, const char *value)
{
    char buffer[PAIR_SIZE];
    struct text pair = text_in(buffer, sizeof buffer);
    text_addf(&pair, " %s=", name);
    add_escaped(&pair, value, "\\=");
    add_whole(t, &pair);
}

static void add_cef_field(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    (void)kind;
    char key[48];
    snprintf(key, sizeof key, "ibtrapd%c%s", toupper((unsigned char)name[0]), name + 1);
    add_cef(ctx, key, value);
}

void format_cef(struct text *t, const struct format_origin *origin, const struct event *event)
{
    text_add(t, "CEF:0|ibtrapd|ibtrapd|" INSTALL_VERSION "|");
    add_escaped(t, event->type->name, "\\|");
    text_add(t, "|");
    add_escaped(t, event->type->title, "\\|");
    text_addf(t, "|%d|rt=%" PRId64, siem_severity(format_severity(origin, event)),
              milliseconds(event));
    add_cef(t, "externalId", event->id);
    add_cef(t, "cat", category_word(event->category));
    add_cef(t, "dvchost", origin->hostname);
    add_cef(t, "dvcpid", origin->process_id);
    add_cef(t, "msg", event->text);
    if (event->reason[0])
        add_cef(t, "reason", event->reason);
    format_fields(event, add_cef_field, t);
}

// LEEF has no escapes, so the delimiter is a character that no value contains: the tab.

static void add_leef(struct text *t, const char *name, const char *value)
{
    char buffer[PAIR_SIZE];
    struct text pair = text_in(buffer, sizeof buffer);
    text_addf(&pair, "\t%s=", name);
    text_add(&pair, value);
    add_whole(t, &pair);
}

static void add_leef_field(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    (void)kind;
    add_leef(ctx, name, value);
}

void format_leef(struct text *t, const struct format_origin *origin, const struct event *event)
{
    text_add(t, "LEEF:2.0|ibtrapd|ibtrapd|" INSTALL_VERSION "|");
    text_addf(t, "%s|x09|devTime=%" PRId64, event->type->name, milliseconds(event));
    text_addf(t, "\tsev=%d", siem_severity(format_severity(origin, event)));
    add_leef(t, "cat", category_word(event->category));
    add_leef(t, "identHostName", origin->hostname);
    add_leef(t, "msg", event->text);
    format_fields(event, add_leef_field, t);
}
