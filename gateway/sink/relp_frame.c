// SPDX-License-Identifier: BSD-2-Clause
#include "sink/relp_frame.h"

#include <string.h>

enum { DIGITS_MAX = 9 };

void relp_frame_add(struct text *out, uint32_t transaction, const char *command, const char *data,
                    size_t size)
{
    text_add_number(out, transaction);
    text_add(out, " ");
    text_add(out, command);
    text_add(out, " ");
    text_add_number(out, size);
    if (size > 0)
        text_add(out, " ");
    text_add_n(out, data, size);
    text_add(out, "\n");
}

// The octets not parsed yet.
struct rest {
    const char *p, *end;
    bool wrong;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Reads a word of characters for which `belongs` is true, and leaves the character after it. False:
// the frame is incomplete, or wrong.
static bool relp_frame_read_word(struct rest *r, bool (*belongs)(char), size_t max,
                                 const char **word, size_t *size)
{
    const char *p = r->p;
    while (p < r->end && belongs(*p))
        p++;
    *word = r->p;
    *size = (size_t)(p - r->p);
    r->wrong = *size > max || (p < r->end && *size == 0);
    r->p = p;
    return !r->wrong && p < r->end;
}

static bool relp_frame_read_number(struct rest *r, uint32_t *out)
{
    const char *digits;
    size_t n;
    if (!relp_frame_read_word(r, is_digit, DIGITS_MAX, &digits, &n))
        return false;
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out = *out * 10 + (uint32_t)(digits[i] - '0');
    return true;
}

static bool read_command(struct rest *r, char out[RELP_FRAME_COMMAND_MAX + 1])
{
    const char *word;
    size_t n;
    if (!relp_frame_read_word(r, is_letter, RELP_FRAME_COMMAND_MAX, &word, &n))
        return false;
    memcpy(out, word, n);
    out[n] = '\0';
    return true;
}

static bool relp_frame_read(struct rest *r, char c)
{
    if (r->p == r->end)
        return false;
    r->wrong = *r->p != c;
    r->p += !r->wrong;
    return !r->wrong;
}

static bool read_data(struct rest *r, uint32_t size, struct relp_frame *out)
{
    out->data = r->p;
    out->size = size;
    if (size == 0)
        return true;
    if (!relp_frame_read(r, ' ') || (size_t)(r->end - r->p) < size)
        return false;
    out->data = r->p;
    r->p += size;
    return true;
}

long relp_frame_parse(const char *octets, size_t size, struct relp_frame *out)
{
    struct rest r = {.p = octets, .end = octets + size};
    uint32_t data_size;
    bool whole = relp_frame_read_number(&r, &out->transaction) && relp_frame_read(&r, ' ') &&
                 read_command(&r, out->command) && relp_frame_read(&r, ' ') &&
                 relp_frame_read_number(&r, &data_size) && read_data(&r, data_size, out) &&
                 relp_frame_read(&r, '\n');
    if (whole)
        return r.p - octets;
    return r.wrong ? -1 : 0;
}

bool relp_frame_answer(const struct relp_frame *frame, struct relp_answer *out)
{
    const char *p = frame->data, *end = p + frame->size;
    if (strcmp(frame->command, "rsp") != 0 || frame->size < 3 || !is_digit(p[0]) ||
        !is_digit(p[1]) || !is_digit(p[2]))
        return false;
    const char *newline = memchr(p, '\n', frame->size);
    const char *line_end = newline ? newline : end;
    *out = (struct relp_answer){
        .code = (unsigned)((p[0] - '0') * 100 + (p[1] - '0') * 10 + p[2] - '0')};
    p += 3;
    if (p < line_end && *p++ != ' ')
        return false;
    out->message = p;
    out->message_size = (size_t)(line_end - p);
    out->more = newline ? newline + 1 : end;
    out->more_size = (size_t)(end - out->more);
    return true;
}
