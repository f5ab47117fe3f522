// SPDX-License-Identifier: BSD-2-Clause
// Helpers for tests with cmocka: octets from digits, files, a log. Includes the clock and the
// scratch directories.
#pragma once

// cmocka.h requires these headers first, in this order.
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

// Converts hexadecimal digits to octets and skips blanks. Fails the test unless there are `size`
// octets.
void support_hex(uint8_t *out, size_t size, const char *digits);

// Makes a file with that content and mode in a scratch directory, which is removed at exit. The
// path is valid until then.
const char *support_file(const char *name, const char *content, mode_t mode);
const char *support_path(const char *name);

// Limits each file of this program to `octets`; SUPPORT_NO_LIMIT: no limit. With a limit below
// WAL_BYTES, a journal does not preallocate its WAL, which would be the slowest step in tests with
// thousands of short-lived journals.
#define SUPPORT_NO_LIMIT UINT64_MAX
void support_limit_files(uint64_t octets);

// Opens a log that discards everything, debug messages included; or a log that writes to `stream`,
// without debug messages.
struct log *support_log(FILE *stream);
