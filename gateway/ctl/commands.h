// SPDX-License-Identifier: BSD-2-Clause
// The table of ibtrapctl's commands. Dispatch, help, completion and the manual come from the table.
// Decides: Which commands does ibtrapctl have?
#pragma once

#include "ctl/command.h"

struct text;

// All commands, in the order of the help.
const struct command *commands_get(size_t *count);

// Finds the command with the longest name at the begin of the words. `*used` gets the number of
// words of the name. NULL: there is no such command.
const struct command *commands_find(int count, char *const *words, int *used);

// The command with a name of the table.
const struct command *commands_named(const char *name);

// Writes the help of the command at the begin of the words; without words, of all commands. False,
// with a sentence on standard error: there is no such command.
bool commands_show_help(struct arguments *a);

// Runs the command that the words name. On failure, writes the reason to standard error.
enum command_outcome commands_run(struct arguments *a);

// Adds the sentences of the command: help and manual.
void commands_add_sentences(struct text *t, const struct command *command);
