// SPDX-License-Identifier: BSD-2-Clause
// A command of ibtrapctl: a row of the table in commands.c.
// Decides: Which outcome and exit status does a command of ibtrapctl have? (ctl/ibtrapctl.c)
#pragma once

#include "base/error.h"
#include "ctl/arguments.h"
#include "ctl/show.h"

enum command_outcome {
    COMMAND_DONE,
    COMMAND_REFUSED, // with a sentence; part of the output may have been written
    COMMAND_WRONG_USAGE,
    // Verdicts of the command "health". The command has written the sentence.
    COMMAND_WARNING,
    COMMAND_CRITICAL,
    COMMAND_UNKNOWN,
    // Verdicts of the command "topology check".
    COMMAND_DIFFERS,
    COMMAND_TROUBLE, // as COMMAND_REFUSED
};

typedef enum command_outcome command_run(const struct arguments *a, struct error *err);

struct command {
    const char *name;      // one word or two
    const char *arguments; // as the help shows them; words in capitals stand for values
    int min, max;          // number of the words behind the name
    unsigned options;      // besides the options of every command: COMMAND_TAKES bits
    command_run *run;
    const char *wire;   // command of the control socket, for `run` to send; NULL: none
    const char *help;   // a sentence without capital and full stop; NULL: the help leaves it out
    const char *manual; // further sentences; NULL: none
    // For request_command_run:
    // Items of the request, that the words fill: "alarm @minutes"; # makes a number, @ minutes.
    const char *items;
    const struct show_form *form; // how the answer is written; NULL: it has nothing to report
};

#define COMMAND_TAKES(option) (1U << (option))

static inline enum command_outcome command_outcome(bool ok)
{
    return ok ? COMMAND_DONE : COMMAND_REFUSED;
}
