// SPDX-License-Identifier: BSD-2-Clause
#include "model/severity.h"

#include <stddef.h>

const struct word WORDS_SEVERITY[] = {{SEVERITY_EMERGENCY, "emergency"},
                                      {SEVERITY_ALERT, "alert"},
                                      {SEVERITY_CRITICAL, "critical"},
                                      {SEVERITY_ERROR, "error"},
                                      {SEVERITY_WARNING, "warning"},
                                      {SEVERITY_NOTICE, "notice"},
                                      {SEVERITY_INFORMATIONAL, "informational"},
                                      {SEVERITY_DEBUG, "debug"},
                                      {0, NULL}};

const char *severity_word(enum severity severity)
{
    return WORDS_SEVERITY[severity].name;
}

bool severity_find(const char *word, enum severity *out)
{
    int64_t value;
    bool found = word_value(WORDS_SEVERITY, word, &value);
    if (found)
        *out = (enum severity)value;
    return found;
}

const char *severity_perceived(enum severity severity)
{
    // RFC 5674 section 2 maps perceived severities to syslog's; this is its inverse.
    static const char *const WORDS[] = {"critical",      "critical",     "major",
                                        "minor",         "warning",      "indeterminate",
                                        "indeterminate", "indeterminate"};
    return WORDS[severity];
}

const struct word WORDS_CATEGORY[] = {{CATEGORY_FABRIC, "fabric"},
                                      {CATEGORY_LINK, "link"},
                                      {CATEGORY_PORT, "port"},
                                      {CATEGORY_NODE, "node"},
                                      {CATEGORY_SECURITY, "security"},
                                      {CATEGORY_MULTICAST, "multicast"},
                                      {CATEGORY_SM, "sm"},
                                      {CATEGORY_IO, "io"},
                                      {CATEGORY_COUNTER, "counter"},
                                      {CATEGORY_GATEWAY, "gateway"},
                                      {CATEGORY_VENDOR, "vendor"},
                                      {0, NULL}};

const char *category_word(enum category category)
{
    return word_name(WORDS_CATEGORY, category);
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

const struct word WORDS_EVENT_LEVEL[] = {{EVENT_LEVEL_NONE, "none"},
                                         {EVENT_LEVEL_CRITICAL, "critical"},
                                         {EVENT_LEVEL_ERROR, "error"},
                                         {EVENT_LEVEL_WARNING, "warning"},
                                         {EVENT_LEVEL_INFORMATIONAL, "informational"},
                                         {EVENT_LEVEL_DEBUG, "debug"},
                                         {0, NULL}};

const char *event_level_word(enum event_level level)
{
    return word_name(WORDS_EVENT_LEVEL, level);
}
