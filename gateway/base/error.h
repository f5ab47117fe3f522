// SPDX-License-Identifier: BSD-2-Clause
// An error: a sentence for the admin, carried from the place of the failure to the place of its
// report.
#pragma once

#include <stdbool.h>

struct error {
    char text[512]; // one line, without a final newline; longer texts are truncated
};

// Writes the sentence. Always returns false: a failing function can `return error_set(...)`.
bool error_set(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Puts "context: " before the sentence. Always returns false.
bool error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
