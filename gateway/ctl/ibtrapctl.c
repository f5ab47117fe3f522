// SPDX-License-Identifier: BSD-2-Clause
// ibtrapctl: shows the state of a running ibtrapd, and controls it.

#include "base/instance.h"
#include "base/memory.h"
#include "ctl/commands.h"
#include "install.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

// Exit statuses that scripts can use.
enum { DONE = 0, FAILED = 1, USAGE = 2 };
enum { WARNING = 1, CRITICAL = 2, UNKNOWN = 3 }; // of "health": those of monitoring plugins
enum { DIFFERS = 1, TROUBLE = 2 };               // of "topology check": those of diff(1)

// Runs the command with the paths of the instance, unless options name other paths.
static int ibtrapctl_run(struct arguments *a)
{
    static const int STATUS[] = {
        [COMMAND_DONE] = DONE,       [COMMAND_REFUSED] = FAILED,    [COMMAND_WRONG_USAGE] = USAGE,
        [COMMAND_WARNING] = WARNING, [COMMAND_CRITICAL] = CRITICAL, [COMMAND_UNKNOWN] = UNKNOWN,
        [COMMAND_DIFFERS] = DIFFERS, [COMMAND_TROUBLE] = TROUBLE};
    struct instance instance;
    struct error err;
    char file[INSTANCE_PATH_SIZE + sizeof "/journal.db"];
    if (!instance_find(a->values[OPTION_INSTANCE], &instance, &err)) {
        fprintf(stderr, "ibtrapctl: %s\n", err.text);
        return USAGE;
    }
    snprintf(file, sizeof file, "%s/journal.db", instance.state);
    if (!a->socket)
        a->socket = instance.socket;
    if (!a->file)
        a->file = file;
    return STATUS[commands_run(a)];
}

// Flushes the output, so that an incomplete output gives an exit status of failure.
static int ibtrapctl_end(int status)
{
    if (status != DONE || (fflush(stdout) == 0 && !ferror(stdout)))
        return status;
    fputs("ibtrapctl: cannot write to standard output; is its disk full?\n", stderr);
    return FAILED;
}

int main(int argc, char **argv)
{
    struct arguments a;
    bool is_text;
    json_set_alloc_funcs(memory_get, free);
    if (!arguments_parse(argc, argv, &a, &is_text)) {
        if (is_text)
            fputs("'ibtrapctl help' lists the commands and their options.\n", stderr);
        return USAGE;
    }
    if (a.values[OPTION_VERSION])
        puts("ibtrapctl " INSTALL_VERSION);
    else if (a.values[OPTION_HELP])
        return ibtrapctl_end(commands_show_help(&a) ? DONE : USAGE);
    else
        return ibtrapctl_end(ibtrapctl_run(&a));
    return ibtrapctl_end(DONE);
}
