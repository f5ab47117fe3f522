// Text put together in a buffer of fixed size; nothing is ever written beyond it.
#ifndef IBTRAPD_BASE_TEXT_H
#define IBTRAPD_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
    char *buf; // always NUL-terminated
    size_t size, len;
    bool cut; // something did not fit; a cut never splits a UTF-8 character
};

// `buf` stays the caller's; `size` is at least 1.
struct text text_in(char *buf, size_t size);

// Forgets what was added since `before` was a copy of it.
void text_go_back(struct text *t, const struct text *before);

// Adds what fits of a longer one.
void text_cut(struct text *t, const char *s);

// Here, because lines are made of many small pieces.
static inline void text_add_n(struct text *t, const char *s, size_t n)
{
    if (t->cut || n >= t->size - t->len) {
        text_cut(t, s);
        return;
    }
    memcpy(t->buf + t->len, s, n);
    t->len += n;
    t->buf[t->len] = '\0';
}

static inline void text_add(struct text *t, const char *s)
{
    text_add_n(t, s, strlen(s));
}

void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void text_add_number(struct text *t, uint64_t number); // decimal

// Lower-case hexadecimal, two digits an octet; never one of them.
void text_add_hex(struct text *t, const uint8_t *octets, size_t n);

// Lower-case hexadecimal, with zeros in front of it to so many digits, 16 at most.
void text_add_hex_number(struct text *t, uint64_t number, unsigned digits);

// Makes any octets safe to show and to send on: invalid UTF-8 becomes U+FFFD, and control
// characters (C0, DEL, C1), separators of lines, and those that turn the direction of writing
// become
// '?'. Stops at a NUL. At most `n` octets are read; `out` is
// always NUL-terminated and never ends within a character.
void text_clean(const char *in, size_t n, char *out, size_t out_size);

// Whether a NUL-terminated text is valid UTF-8 (RFC 3629).
bool text_is_utf8(const char *s);

// A NUL-terminated UTF-8 text in printable ASCII: every other character becomes '?'. What does not
// fit is cut.
void text_ascii(const char *in, char *out, size_t out_size);

#endif
