// SPDX-License-Identifier: BSD-2-Clause
// What the completion of a shell offers.
#include "ctl/handlers.h"

#include "base/log.h"
#include "ctl/client.h"
#include "ctl/commands.h"
#include "model/catalogue.h"
#include "model/severity.h"
#include "topology/describe.h"

#include <string.h>

// Words that the program knows.

static void completion_list_option(FILE *out, enum option_id id)
{
    const struct option_row *o = arguments_option(id);
    const char *value = o->value ? o->value : "";
    fprintf(out, "option --%s %s\n", o->name, value);
    if (o->letter)
        fprintf(out, "option -%c %s\n", o->letter, value);
}

// Lists a folder with debug messages: other folders have no level to set.
static void completion_list_folder(FILE *out, const char *word)
{
    enum log_folder folder;
    if (log_folder_from_word(word, &folder))
        fprintf(out, " %s", word);
}

static void completion_list_values(FILE *out)
{
    fputs("values SEVERITY", out);
    for (int i = 0; i <= SEVERITY_DEBUG; i++)
        fprintf(out, " %s", severity_word((enum severity)i));
    fputs("\nvalues EVENT", out);
    for (int i = 0; i < CATALOGUE_COUNT; i++)
        fprintf(out, " %s", catalogue_get((enum catalogue_event)i)->name);
    fputs("\nvalues LEVEL", out);
    for (int i = 0; i <= LOG_LEVEL_DEBUG; i++)
        fprintf(out, " %s", log_level_word((enum log_level)i));
    fputs("\nvalues FOLDER", out);
    for (int i = 0; i < LOG_FOLDER_COUNT; i++)
        completion_list_folder(out, log_folder_word((enum log_folder)i));
    fputc('\n', out);
}

// Lists a command with its options, also those of every command.
static void completion_list_command(FILE *out, const struct command *command)
{
    fprintf(out, "command %s %s\ntakes %s:", command->name, command->arguments, command->name);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (i < OPTION_FIRST_OF_SOME || (command->options & COMMAND_TAKES(i)))
            fprintf(out, " --%s", arguments_option((enum option_id)i)->name);
    }
    fputc('\n', out);
}

static void completion_list_all(FILE *out)
{
    size_t count;
    const struct command *commands = commands_get(&count);
    for (size_t i = 0; i < count; i++) {
        if (commands[i].help)
            completion_list_command(out, &commands[i]);
    }
    for (int i = 0; i < OPTION_COUNT; i++)
        completion_list_option(out, (enum option_id)i);
    completion_list_values(out);
}

// Words that the daemon knows.

// A word of a synopsis: the command whose answer has a list, and the member with the word.
static const struct completion_row {
    const char *word, *wire, *list, *member;
} COMPLETION_ROWS[] = {
    {"RECEIVER", "receivers", "receivers", "name"},
    {"GONE", "receivers", "gone", "name"},
    {"ALARM", "alarms", "alarms", "number"},
    {"WINDOW", "maintenance-list", "maintenance", "name"},
    {"SNAPSHOT", "topology-list", "snapshots", "snapshot"},
};

struct completion_list {
    FILE *out;
    const struct completion_row *row;
};

static bool completion_take(void *ctx, const json_t *page, struct error *err)
{
    const struct completion_list *list = ctx;
    size_t i;
    const json_t *one;
    (void)err;
    json_array_foreach(json_object_get(page, list->row->list), i, one)
    {
        const json_t *value = json_object_get(one, list->row->member);
        if (json_is_integer(value))
            fprintf(list->out, "%" JSON_INTEGER_FORMAT "\n", json_integer_value(value));
        else
            fprintf(list->out, "%s\n", json_is_string(value) ? json_string_value(value) : "");
    }
    return true;
}

static void completion_list_nodes(const struct arguments *a)
{
    struct fabric_request what;
    struct error err;
    if (fabric_request_begin(&what, a->socket, 0, &err)) {
        char label[NAMES_NAME_SIZE];
        for (uint32_t i = 0; i < what.fabric->node_count; i++)
            fprintf(a->out, "%s\n", describe_label(what.fabric, i, FABRIC_NONE, what.names, label));
    }
    fabric_request_end(&what);
}

// Without a daemon, nothing is offered.
enum command_outcome completion_command(const struct arguments *a, struct error *err)
{
    const char *word = a->count > 0 ? a->words[0] : "";
    if (a->count == 0)
        completion_list_all(a->out);
    else if (strcmp(word, "NODE") == 0)
        completion_list_nodes(a);
    for (size_t i = 0; i < sizeof COMPLETION_ROWS / sizeof *COMPLETION_ROWS; i++) {
        struct completion_list list = {.out = a->out, .row = &COMPLETION_ROWS[i]};
        if (strcmp(word, list.row->word) == 0)
            client_each_page(a->socket, list.row->wire, json_pack("{s:b}", "all", 1),
                             completion_take, &list, err);
    }
    return COMMAND_DONE;
}
