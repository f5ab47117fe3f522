// SPDX-License-Identifier: BSD-2-Clause
#include "base/text.h"

#include "base/wire.h"

#include <arpa/inet.h>
#include <endian.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>

struct text text_in(char *buf, size_t size)
{
    buf[0] = '\0';
    return (struct text){.buf = buf, .size = size};
}

struct text text_behind(char *buf, size_t size)
{
    return (struct text){.buf = buf, .size = size, .len = strlen(buf)};
}

void text_go_back(struct text *t, const struct text *before)
{
    *t = *before;
    t->buf[t->len] = '\0';
}

void text_cut(struct text *t, const char *s)
{
    if (t->cut)
        return;
    size_t n = t->size - 1 - t->len;
    while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80)
        n--;
    memcpy(t->buf + t->len, s, n);
    t->len += n;
    t->buf[t->len] = '\0';
    t->cut = true;
}

// How many octets at the end belong to an incomplete UTF-8 character.
static size_t text_incomplete_end(const char *s, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char c = (unsigned char)s[n - back];
        size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
        if ((c & 0xC0) != 0x80)
            return length > back ? back : 0;
    }
    return 0;
}

void text_addf(struct text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_addv(t, fmt, args);
    va_end(args);
}

void text_add_duration(struct text *t, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        const char *name;
    } UNITS[] = {{86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t i = 0;
    while (UNITS[i].seconds > 1 && seconds < 2 * UNITS[i].seconds)
        i++;
    text_addf(t, "%" PRId64 " %s", seconds / UNITS[i].seconds, UNITS[i].name);
}

void text_addv(struct text *t, const char *fmt, va_list args)
{
    if (t->cut)
        return;
    char *start = t->buf + t->len;
    size_t room = t->size - 1 - t->len;
    int n = vsnprintf(start, room + 1, fmt, args);
    size_t added = n > 0 ? (size_t)n : 0;
    if (added > room) {
        t->cut = true;
        added = room - text_incomplete_end(start, room);
    }
    t->len += added;
    t->buf[t->len] = '\0';
}

void text_add_number(struct text *t, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    text_add_n(t, digits + first, sizeof digits - first);
}

// Writes the eight digits of a number, all at once: each in an octet of a word.
static void text_write_hex(char out[8], uint32_t number)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t w = number;
    w = (w | w << 16) & UINT64_C(0x0000ffff0000ffff);
    w = (w | w << 8) & UINT64_C(0x00ff00ff00ff00ff);
    w = (w | w << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    const uint64_t letters = (w + ones * 6) >> 4 & ones; // 1 where the digit is 10 or more
    w += ones * '0' + letters * ('a' - '9' - 1);
    w = htobe64(w);
    memcpy(out, &w, sizeof w);
}

void text_add_hex(struct text *t, const uint8_t *octets, size_t n)
{
    size_t room = t->cut ? 0 : (t->size - 1 - t->len) / 2;
    size_t fitting = n < room ? n : room;
    char *p = t->buf + t->len;
    size_t i = 0;
    for (; fitting - i >= 4; i += 4)
        text_write_hex(p + 2 * i, wire_get32(octets + i));
    for (; i < fitting; i++) {
        char digits[8];
        text_write_hex(digits, octets[i]);
        memcpy(p + 2 * i, digits + 6, 2);
    }
    p[2 * fitting] = '\0';
    t->len += 2 * fitting;
    t->cut |= n > room;
}

void text_add_hex_number(struct text *t, uint64_t number, unsigned digits)
{
    char all[16];
    text_write_hex(all, (uint32_t)(number >> 32));
    text_write_hex(all + 8, (uint32_t)number);
    size_t first = sizeof all - digits;
    while (first > 0 && number >> 4 * (sizeof all - first) != 0)
        first--;
    text_add_n(t, all + first, sizeof all - first);
}

// The length of the valid UTF-8 character at `s` (RFC 3629), or 0.
static size_t text_utf8_length(const unsigned char *s, size_t n)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t length;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        length = 2;
    else if ((s[0] & 0xF0) == 0xE0)
        length = 3;
    else if (s[0] >= 0xF0 && s[0] <= 0xF4)
        length = 4;
    else
        return 0;
    if (s[0] == 0xE0)
        low = 0xA0; // no overlong forms
    if (s[0] == 0xED)
        high = 0x9F; // no surrogates
    if (s[0] == 0xF0)
        low = 0x90;
    if (s[0] == 0xF4)
        high = 0x8F; // nothing beyond U+10FFFF
    if (length > n || s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    }
    return length;
}

static bool text_is_special(char c)
{
    return c == '*' || c == '?' || c == '[' || c == '\\';
}

// The end of a list of numbers such as "[01-18,20]", behind its bracket. NULL: a set of characters,
// as "[0-9]" or "[12]".
static const char *text_list_end(const char *list)
{
    const size_t length = strspn(list + 1, "0123456789,-");
    bool several = false, sign = false;
    for (size_t i = 1; i <= length; i++) {
        several |= list[i] >= '0' && list[i + 1] >= '0' && list[i + 1] <= '9';
        sign |= list[i] == '-' || list[i] == ',';
    }
    return list[length + 1] == ']' && several && sign ? list + length + 2 : NULL;
}

// Whether a number of `digits` digits is in one of the ranges of a list. A range that begins with a
// zero has numbers of its own length alone.
static bool text_list_has(const char *list, unsigned long number, size_t digits, bool padded)
{
    while (*list != ']') {
        char *end;
        const size_t width = strspn(++list, "0123456789");
        const unsigned long low = strtoul(list, &end, 10);
        const unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
        const bool of_width = *list == '0' && width > 1 ? digits == width : !padded;
        if (width > 0 && of_width && number >= low && number <= high)
            return true;
        list = end > list ? end : list;
    }
    return false;
}

// Compares up to the first special character: most patterns are words, and fnmatch(3) is slow.
bool text_fits(const char *s, const char *pattern)
{
    for (;;) {
        while (*pattern && *pattern == *s && !text_is_special(*pattern)) {
            pattern++;
            s++;
        }
        const char *behind = *pattern == '[' ? text_list_end(pattern) : NULL;
        if (!behind)
            return text_is_special(*pattern) ? fnmatch(pattern, s, 0) == 0 : *pattern == *s;
        const size_t digits = strspn(s, "0123456789");
        if (digits == 0 || digits >= 10 ||
            !text_list_has(pattern, strtoul(s, NULL, 10), digits, *s == '0' && digits > 1))
            return false;
        pattern = behind;
        s += digits;
    }
}

bool text_is_utf8(const char *s)
{
    size_t n = strlen(s), length = 1;
    for (size_t i = 0; i < n && length > 0; i += length)
        length = text_utf8_length((const unsigned char *)s + i, n - i);
    return length > 0;
}

bool text_is_ip_address(const char *s)
{
    uint8_t address[16];
    return inet_pton(AF_INET, s, address) == 1 || inet_pton(AF_INET6, s, address) == 1;
}

void text_make_name(char *s, char other)
{
    while (*(s += strspn(s, TEXT_NAME_CHARACTERS)) != '\0')
        *s = other;
}

// Whether the character is a control character, a line separator, a character for the direction of
// writing, or a character that no XML document may have (XML 1.0, 2.2).
static bool text_is_dangerous(const unsigned char *s, size_t length)
{
    // NOLINTBEGIN(misc-misleading-bidirectional): the characters to find
    static const char FORMATS[][4] = {
        "\xD8\x9C",     "\xE2\x80\x8E", "\xE2\x80\x8F", // marks of direction
        "\xE2\x80\xA8", "\xE2\x80\xA9",                 // separators of lines and paragraphs
        "\xE2\x80\xAA", "\xE2\x80\xAB", "\xE2\x80\xAC", "\xE2\x80\xAD",
        "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA7", "\xE2\x81\xA8",
        "\xE2\x81\xA9", "\xEF\xBF\xBE", "\xEF\xBF\xBF"}; // U+FFFE, U+FFFF
    // NOLINTEND(misc-misleading-bidirectional)
    if (length == 1)
        return s[0] < 0x20 || s[0] == 0x7F;
    bool dangerous = s[0] == 0xC2 && s[1] < 0xA0;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        dangerous |= strlen(FORMATS[i]) == length && memcmp(FORMATS[i], s, length) == 0;
    return dangerous;
}

// How many octets at the beginning are printable ASCII, which needs no further check.
static size_t text_plain_length(const unsigned char *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i] >= 0x20 && s[i] < 0x7F)
        i++;
    return i;
}

void text_clean(const char *in, size_t n, char *out, size_t out_size)
{
    const unsigned char *s = (const unsigned char *)in;
    struct text t = text_in(out, out_size);
    for (size_t i = 0;;) {
        size_t plain = text_plain_length(s + i, n - i);
        text_add_n(&t, in + i, plain);
        i += plain;
        if (i == n || s[i] == '\0')
            break;
        size_t length = text_utf8_length(s + i, n - i);
        if (length == 0)
            text_add(&t, "\xEF\xBF\xBD");
        else if (text_is_dangerous(s + i, length))
            text_add(&t, "?");
        else
            text_add_n(&t, in + i, length);
        i += length ? length : 1;
    }
}

void text_ascii(const char *in, char *out, size_t out_size)
{
    size_t used = 0;
    for (; *in && used + 1 < out_size; in++) {
        uint8_t octet = (uint8_t)*in;
        bool goes_on = (octet & 0xC0) == 0x80; // a further octet of a character
        if (!goes_on)
            out[used++] = octet >= 0x20 && octet < 0x7F ? *in : '?';
    }
    out[used] = '\0';
}

// The nearest name.

enum { NAME_MAX_LENGTH = 32, DISTANCE_MAX = 2 };

static unsigned text_least(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

// Counts the letters to insert, remove, replace or exchange with their neighbour that make one name
// of the other: the distance of optimal string alignment.
static unsigned text_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    unsigned rows[3][NAME_MAX_LENGTH + 1]; // for the last three letters of `a`
    if (m > NAME_MAX_LENGTH || n > NAME_MAX_LENGTH)
        return NAME_MAX_LENGTH;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            row[j] =
                text_least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
}

struct nearest nearest_begin(const char *wanted)
{
    return (struct nearest){.wanted = wanted, .distance = DISTANCE_MAX + 1};
}

void nearest_try(struct nearest *nearest, const char *name)
{
    unsigned distance = text_distance(nearest->wanted, name);
    if (distance < nearest->distance && distance < strlen(name)) {
        nearest->distance = distance;
        nearest->name = name;
    }
}
