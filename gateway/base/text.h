// SPDX-License-Identifier: BSD-2-Clause
// Builds text in a buffer of fixed size and never writes beyond it.
//
// Decides: Which characters does a text from outside lose?
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEXT_LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define TEXT_NAME_CHARACTERS    TEXT_LETTERS_AND_DIGITS "._-" // of names that are easy to write

struct text {
    char *buf; // always NUL-terminated
    size_t size, len;
    bool cut; // the text was truncated; never within a UTF-8 character
};

// `buf` stays the caller's; `size` is at least 1.
struct text text_in(char *buf, size_t size);

// The same, behind the text that is in the buffer.
struct text text_behind(char *buf, size_t size);

// Removes the text added since `before` was copied from it.
void text_go_back(struct text *t, const struct text *before);

// Adds the part of `s` that fits, and marks the text as truncated.
void text_cut(struct text *t, const char *s);

// Inline, since lines consist of many small pieces.
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
void text_addv(struct text *t, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

// Adds how long something takes or is ago, in one unit: "90 s", "21 min", "5 h", "3 days".
void text_add_duration(struct text *t, int64_t seconds);

// Fills an array of char with the sentence of a function with `fmt` and `...`.
#define TEXT_FILL(array, fmt)                                                                      \
    do {                                                                                           \
        va_list text_args;                                                                         \
        va_start(text_args, fmt);                                                                  \
        vsnprintf(array, sizeof(array), fmt, text_args);                                           \
        va_end(text_args);                                                                         \
    } while (0)

void text_add_number(struct text *t, uint64_t number); // decimal

// Lower-case hexadecimal, two digits for each octet; never a single digit.
void text_add_hex(struct text *t, const uint8_t *octets, size_t n);

// Lower-case hexadecimal, padded with zeros to `digits` digits, 16 at most.
void text_add_hex_number(struct text *t, uint64_t number, unsigned digits);

// Makes any octets safe to print and to send: replaces invalid UTF-8 by U+FFFD, and control
// characters (C0, DEL, C1), line separators, characters that change the direction of writing, and
// U+FFFE and U+FFFF, which XML cannot have, by '?'. Reads at most `n` octets and stops at a NUL.
// `out` is NUL-terminated and never ends within a character.
void text_clean(const char *in, size_t n, char *out, size_t out_size);

// Whether a pattern of the shell, as in fnmatch(3), fits the text. Before the first star, the
// pattern may have lists of numbers as Slurm writes them: "gpu[01-18,20]".
bool text_fits(const char *s, const char *pattern);

// Whether a NUL-terminated text is valid UTF-8 (RFC 3629).
bool text_is_utf8(const char *s);

// Whether the text is an IPv4 or an IPv6 address, without brackets and zone.
bool text_is_ip_address(const char *s);

// Replaces each octet that is none of TEXT_NAME_CHARACTERS by `other`, which is one of them.
void text_make_name(char *s, char other);

// Copies a NUL-terminated UTF-8 text, replacing every character that is not printable ASCII by '?'.
// Truncates a text that does not fit.
void text_ascii(const char *in, char *out, size_t out_size);

// Finds the name that somebody meant who wrote another name.

struct nearest {
    const char *wanted, *name; // what was written; the nearest name so far, NULL: none is near
    unsigned distance;         // letters between the two
};

// Begins a search. `wanted` outlives it.
struct nearest nearest_begin(const char *wanted);

// Takes `name` for the nearest one if it is so, and no more than two letters of `wanted` are too
// many, missing, wrong or exchanged with their neighbour. It outlives the search.
void nearest_try(struct nearest *nearest, const char *name);
