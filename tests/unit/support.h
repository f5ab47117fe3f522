// What the unit tests share: cmocka, a clock and a source of chance that the test controls, and
// golden notices.
#ifndef IBTRAPD_TESTS_SUPPORT_H
#define IBTRAPD_TESTS_SUPPORT_H

// In this order, as cmocka.h asks for it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "model/notice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) static void name(void **state __attribute__((unused)))
#define COUNT(a)   (sizeof(a) / sizeof *(a))

// 2026-11-21T03:19:03.123456Z
#define SUPPORT_UTC_US INT64_C(1795231143123456)

// Stands still until the test moves it.
struct support_time {
    int64_t utc, monotonic;
};
struct clock support_clock(struct support_time *time);

// Octets 0x01, 0x02, 0x03 and so on, beginning anew after 0xFF.
struct support_chance {
    uint8_t next;
};
struct random support_random(struct support_chance *chance);

// Always the same octet: 0x00 gives the least that chance can add, 0xFF about the most.
struct random support_constant(uint8_t *octet);

// Octets from hexadecimal digits; blanks are skipped. Fails the test when there are not `size`.
void support_hex(uint8_t *out, size_t size, const char *digits);

// A file of that content and mode in a directory of the test's own, removed at exit. The path stays
// valid until then.
const char *support_file(const char *name, const char *content, mode_t mode);
const char *support_path(const char *name);

// No file of this program grows beyond so many octets; SUPPORT_NO_LIMIT: as far as may be. Below
// WAL_BYTES, a journal's WAL gets no room from the start, which takes longer than all else in
// thousands of short lives.
#define SUPPORT_NO_LIMIT UINT64_MAX
void support_limit_files(uint64_t octets);

// A log that goes nowhere, with debug messages, or to `stream`, without.
struct log *support_log(FILE *stream);

#endif
