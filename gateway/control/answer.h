// SPDX-License-Identifier: BSD-2-Clause
// Reads the items of requests, and writes answers.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct evbuffer; // of libevent

// Returns the answer of a command with nothing to report, a new reference.
json_t *answer_done(void);

// Returns a refusal with a sentence, a new reference.
json_t *answer_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Reads a number from 0 to `max`; a missing one is 0. False when the item is anything else.
bool answer_read_number(const json_t *request, const char *item, int64_t max, int64_t *out);

// Reads a text; a missing one is empty. False when the item is anything else, or does not fit.
bool answer_read_text(const json_t *request, const char *item, char *out, size_t size);

// Adds the answer as a line to `out`.
void answer_write(const json_t *answer, struct evbuffer *out);
