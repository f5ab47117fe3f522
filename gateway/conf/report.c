// SPDX-License-Identifier: BSD-2-Clause
#include "conf/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool report_is_full(const struct report *report)
{
    return report->mistakes.count == CONF_MISTAKES_MAX;
}

__attribute__((format(printf, 3, 0))) static void
report_add_args(struct report *report, unsigned line, const char *fmt, va_list args)
{
    struct conf_mistakes *m = &report->mistakes;
    char sentence[480];
    if (report_is_full(report))
        return;
    vsnprintf(sentence, sizeof sentence, fmt, args);
    size_t place = m->count++;
    for (; place > 0 && report->lines[place - 1] > line; place--) {
        m->sentences[place] = m->sentences[place - 1];
        report->lines[place] = report->lines[place - 1];
    }
    report->lines[place] = line;
    error_set(&m->sentences[place], "%s:%u: %s", report->path, line, sentence);
}

void report_add(struct report *report, unsigned line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    report_add_args(report, line, fmt, args);
    va_end(args);
}

void report_tell(const struct conf_mistakes *mistakes, struct error *err)
{
    size_t others = mistakes->count - 1;
    *err = mistakes->sentences[0];
    size_t used = strlen(err->text);
    if (others > 0)
        snprintf(err->text + used, sizeof err->text - used, " (and %zu more mistake%s)", others,
                 others == 1 ? "" : "s");
}
