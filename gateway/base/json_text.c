// SPDX-License-Identifier: BSD-2-Clause
#include "base/json_text.h"

// Adds the three strings as a whole or not at all. Inline, since the outer two are constants.
static inline void json_text_wrap(struct text *t, const char *before, const char *s, size_t n,
                                  const char *after)
{
    const size_t b = strlen(before), a = strlen(after);
    t->cut |= b + n + a >= t->size - t->len;
    if (t->cut)
        return;
    char *p = t->buf + t->len;
    memcpy(p, before, b);
    memcpy(p + b, s, n);
    memcpy(p + b + n, after, a + 1);
    t->len += b + n + a;
}

static bool json_text_is_special(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

// Whether one of eight octets is special, or not ASCII: a subtraction sets the highest bit of such
// an octet, and borrows from its neighbour only then.
static bool json_text_has_special(const char eight[8])
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    uint64_t w;
    memcpy(&w, eight, sizeof w);
    const uint64_t quote = w ^ (ones * '"'), backslash = w ^ (ones * '\\');
    return ((w | (w - ones * 0x20) | (quote - ones) | (backslash - ones)) & high) != 0;
}

// Whether the text is ASCII, and a string of JSON has each octet of the text unchanged.
static bool json_text_is_plain(const char *s, size_t n)
{
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        if (json_text_has_special(s + i))
            return false;
    }
    if (n >= 8)
        return !json_text_has_special(s + n - 8);
    while (i < n && !json_text_is_special((unsigned char)s[i]) && !((unsigned char)s[i] & 0x80))
        i++;
    return i == n;
}

static void json_text_escape(struct text *t, unsigned char c)
{
    static const char SHORT[] = "\"\\\b\f\n\r\t", LETTERS[] = "\"\\bfnrt",
                      DIGITS[] = "0123456789ABCDEF";
    const char *place = memchr(SHORT, c, sizeof SHORT - 1);
    if (place)
        json_text_wrap(t, "\\", LETTERS + (place - SHORT), 1, "");
    else
        json_text_wrap(t, c < 0x10 ? "\\u000" : "\\u001", DIGITS + c % 16, 1, "");
}

static void json_text_quote(struct text *t, const char *value)
{
    text_add_n(t, "\"", 1);
    while (*value) {
        size_t n = 0;
        while (!json_text_is_special((unsigned char)value[n]))
            n++;
        text_add_n(t, value, n);
        value += n;
        if (*value)
            json_text_escape(t, (unsigned char)*value++);
    }
    text_add_n(t, "\"", 1);
}

static void json_text_quote_clean(struct text *t, const char *value)
{
    char clean[JSON_TEXT_CLEAN_MAX + 1];
    text_clean(value, strlen(value), clean, sizeof clean);
    json_text_quote(t, clean);
}

void json_text_add(struct text *t, const char *value)
{
    const size_t n = strlen(value);
    if (json_text_is_plain(value, n))
        json_text_wrap(t, "\"", value, n, "\"");
    else if (text_is_utf8(value))
        json_text_quote(t, value);
    else
        json_text_quote_clean(t, value);
}

void json_text_name(struct text *t, const char *name)
{
    const bool first = t->len == 0 || t->buf[t->len - 1] == '{';
    if (first)
        json_text_wrap(t, "\"", name, strlen(name), "\":");
    else
        json_text_wrap(t, ",\"", name, strlen(name), "\":");
}

void json_text_member(struct text *t, const char *name, const char *value)
{
    json_text_name(t, name);
    json_text_add(t, value);
}

const char *json_text_int64(const char *digits)
{
    static const char MOST[] = "9223372036854775807"; // INT64_MAX
    const size_t n = strlen(digits);
    return n < sizeof MOST - 1 || (n == sizeof MOST - 1 && strcmp(digits, MOST) < 0) ? digits
                                                                                     : MOST;
}

void json_text_time_ns(struct text *t, int64_t utc_us, unsigned ns)
{
    const uint64_t us = utc_us > 0 ? (uint64_t)utc_us : 0;
    text_add(t, "\"");
    text_add_number(t, us < INT64_MAX / 1000 ? us * 1000 + ns : INT64_MAX);
    text_add(t, "\"");
}
