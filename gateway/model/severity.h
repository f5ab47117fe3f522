// SPDX-License-Identifier: BSD-2-Clause
// Severities and categories of events, and the part that an event has in an alarm.
#pragma once

#include "base/word.h"

#include <stdbool.h>

// RFC 5424 6.2.1, by number.
enum severity {
    SEVERITY_EMERGENCY,
    SEVERITY_ALERT,
    SEVERITY_CRITICAL,
    SEVERITY_ERROR,
    SEVERITY_WARNING,
    SEVERITY_NOTICE,
    SEVERITY_INFORMATIONAL,
    SEVERITY_DEBUG,
};

// Numbered as ibtrapdEventCategory of the IBTRAPD-MIB.
enum category {
    CATEGORY_FABRIC = 1,
    CATEGORY_LINK,
    CATEGORY_PORT,
    CATEGORY_NODE,
    CATEGORY_SECURITY,
    CATEGORY_MULTICAST,
    CATEGORY_SM,
    CATEGORY_IO,
    CATEGORY_COUNTER,
    CATEGORY_GATEWAY,
    CATEGORY_VENDOR,
};

// Numbered as ibtrapdAlarmState of the IBTRAPD-MIB.
enum alarm_role {
    ALARM_NONE = 1,
    ALARM_RAISES,
    ALARM_CLEARS,
};

// GswEventSeverity of the IBSWITCH-MIB: a smaller number is more severe.
enum event_level {
    EVENT_LEVEL_NONE,
    EVENT_LEVEL_CRITICAL,
    EVENT_LEVEL_ERROR,
    EVENT_LEVEL_WARNING,
    EVENT_LEVEL_INFORMATIONAL,
    EVENT_LEVEL_DEBUG,
};

// All words of each kind, in the order of their numbers.
extern const struct word WORDS_SEVERITY[], WORDS_CATEGORY[], WORDS_EVENT_LEVEL[];

enum event_level severity_event_level(enum severity severity);
const char *event_level_word(enum event_level level); // "warning"

const char *severity_word(enum severity severity);        // "warning"
bool severity_find(const char *word, enum severity *out); // false: there is no such word
const char *severity_perceived(enum severity severity);   // X.733, by RFC 5674: "warning", "major"
const char *category_word(enum category category);        // "security"
const char *alarm_role_word(enum alarm_role role);        // "none", "raised", "cleared"
