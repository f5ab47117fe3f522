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
    static const char *const WORDS[] = {"critical", "critical",      "major",         "minor",
                                        "warning",  "indeterminate", "indeterminate", "indeterminate"};
    return WORDS[severity];
}

const char *category_word(enum category category)
{
    static const char *const WORDS[] = {"fabric", "link", "port", "node",    "security", "multicast",
                                        "sm",     "io",   "counter", "gateway", "vendor"};
    return WORDS[category - CATEGORY_FABRIC];
}

const char *alarm_role_word(enum alarm_role role)
{
    static const char *const WORDS[] = {"none", "raised", "cleared"};
    return WORDS[role - ALARM_NONE];
}
