// SPDX-License-Identifier: BSD-2-Clause
// The help of ibtrapctl, made from the rows of its commands and options.
#ifndef IBTRAPD_CTL_HELP_H
#define IBTRAPD_CTL_HELP_H

#include "ctl/command.h"

struct text;

// Adds the sentences of the command: help and manual.
void help_add_sentences(struct text *t, const struct command *command);

// Writes every command and option, a line each.
void help_show_all(FILE *out, const struct command *commands, size_t count);

// Writes the usage, the sentences and the options of a command.
void help_show_command(FILE *out, const struct command *command);

// Writes the commands, options and words for the completion, in lines "command NAME ARGUMENT...",
// "option --NAME VALUE", "option -LETTER VALUE" and "values VALUE WORD...".
void help_list(FILE *out, const struct command *commands, size_t count);

#endif
