// SPDX-License-Identifier: BSD-2-Clause
// Writes JSON piece by piece (RFC 8259): no object is built in memory. A piece that does not fit
// marks the text as truncated (base/text.h); the caller then goes back.
#pragma once

#include "base/text.h"

// Adds a string in quotes. text_clean cleans a string that is not UTF-8, up to JSON_TEXT_CLEAN_MAX
// octets.
enum { JSON_TEXT_CLEAN_MAX = 8192 };
void json_text_add(struct text *t, const char *value);

// Adds "name": and, except for the first member of an object, a comma before the name. The names
// are the program's own: printable ASCII without quotes and backslashes.
void json_text_name(struct text *t, const char *name);

// Adds the member "name":"value", likewise.
void json_text_member(struct text *t, const char *name, const char *value);

// Returns the digits of a number of 64 bits (decimal, without zeros before it), or those of
// 2^63 - 1 if it is larger, since readers of JSON would refuse the whole text.
const char *json_text_int64(const char *digits);

// Adds a time as a string of nanoseconds since 1970, with `ns` (0 to 999) behind its microseconds.
// A time before 1970 becomes 0, one beyond 63 bits 2^63 - 1.
void json_text_time_ns(struct text *t, int64_t utc_us, unsigned ns);
