// SPDX-License-Identifier: BSD-2-Clause
// The mistakes in a configuration's text, gathered while it is read.
#ifndef IBTRAPD_CONF_REPORT_H
#define IBTRAPD_CONF_REPORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { CONF_MISTAKES_MAX = 20 }; // the reading ends after so many

// The mistakes in a file, in the order of its lines.
struct conf_mistakes {
    size_t count;
    struct error sentences[CONF_MISTAKES_MAX]; // FILE:LINE: SENTENCE, or without LINE
};

struct report {
    const char *path; // of the file; the caller's
    struct conf_mistakes mistakes;
    unsigned lines[CONF_MISTAKES_MAX]; // of the mistakes
};

// Inserts a mistake behind those of the same and of earlier lines. Drops it when the report is
// full.
void report_add(struct report *report, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool report_is_full(const struct report *report);

// Puts the first mistake into `err`, and how many others there are. There is one at least.
void report_tell(const struct conf_mistakes *mistakes, struct error *err);

#endif
