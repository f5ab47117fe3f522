// What tests with cmocka share: octets from digits, files, a log; with it come the clock and the
// scratch directories.
#ifndef IBTRAPD_TESTS_SUPPORT_H
#define IBTRAPD_TESTS_SUPPORT_H

// In this order, as cmocka.h asks for it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "require.h"
#include "scratch.h"
#include "support_clock.h"

#include "base/error.h"
#include "base/log.h"
#include "model/notice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) static void name(void **state __attribute__((unused)))
#define COUNT(a)   (sizeof(a) / sizeof *(a))

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
