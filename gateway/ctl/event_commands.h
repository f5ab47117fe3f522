// `ibtrapctl events`, `explain` and `test`.
#ifndef IBTRAPD_CTL_EVENT_COMMANDS_H
#define IBTRAPD_CTL_EVENT_COMMANDS_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

enum { EVENT_COMMANDS_LAST = 50, EVENT_COMMANDS_LIMIT_MAX = 10000 };

// Which events; what is NULL or 0 does not matter.
struct event_choice {
    int64_t since_us, until_us; // UTC
    const char *severity;       // this one and worse
    const char *node;           // a glob of names, or of GUIDs when it begins with 0x
    const char *event;          // a glob of identifiers
    int64_t limit;              // the last so many, up to EVENT_COMMANDS_LIMIT_MAX
};

// Each asks the daemon on `socket`. False with a sentence when there is no answer, or what was
// asked for is not there or cannot be done; part may have been written then.

// The events, oldest first. Without `since_us` and `limit` the last EVENT_COMMANDS_LAST.
bool event_commands_list(FILE *out, const char *socket, const struct event_choice *choice,
                         bool json, struct error *err);

// The same, and then those that come, for ever. As JSON, one object a line.
bool event_commands_follow(FILE *out, const char *socket, const struct event_choice *choice,
                           bool json, struct error *err);

// All about one event, given by its number or its identifier.
bool event_commands_explain(FILE *out, const char *socket, const char *event, bool json,
                            struct error *err);

// Sends a test event and waits, ten seconds at most, for what becomes of it. `node` NULL: one that
// does not exist. `receiver` NULL: all; otherwise no other counts. False, too, when a receiver that
// should get it has it not.
bool event_commands_test(FILE *out, const char *socket, const char *event, const char *node,
                         const char *receiver, bool json, struct error *err);

#endif
