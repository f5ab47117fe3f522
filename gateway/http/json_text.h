// SPDX-License-Identifier: BSD-2-Clause
// Writes JSON piece by piece (RFC 8259), for bodies of many events: no object is built in memory.
// What does not fit marks the text as truncated (base/text.h); the caller then goes back.
#ifndef IBTRAPD_HTTP_JSON_TEXT_H
#define IBTRAPD_HTTP_JSON_TEXT_H

#include "base/text.h"

// Adds a string in quotes. Octets that are not UTF-8 become U+FFFD, as text_clean has it.
void json_text_add(struct text *t, const char *value);

// Adds "name": and, unless it is the first member of its object, a comma before it.
void json_text_name(struct text *t, const char *name);

// Adds the member "name":"value", likewise.
void json_text_member(struct text *t, const char *name, const char *value);

// Adds a time as a string of nanoseconds since 1970, with `ns` (0 to 999) behind its microseconds.
// A time before 1970 becomes 0, one beyond 63 bits 2^63 - 1.
void json_text_time_ns(struct text *t, int64_t utc_us, unsigned ns);

#endif
