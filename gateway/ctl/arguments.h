// SPDX-License-Identifier: BSD-2-Clause
// The command line of ibtrapctl: its options, and the words of the command.
// Decides: Which options has ibtrapctl, and how is a time written?
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_id {
    // Options of every command.
    OPTION_INSTANCE,
    OPTION_FILE,
    OPTION_SOCKET,
    OPTION_JSON,
    OPTION_VERSION,
    OPTION_HELP,
    // Options of some commands: a command's row says which it accepts.
    OPTION_SINCE,
    OPTION_UNTIL,
    OPTION_SEVERITY,
    OPTION_NODE,
    OPTION_EVENT,
    OPTION_LIMIT,
    OPTION_FOLLOW,
    OPTION_RECEIVER,
    OPTION_WORST,
    OPTION_CSV,
    OPTION_DOT,
    OPTION_SVG,
    OPTION_HOSTS,
    OPTION_ALL,
    OPTION_COMMENT,
    OPTION_FLEET,
    OPTION_COUNT,
    OPTION_FIRST_OF_SOME = OPTION_SINCE,
};

// An option. The help, the manual and the completion come from the same rows.
struct option_row {
    const char *name;
    char letter;       // '\0': none
    const char *value; // the name of its value in the help; NULL: it takes none
    const char *help;  // a sentence without capital and full stop
};

const struct option_row *arguments_option(enum option_id id);

struct command;

// The arguments with which a command runs.
struct arguments {
    FILE *out;
    const struct command *command;    // the row of the command
    const char *socket;               // path of the control socket
    const char *file;                 // path of the journal's file
    bool json;                        // writes JSON
    const char *values[OPTION_COUNT]; // NULL: the option was not given; "": it takes no value
    int count;                        // of the words behind the command's name
    char **words;
};

// Reads options and words; `socket`, `file` and `json` get the options' values, or NULL and false.
// False, with a sentence on standard error: an option is wrong, or
// an argument is not UTF-8; the latter if `*is_text` is false.
bool arguments_parse(int argc, char **argv, struct arguments *out, bool *is_text);

// Reads a number from 0; false when the text is anything else.
bool arguments_read_number(const char *text, long long *out);

// Reads how long something lasts: 90 or 90m (minutes), 2h, 3d. False: the text is anything else.
bool arguments_read_minutes(const char *text, long long *out);

// Reads a time as people write it. "90s", "10m", "2h", "3d": so long before `now_us`. Otherwise a
// time of RFC 3339 (clock_parse_utc). UTC, microseconds since 1970. False: neither.
bool time_parse(const char *text, int64_t now_us, int64_t *out);
