// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/help.h"

#include "base/log.h"
#include "base/text.h"
#include "ctl/terminal.h"
#include "model/severity.h"

#include <ctype.h>

enum { HELP_COLUMN = 40, OPTION_COLUMN = 28, SENTENCES_MAX = 2000 };

void help_add_sentences(struct text *t, const struct command *command)
{
    text_addf(t, "%c%s.", toupper((unsigned char)command->help[0]), command->help + 1);
    if (command->manual)
        text_addf(t, " %s", command->manual);
}

static void help_show_option(FILE *out, enum option_id id)
{
    const struct option_row *o = arguments_option(id);
    int width = o->letter ? fprintf(out, "  -%c, --%s", o->letter, o->name)
                          : fprintf(out, "      --%s", o->name);
    if (o->value)
        width += fprintf(out, " %s", o->value);
    fprintf(out, "%*s", OPTION_COLUMN - width, "");
    terminal_hang(out, OPTION_COLUMN, o->help);
}

static void help_show_options_of(FILE *out, const struct command *command)
{
    for (int i = OPTION_FIRST_OF_SOME; i < OPTION_COUNT; i++) {
        if (command->options & COMMAND_TAKES(i))
            help_show_option(out, (enum option_id)i);
    }
}

void help_show_all(FILE *out, const struct command *commands, size_t count)
{
    fputs("Usage: ibtrapctl [OPTION]... COMMAND\n\n", out);
    for (size_t i = 0; i < count; i++) {
        if (!commands[i].help)
            continue;
        int width = fprintf(out, "  %s %s", commands[i].name, commands[i].arguments);
        fprintf(out, "%*s", HELP_COLUMN - width, "");
        terminal_hang(out, HELP_COLUMN, commands[i].help);
    }
    fputs("\nOptions of every command:\n", out);
    for (int i = 0; i < OPTION_FIRST_OF_SOME; i++)
        help_show_option(out, (enum option_id)i);
    for (size_t i = 0; i < count; i++) {
        if (commands[i].options)
            fprintf(out, "\nOptions of %s:\n", commands[i].name);
        help_show_options_of(out, &commands[i]);
    }
    fputs("\n"
          "ALARM is the number of an alarm, or its key.\n"
          "'ibtrapctl help COMMAND' says more about a command.\n"
          "Exit status: 0 done, 1 not done (refused, not delivered, damaged), 2 wrong usage;\n"
          "of health: 0 ok, 1 warning, 2 critical, 3 unknown.\n",
          out);
}

void help_show_command(FILE *out, const struct command *command)
{
    char buffer[SENTENCES_MAX];
    struct text t = text_in(buffer, sizeof buffer);
    fprintf(out, "Usage: ibtrapctl %s%s%s\n\n", command->name, command->arguments[0] ? " " : "",
            command->arguments);
    help_add_sentences(&t, command);
    terminal_wrap(out, 0, buffer);
    if (command->options)
        fputc('\n', out);
    help_show_options_of(out, command);
}

static void help_list_option(FILE *out, enum option_id id)
{
    const struct option_row *o = arguments_option(id);
    const char *value = o->value ? o->value : "";
    fprintf(out, "option --%s %s\n", o->name, value);
    if (o->letter)
        fprintf(out, "option -%c %s\n", o->letter, value);
}

// Lists a folder with debug messages: other folders have no level to set.
static void help_list_folder(FILE *out, const char *word)
{
    enum log_folder folder;
    if (log_folder_from_word(word, &folder))
        fprintf(out, " %s", word);
}

static void help_list_values(FILE *out)
{
    fputs("values SEVERITY", out);
    for (int i = 0; i <= SEVERITY_DEBUG; i++)
        fprintf(out, " %s", severity_word((enum severity)i));
    fputs("\nvalues LEVEL", out);
    for (int i = 0; i <= LOG_LEVEL_DEBUG; i++)
        fprintf(out, " %s", log_level_word((enum log_level)i));
    fputs("\nvalues FOLDER", out);
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        help_list_folder(out, log_folder_word((enum log_folder)i));
    fputc('\n', out);
}

void help_list(FILE *out, const struct command *commands, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (commands[i].help)
            fprintf(out, "command %s %s\n", commands[i].name, commands[i].arguments);
    }
    for (int i = 0; i < OPTION_COUNT; i++)
        help_list_option(out, (enum option_id)i);
    help_list_values(out);
}
