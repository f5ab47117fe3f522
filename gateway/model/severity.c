// SPDX-License-Identifier: BSD-2-Clause
#include "model/severity.h"

#include <string.h>

const char *severity_word(enum severity severity)
{
    static const char *const WORDS[] = {"emergency", "alert",  "critical",      "error",
                                        "warning",   "notice", "informational", "debug"};
    return WORDS[severity];
}

bool severity_find(const char *word, enum severity *out)
{
    for (int s = SEVERITY_EMERGENCY; s <= SEVERITY_DEBUG; s++) {
        if (strcmp(severity_word((enum severity)s), word) == 0) {
            *out = (enum severity)s;
            return true;
        }
    }
    return false;
}

const char *severity_perceived(enum severity severity)
{
    // RFC 5674 section 2 maps perceived severities to syslog's; this is its inverse.
    static const char *const WORDS[] = {"critical",      "critical",     "major",
                                        "minor",         "warning",      "indeterminate",
                                        "indeterminate", "indeterminate"};
    return WORDS[severity];
}

const char *category_word(enum category category)
{
    static const char *const WORDS[] = {"fabric",   "link",      "port",  "node",
                                        "security", "multicast", "sm",    "io",
                                        "counter",  "gateway",   "vendor"};
    return WORDS[category - CATEGORY_FABRIC];
}

const char *alarm_role_word(enum alarm_role role)
{
    static const char *const WORDS[] = {"none", "raised", "cleared"};
    return WORDS[role - ALARM_NONE];
}

enum event_level severity_event_level(enum severity severity)
{
    static const enum event_level LEVELS[] = {
        [SEVERITY_EMERGENCY] = EVENT_LEVEL_CRITICAL,
        [SEVERITY_ALERT] = EVENT_LEVEL_CRITICAL,
        [SEVERITY_CRITICAL] = EVENT_LEVEL_CRITICAL,
        [SEVERITY_ERROR] = EVENT_LEVEL_ERROR,
        [SEVERITY_WARNING] = EVENT_LEVEL_WARNING,
        [SEVERITY_NOTICE] = EVENT_LEVEL_INFORMATIONAL,
        [SEVERITY_INFORMATIONAL] = EVENT_LEVEL_INFORMATIONAL,
        [SEVERITY_DEBUG] = EVENT_LEVEL_DEBUG,
    };
    return LEVELS[severity];
}

const char *event_level_word(enum event_level level)
{
    static const char *const WORDS[] = {"none",    "critical",      "error",
                                        "warning", "informational", "debug"};
    return WORDS[level];
}
