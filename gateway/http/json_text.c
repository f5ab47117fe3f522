// SPDX-License-Identifier: BSD-2-Clause
#include "http/json_text.h"

enum { VALUE_SIZE = 2048 + 1 }; // longer than any value of an event

// The octets that a string of JSON has as they are: all but controls, quote and backslash.
static size_t json_text_plain(const char *s)
{
    size_t n = 0;
    while ((unsigned char)s[n] >= 0x20 && s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

static void json_text_escape(struct text *t, unsigned char c)
{
    if (c == '"' || c == '\\')
        text_addf(t, "\\%c", c);
    else
        text_addf(t, "\\u%04x", c);
}

static void json_text_quote(struct text *t, const char *value)
{
    text_add(t, "\"");
    while (*value) {
        const size_t n = json_text_plain(value);
        if (n > 0)
            text_add_n(t, value, n);
        else
            json_text_escape(t, (unsigned char)*value);
        value += n > 0 ? n : 1;
    }
    text_add(t, "\"");
}

static void json_text_quote_clean(struct text *t, const char *value)
{
    char clean[VALUE_SIZE] = "";
    text_clean(value, strlen(value), clean, sizeof clean);
    json_text_quote(t, clean);
}

void json_text_add(struct text *t, const char *value)
{
    if (text_is_utf8(value))
        json_text_quote(t, value);
    else
        json_text_quote_clean(t, value);
}

void json_text_name(struct text *t, const char *name)
{
    if (t->len > 0 && t->buf[t->len - 1] != '{')
        text_add(t, ",");
    json_text_add(t, name);
    text_add(t, ":");
}

void json_text_member(struct text *t, const char *name, const char *value)
{
    json_text_name(t, name);
    json_text_add(t, value);
}

void json_text_time_ns(struct text *t, int64_t utc_us, unsigned ns)
{
    const uint64_t us = utc_us > 0 ? (uint64_t)utc_us : 0;
    text_add(t, "\"");
    text_add_number(t, us < INT64_MAX / 1000 ? us * 1000 + ns : INT64_MAX);
    text_add(t, "\"");
}
