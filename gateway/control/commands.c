// SPDX-License-Identifier: BSD-2-Clause
#include "control/commands.h"

#include "base/memory.h"
#include "control/answer.h"

#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>

// ibtrapctl waits for ten seconds, and for thirty at a reload.
static const int64_t ANSWER_US = 8 * CLOCK_US_PER_S, RELOAD_US = 25 * CLOCK_US_PER_S;

static const struct control_command COMMANDS[] = {
    {"status", status_answer, CONTROL_READS, CONTROL_AT_ONCE},
    {"health", health_answers_get, CONTROL_READS, CONTROL_AT_ONCE},
    {"events", event_answers_list, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"explain", explain_answer, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"test", test_answers_send, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"alarms", alarm_answers_list, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"alarm-acknowledge", alarm_answers_acknowledge, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"alarm-unacknowledge", alarm_answers_unacknowledge, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"alarm-shelve", alarm_answers_shelve, CONTROL_WRITES, CONTROL_BY_CHANGES},
    {"alarm-clear", alarm_answers_clear, CONTROL_WRITES, CONTROL_BY_CHANGES},
    {"links", link_answers_list, CONTROL_READS, CONTROL_AT_ONCE},
    {"receivers", receiver_answers_list, CONTROL_READS, CONTROL_AT_ONCE},
    {"receiver-pause", receiver_answers_change, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"receiver-resume", receiver_answers_change, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"receiver-flush", receiver_answers_change, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"receiver-resync", receiver_answers_resync, CONTROL_WRITES, CONTROL_BY_CHANGES},
    {"receiver-resend", receiver_answers_resend, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"receiver-forget", receiver_answers_forget, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"contexts", context_answers_list, CONTROL_READS, CONTROL_AT_ONCE},
    {"inventory", inventory_answers_list, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"ports", port_answers_find, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"topology", topology_answers_show, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"topology-list", topology_answers_list, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"maintenance-start", maintenance_answers_start, CONTROL_WRITES, CONTROL_BY_CHANGES},
    {"maintenance-stop", maintenance_answers_stop, CONTROL_WRITES, CONTROL_BY_CHANGES},
    {"maintenance-list", maintenance_answers_list, CONTROL_READS, CONTROL_BY_ANSWERS},
    {"dry-run", dry_run_answer, CONTROL_WRITES, CONTROL_BY_ANSWERS},
    {"sweep-now", gateway_answers_sweep, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"resubscribe", gateway_answers_resubscribe, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"log", gateway_answers_log, CONTROL_WRITES, CONTROL_AT_ONCE},
    // Not for every user.
    {"configuration", gateway_answers_configuration, CONTROL_WRITES, CONTROL_AT_ONCE},
    {"reload", gateway_answers_reload, CONTROL_WRITES, CONTROL_BY_RELOADS},
    {"journal-prune", gateway_answers_prune, CONTROL_WRITES, CONTROL_AT_ONCE},
};

const struct control_command *control_commands(size_t *count)
{
    *count = sizeof COMMANDS / sizeof *COMMANDS;
    return COMMANDS;
}

static const struct control_command *command_find(const char *name)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        if (strcmp(name, COMMANDS[i].name) == 0)
            return &COMMANDS[i];
    }
    return NULL;
}

bool control_reads_only(const char *command)
{
    const struct control_command *found = command_find(command);
    return found && found->access == CONTROL_READS;
}

struct control_settings control_settings_of(const struct conf *conf)
{
    struct control_settings settings = {0};
    if (!conf)
        return settings;
    settings.host_names = conf->fabric.host_names;
    settings.vendor_registers = conf->sweep.vendor_registers;
    return settings;
}

// Makes an answer but for its last step. Holds references to the fabric and the names meanwhile:
// both may be replaced at any time.
static json_t *command_make_answer(struct control *c, const struct control_command *command,
                                   const struct peer_credentials *client, const json_t *request)
{
    struct systems *systems = topology_systems(c->parts->topology);
    struct names *names = topology_names(c->parts->topology);
    c->command = command->name;
    c->user = client;
    c->systems = systems;
    c->fabric = systems ? systems->fabric : NULL;
    c->names = c->builder.names = names;
    json_t *answer = command->answer(c, request);
    if (!answer)
        answer = answer_refuse("this answer has octets that are no text");
    c->command = NULL;
    c->user = NULL;
    c->systems = NULL;
    c->fabric = NULL;
    c->names = c->builder.names = NULL;
    systems_unref(systems);
    names_unref(names);
    return answer;
}

// The second step of "explain", for the event `found`. Drops the reference to the event.
static void command_finish_answer(struct control *c, struct event *found, json_t *answer)
{
    c->found = found;
    if (found)
        explain_finish(c, answer);
    c->found = NULL;
    event_unref(found);
}

json_t *control_answer(void *ctx, const struct peer_credentials *client, const char *command,
                       const json_t *request)
{
    struct control *c = ctx;
    const struct control_command *found = command_find(command);
    if (!found)
        return NULL;
    c->settings = control_settings_of(c->parts->conf);
    json_t *answer = command_make_answer(c, found, client, request);
    command_finish_answer(c, c->found, answer);
    return answer;
}

// A request that another thread answers.
struct control_asked {
    struct control *control; // for the last step
    struct control own;      // what that thread uses
    const struct control_command *command;
    struct peer_credentials client;
    json_t *request, *answer;
    struct evbuffer *line; // the answer as a line; NULL: the answer has a last step
};

static struct worker *control_asked_worker(void *ctx, const char *command)
{
    const struct control *c = ctx;
    const struct control_command *found = command_find(command);
    if (!found || found->place == CONTROL_AT_ONCE)
        return NULL;
    return found->place == CONTROL_BY_RELOADS   ? c->reloads
           : found->place == CONTROL_BY_CHANGES ? c->changes
                                                : c->answers;
}

static void *control_asked_begin(void *ctx, const struct peer_credentials *client,
                                 const char *command, json_t *request)
{
    struct control *c = ctx;
    struct control_asked *asked = memory_get(sizeof *asked);
    *asked = (struct control_asked){
        .control = c,
        .own = {.parts = c->parts, .builder = c->builder, .reload = c->reload, .ctx = c->ctx},
        .command = command_find(command),
        .client = *client,
        .request = json_incref(request)};
    asked->own.settings = control_settings_of(c->parts->conf);
    return asked;
}

// Writes the answer in the worker's thread: writing half a megabyte would stop the loop for ten
// milliseconds.
static void control_asked_work(void *work)
{
    struct control_asked *asked = work;
    asked->answer =
        command_make_answer(&asked->own, asked->command, &asked->client, asked->request);
    if (asked->own.found)
        return;
    asked->line = evbuffer_new();
    answer_write(asked->answer, asked->line);
    json_decref(asked->answer);
    asked->answer = NULL;
}

// Adds the answer as a line to `out`.
static void command_add_answer(struct control_asked *asked, struct evbuffer *out)
{
    if (!asked->own.found) {
        evbuffer_add_buffer(out, asked->line);
        return;
    }
    command_finish_answer(asked->control, event_ref(asked->own.found), asked->answer);
    answer_write(asked->answer, out);
}

static int64_t control_asked_patience_us(const void *work)
{
    const struct control_asked *asked = work;
    return asked->command->place == CONTROL_BY_RELOADS ? RELOAD_US : ANSWER_US;
}

static const char *control_asked_late(const void *work, bool begun)
{
    const struct control_asked *asked = work;
    if (asked->command->place == CONTROL_BY_RELOADS)
        return begun ? "the reload takes long, as a disk or a receiver does not answer; it goes "
                       "on, and the log will say how it ended"
                     : "nothing was reloaded, as another reload takes long; look at the log and "
                       "try again";
    if (asked->command->place == CONTROL_BY_CHANGES)
        return begun
                   ? "the journal's disk does not write, so ibtrapd does not know yet whether this "
                     "change is done; look again in a minute, and at 'ibtrapctl status'"
                   : "nothing was changed, as changes of others wait for the journal's disk; look "
                     "at 'ibtrapctl status' and try again";
    if (!begun)
        return "others ask for too much at once, or the journal's disk does not read for them; "
               "look at 'ibtrapctl status' and try again";
    if (strcmp(asked->command->name, "dry-run") == 0)
        return "the dry run takes too long; ask for fewer events, or look at 'ibtrapctl status' "
               "whether the journal's disk reads";
    return "the journal's disk does not read, or there is too much to read; look at 'ibtrapctl "
           "status' and try again";
}

static void control_asked_end(void *work, struct evbuffer *out)
{
    struct control_asked *asked = work;
    if (out)
        command_add_answer(asked, out);
    event_unref(asked->own.found);
    json_decref(asked->answer);
    json_decref(asked->request);
    if (asked->line)
        evbuffer_free(asked->line);
    free(asked);
}

const struct server_later CONTROL_LATER = {.worker_of = control_asked_worker,
                                           .begin = control_asked_begin,
                                           .work = control_asked_work,
                                           .patience_us = control_asked_patience_us,
                                           .late = control_asked_late,
                                           .end = control_asked_end};
