// SPDX-License-Identifier: BSD-2-Clause
// The table of ibtrapctl's commands. Dispatch, help, completion and the manual are made from it.
// Decides: Which commands does ibtrapctl have?
#ifndef IBTRAPD_CTL_COMMANDS_H
#define IBTRAPD_CTL_COMMANDS_H

#include "ctl/command.h"

// All commands, in the order of the help.
const struct command *commands_get(size_t *count);

// The command whose name the words begin with, the longest one; `*used` gets its number of words.
// NULL: there is none.
const struct command *commands_find(int count, char *const *words, int *used);

// The command of that name, which the table has.
const struct command *commands_named(const char *name);

// Writes the help of the command that the words begin with, or of all without words. False, with a
// sentence on standard error: there is no such command.
bool commands_show_help(struct arguments *a);

// Runs the command that the words name. On failure, writes the reason to standard error.
enum command_outcome commands_run(struct arguments *a);

#endif
