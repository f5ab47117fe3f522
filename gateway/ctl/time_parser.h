// SPDX-License-Identifier: BSD-2-Clause
// Reads a time as people write it.
#ifndef IBTRAPD_CTL_TIME_PARSER_H
#define IBTRAPD_CTL_TIME_PARSER_H

#include <stdbool.h>
#include <stdint.h>

// "90s", "10m", "2h", "3d": so long before `now_us`. Otherwise RFC 3339, as clock_parse_utc
// reads it. UTC, microseconds since 1970. False: neither.
bool time_parse(const char *text, int64_t now_us, int64_t *out);

#endif
