// SPDX-License-Identifier: BSD-2-Clause
// ibtrapctl: shows the state of a running ibtrapd, and controls ibtrapd.

#include "base/instance.h"
#include "base/memory.h"
#include "ctl/commands.h"
#include "install.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

// Exit statuses for scripts. The verdicts of "health" have the statuses of monitoring plugins, the
// verdicts of "topology check" the statuses of diff(1).
enum { DONE = 0, FAILED = 1, USAGE = 2 };

// Runs the command with the paths of the options; without an option, with the path of the instance.
static int ibtrapctl_run(struct arguments *a)
{
    static const int STATUS[] = {
        [COMMAND_DONE] = DONE, [COMMAND_REFUSED] = FAILED, [COMMAND_WRONG_USAGE] = USAGE,
        [COMMAND_WARNING] = 1, [COMMAND_CRITICAL] = 2,     [COMMAND_UNKNOWN] = 3,
        [COMMAND_DIFFERS] = 1, [COMMAND_TROUBLE] = 2};
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

// Flushes the output. An incomplete output gives an exit status of failure.
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
