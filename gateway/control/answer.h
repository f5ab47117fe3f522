// What the answers on the control socket share: reading requests, and values in JSON.
#ifndef IBTRAPD_CONTROL_ANSWER_H
#define IBTRAPD_CONTROL_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

json_t *answer_done(void);
json_t *answer_refuse(const char *fmt, ...)
    __attribute__((format(printf, 1, 2))); // with a sentence

// A number from 0 to `max`, or 0 when it is missing; false when it is anything else.
bool answer_read_number(const json_t *request, const char *item, int64_t max, int64_t *out);

// A text, or an empty one when it is missing; false when it is anything else, or does not fit.
bool answer_read_text(const json_t *request, const char *item, char *out, size_t size);

// New references.
json_t *answer_text(const char *s);  // whatever it holds
json_t *answer_guid(uint64_t guid);  // "0x0002c90300001234"
json_t *answer_time(int64_t utc_us); // RFC 3339; null for 0

#endif
