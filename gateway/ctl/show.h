// SPDX-License-Identifier: BSD-2-Clause
// Helpers that write the daemon's answers for people, within 100 columns. The stream keeps a write
// error; check it at the end.
#ifndef IBTRAPD_CTL_SHOW_H
#define IBTRAPD_CTL_SHOW_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Members of an object that may be missing.
const char *member_word(const json_t *object, const char *key); // empty: missing, or no text
long long member_count(const json_t *object, const char *key);  // 0: missing, or no number

// Writes an answer as JSON or by `show`. False with a sentence.
bool show_answer(FILE *out, const json_t *answer, bool json,
                 bool (*show)(FILE *out, const json_t *answer), struct error *err);
bool show_json(FILE *out, const json_t *value, struct error *err);

// Sets the sentence for an answer that lacks expected members. Returns false.
bool show_refuse_shape(struct error *err);

#endif
