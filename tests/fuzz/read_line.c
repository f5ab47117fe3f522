// SPDX-License-Identifier: BSD-2-Clause
#include "read_line.h"

#include "fuzz.h"

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

static const char DIGITS[] = "0123456789";
static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

const char *read_line_find(const struct read_line *line, const char *element, const char *name)
{
    for (size_t i = 0; i < line->count; i++) {
        if (strcmp(line->pairs[i].element, element) == 0 && strcmp(line->pairs[i].name, name) == 0)
            return line->pairs[i].value;
    }
    return NULL;
}

static void copy(char *out, size_t size, const char *from, size_t n)
{
    REQUIRE(n < size);
    memcpy(out, from, n);
    out[n] = '\0';
}

static struct read_pair *add_pair(struct read_line *out, const char *element, const char *name,
                                  size_t name_size)
{
    REQUIRE(out->count < READ_LINE_PAIRS);
    struct read_pair *pair = &out->pairs[out->count];
    copy(pair->element, sizeof pair->element, element, strlen(element));
    copy(pair->name, sizeof pair->name, name, name_size);
    pair->value[0] = '\0';
    REQUIRE(name_size > 0 && !read_line_find(out, element, pair->name));
    out->count++;
    return pair;
}

// Copies up to an unescaped `end` (NUL: the end of the line) and returns its place. A backslash is
// valid only before a character of `escaped`.
static const char *unescape(const char *p, char end, const char *escaped, char *out, size_t size)
{
    size_t n = 0;
    for (; *p != end; p++) {
        REQUIRE(*p != '\0');
        if (*p == '\\' && escaped[0] != '\0')
            REQUIRE(*++p != '\0' && strchr(escaped, *p));
        REQUIRE(n + 1 < size);
        out[n++] = *p;
    }
    out[n] = '\0';
    return p;
}

static const char *expect(const char *p, const char *literal)
{
    REQUIRE(strncmp(p, literal, strlen(literal)) == 0);
    return p + strlen(literal);
}

static const char *read_number(const char *p, unsigned most_digits, unsigned min, unsigned max,
                               unsigned *out)
{
    size_t n = strspn(p, DIGITS);
    REQUIRE(n >= 1 && n <= most_digits);
    *out = (unsigned)strtoul(p, NULL, 10);
    REQUIRE(*out >= min && *out <= max);
    return p + n;
}

// RFC 5424.

static const char *read_fixed(const char *p, size_t digits, unsigned min, unsigned max)
{
    unsigned number;
    REQUIRE(strspn(p, DIGITS) == digits);
    return read_number(p, (unsigned)digits, min, max, &number);
}

static const char *read_timestamp(const char *p)
{
    p = expect(read_fixed(p, 4, 0, 9999), "-");
    p = expect(read_fixed(p, 2, 1, 12), "-");
    p = expect(read_fixed(p, 2, 1, 31), "T");
    p = expect(read_fixed(p, 2, 0, 23), ":");
    p = expect(read_fixed(p, 2, 0, 59), ":");
    p = read_fixed(p, 2, 0, 59);
    if (*p == '.')
        p = read_fixed(p + 1, 6, 0, 999999);
    return expect(p, "Z ");
}

// Reads at most `most` characters of printable US-ASCII, and the blank after them.
static const char *read_word(const char *p, size_t most, char *out)
{
    size_t n = 0;
    while (p[n] > ' ' && p[n] < 0x7F)
        n++;
    REQUIRE(n >= 1 && n <= most && p[n] == ' ');
    if (out)
        copy(out, most + 1, p, n);
    return p + n + 1;
}

static const char *read_sd_name(const char *p, size_t *n)
{
    *n = 0;
    while (p[*n] > ' ' && p[*n] < 0x7F && !strchr("=]\"", p[*n]))
        ++*n;
    REQUIRE(*n >= 1 && *n <= 32);
    return p + *n;
}

static const char *read_element(const char *p, struct read_line *out)
{
    char id[33];
    size_t n;
    const char *name = expect(p, "[");
    p = read_sd_name(name, &n);
    copy(id, sizeof id, name, n);
    while (*p == ' ') {
        name = p + 1;
        p = expect(read_sd_name(name, &n), "=\"");
        struct read_pair *pair = add_pair(out, id, name, n);
        for (const char *q = p; *q != '"'; q++) {
            REQUIRE(*q != ']' && *q != '\0'); // these must be escaped in a value
            q += *q == '\\';
        }
        p = unescape(p, '"', "\"\\]", pair->value, sizeof pair->value) + 1;
    }
    return expect(p, "]");
}

void read_rfc5424(const char *line, struct read_line *out)
{
    out->count = 0;
    const char *p = read_number(expect(line, "<"), 3, 0, 191, &out->priority);
    p = read_timestamp(expect(p, ">1 "));
    p = read_word(p, 255, NULL);
    p = read_word(p, 48, NULL);
    p = read_word(p, 128, NULL);
    p = read_word(p, 32, out->msgid);
    if (*p == '[') {
        while (*p == '[')
            p = read_element(p, out);
    } else {
        p = expect(p, "-");
    }
    out->message = expect(p, " ");
}

// RFC 3164.

void read_rfc3164(const char *line, bool has_host, bool has_tag, struct read_line *out)
{
    static const char MONTHS[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    out->count = 0;
    const char *p = expect(read_number(expect(line, "<"), 3, 0, 191, &out->priority), ">");
    bool is_month = false;
    for (size_t i = 0; i < 12; i++)
        is_month = is_month || memcmp(p, MONTHS + 3 * i, 3) == 0;
    REQUIRE(is_month);
    p = expect(p + 3, " ");
    p = *p == ' ' ? read_fixed(p + 1, 1, 1, 9) : read_fixed(p, 2, 10, 31);
    p = expect(read_fixed(expect(p, " "), 2, 0, 23), ":");
    p = expect(read_fixed(p, 2, 0, 59), ":");
    p = expect(read_fixed(p, 2, 0, 59), " ");
    if (has_host)
        p = read_word(p, 255, NULL);
    if (has_tag) {
        p = expect(p, "ibtrapd[");
        p = expect(p + strspn(p, DIGITS), "]: ");
    }
    out->message = p;
}

void read_words(const char *p, struct read_line *out)
{
    while (*p) {
        const char *name = expect(p, " ");
        size_t n = strspn(name, LETTERS);
        p = expect(name + n, "=");
        struct read_pair *pair = add_pair(out, "", name, n);
        if (*p == '"') {
            p = unescape(p + 1, '"', "\"\\", pair->value, sizeof pair->value) + 1;
        } else {
            n = strcspn(p, " ");
            copy(pair->value, sizeof pair->value, p, n);
            REQUIRE(!strpbrk(pair->value, "\"=\\"));
            p += n;
        }
    }
}

// CEF: in the header '\' and '|' are escaped, in values '\' and '='.

static const char *read_cef_header(const char *p, char *out, size_t size)
{
    return unescape(p, '|', "\\|", out, size) + 1;
}

// The end of the pair: before the blank before the next name, or at the end of the line.
static size_t cef_value_size(const char *value)
{
    size_t blank = strlen(value);
    for (size_t i = 0, last = strlen(value); value[i]; i++) {
        if (value[i] == '\\')
            i++;
        else if (value[i] == ' ')
            last = i;
        else if (value[i] == '=') {
            blank = last;
            break;
        }
    }
    return blank;
}

void read_cef(const char *line, struct read_line *out)
{
    char text[256];
    out->count = 0;
    const char *p = expect(line, "CEF:0|");
    for (int i = 0; i < 3; i++) // vendor, product, version
        p = read_cef_header(p, text, sizeof text);
    p = read_cef_header(p, out->event, sizeof out->event);
    p = read_cef_header(p, text, sizeof text);
    p = read_cef_header(p, out->severity, sizeof out->severity);
    while (*p) {
        char value[READ_LINE_VALUE_SIZE];
        size_t name = strspn(p, LETTERS);
        struct read_pair *pair = add_pair(out, "", p, name);
        p = expect(p + name, "=");
        size_t n = cef_value_size(p);
        copy(value, sizeof value, p, n);
        unescape(value, '\0', "\\=", pair->value, sizeof pair->value);
        p += n + (p[n] == ' ');
    }
}

// LEEF 2.0 with a tab as the delimiter: nothing is escaped.

void read_leef(const char *line, struct read_line *out)
{
    char text[256];
    out->count = 0;
    const char *p = expect(line, "LEEF:2.0|");
    for (int i = 0; i < 3; i++) // vendor, product, version
        p = unescape(p, '|', "", text, sizeof text) + 1;
    p = unescape(p, '|', "", out->event, sizeof out->event) + 1;
    p = expect(p, "x09|");
    while (*p) {
        size_t name = strspn(p, LETTERS);
        struct read_pair *pair = add_pair(out, "", p, name);
        p = expect(p + name, "=");
        size_t n = strcspn(p, "\t");
        copy(pair->value, sizeof pair->value, p, n);
        p += n;
        p += *p == '\t';
        REQUIRE(p[-1] != '\t' || *p != '\0');
    }
    const char *severity = read_line_find(out, "", "sev");
    REQUIRE(severity);
    copy(out->severity, sizeof out->severity, severity, strlen(severity));
}

// JSON, with jansson.

static void take_object(struct read_line *out, const char *element, json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (json_is_object(value)) {
            char inner[READ_LINE_NAME_SIZE];
            snprintf(inner, sizeof inner, "%s%s%s", element, element[0] ? "." : "", name);
            take_object(out, inner, value);
            continue;
        }
        if (json_is_array(value))
            continue;
        struct read_pair *pair = add_pair(out, element, name, strlen(name));
        if (json_is_string(value))
            copy(pair->value, sizeof pair->value, json_string_value(value),
                 json_string_length(value));
        else if (json_is_integer(value))
            snprintf(pair->value, sizeof pair->value, "%lld", (long long)json_integer_value(value));
        else
            snprintf(pair->value, sizeof pair->value, json_is_true(value) ? "true" : "false");
        REQUIRE(!json_is_null(value) && !json_is_real(value));
    }
}

void read_json(const char *line, struct read_line *out)
{
    out->count = 0;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    REQUIRE(object && json_is_object(object));
    take_object(out, "", object);
    json_decref(object);
}
