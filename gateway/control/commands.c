// SPDX-License-Identifier: BSD-2-Clause
#include "control/commands.h"

#include "control/alarm_answers.h"
#include "control/context_answers.h"
#include "control/dry_run.h"
#include "control/event_answers.h"
#include "control/explain.h"
#include "control/gateway_answers.h"
#include "control/health_answers.h"
#include "control/link_answers.h"
#include "control/maintenance_answers.h"
#include "control/receiver_answers.h"
#include "control/status.h"
#include "control/test_answers.h"
#include "control/topology_answers.h"

#include <string.h>

static const struct control_command COMMANDS[] = {
    {"status", status_answer, CONTROL_READS},
    {"health", health_answers_get, CONTROL_READS},
    {"events", event_answers_list, CONTROL_READS},
    {"explain", explain_answer, CONTROL_READS},
    {"test", test_answers_send, CONTROL_WRITES},
    {"alarms", alarm_answers_list, CONTROL_READS},
    {"alarm-acknowledge", alarm_answers_acknowledge, CONTROL_WRITES},
    {"alarm-shelve", alarm_answers_shelve, CONTROL_WRITES},
    {"alarm-clear", alarm_answers_clear, CONTROL_WRITES},
    {"links", link_answers_list, CONTROL_READS},
    {"receivers", receiver_answers_list, CONTROL_READS},
    {"receiver-pause", receiver_answers_pause, CONTROL_WRITES},
    {"receiver-resume", receiver_answers_resume, CONTROL_WRITES},
    {"receiver-flush", receiver_answers_flush, CONTROL_WRITES},
    {"receiver-forget", receiver_answers_forget, CONTROL_WRITES},
    {"contexts", context_answers_list, CONTROL_READS},
    {"topology", topology_answers_show, CONTROL_READS},
    {"topology-list", topology_answers_list, CONTROL_READS},
    {"topology-diff", topology_answers_diff, CONTROL_READS},
    {"maintenance-start", maintenance_answers_start, CONTROL_WRITES},
    {"maintenance-stop", maintenance_answers_stop, CONTROL_WRITES},
    {"maintenance-list", maintenance_answers_list, CONTROL_READS},
    {"dry-run", dry_run_answer, CONTROL_WRITES}, // reads files that the configuration names
    {"sweep-now", gateway_answers_sweep, CONTROL_WRITES},
    {"resubscribe", gateway_answers_resubscribe, CONTROL_WRITES},
    {"log", gateway_answers_log, CONTROL_WRITES},
    {"configuration", gateway_answers_configuration, CONTROL_WRITES}, // not for every user
    {"reload", gateway_answers_reload, CONTROL_WRITES},
    {"journal-prune", gateway_answers_prune, CONTROL_WRITES},
};

const struct control_command *control_commands(size_t *count)
{
    *count = sizeof COMMANDS / sizeof *COMMANDS;
    return COMMANDS;
}

static const struct control_command *control_find_command(const char *name)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(name, COMMANDS[i].name) == 0)
            return &COMMANDS[i];
    }
    return NULL;
}

bool control_reads_only(const char *command)
{
    const struct control_command *found = control_find_command(command);
    return found && found->access == CONTROL_READS;
}

// Holds references to the fabric and the names while it answers, as both may be replaced at any
// time. "reload" replaces all members of `c`.
json_t *control_answer(void *ctx, const struct peer_credentials *client, const char *command,
                       const json_t *request)
{
    struct control *c = ctx;
    const struct control_command *found = control_find_command(command);
    if (!found)
        return NULL;
    struct fabric *fabric = topology_current(c->topology);
    struct names *names = topology_names(c->topology);
    c->user = client;
    c->fabric = fabric;
    c->names = c->builder.names = names;
    json_t *answer = found->answer(c, request);
    c->user = NULL;
    c->fabric = NULL;
    c->names = c->builder.names = NULL;
    fabric_unref(fabric);
    names_unref(names);
    return answer;
}
