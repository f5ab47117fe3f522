// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/receiver_alarms.h"

#include "daemon/gateway.h"
#include "daemon/own_alarms.h"

#include <stdio.h>
#include <string.h>

void receiver_alarms_key(const struct gateway *gateway, const char *receiver,
                         char out[EVENT_KEY_SIZE])
{
    char what[sizeof OWN_ALARMS_RECEIVER + CONF_NAME_SIZE];
    snprintf(what, sizeof what, OWN_ALARMS_RECEIVER "%s", receiver);
    own_alarms_key(gateway, what, out);
}

bool receiver_alarms_is_active(struct gateway *gateway, const char *receiver)
{
    char key[EVENT_KEY_SIZE];
    receiver_alarms_key(gateway, receiver, key);
    return journal_alarm_is_active(gateway->parts.journal, key);
}

void receiver_alarms_recall(struct gateway *gateway)
{
    pthread_mutex_lock(&gateway->exchanged);
    for (size_t i = 0; i < gateway->receiver_count; i++) {
        if (receiver_alarms_is_active(gateway, gateway->receiver_confs[i]->name))
            receiver_recall_failing(gateway->receivers[i]);
    }
    pthread_mutex_unlock(&gateway->exchanged);
}

static bool is_there(const struct gateway *g, const char *receiver)
{
    for (size_t i = 0; i < g->conf->receiver_count; i++) {
        if (strcmp(g->conf->receivers[i].name, receiver) == 0)
            return true;
    }
    for (size_t i = 0; i < g->receiver_count; i++) {
        if (strcmp(g->receiver_confs[i]->name, receiver) == 0)
            return true;
    }
    return false;
}

// Receivers that are not configured any more and have an alarm. Those for which there is no room
// wait for the next call.
struct departed_receivers {
    const struct gateway *gateway;
    struct {
        char name[CONF_NAME_SIZE];
        const struct catalogue_entry *type; // of the event that raised the alarm; NULL: unknown
    } all[GATEWAY_RECEIVERS_MAX];
    size_t count;
};

static void note_if_expired(void *ctx, const struct alarm *alarm)
{
    struct departed_receivers *departed = ctx;
    char beginning[EVENT_KEY_SIZE];
    receiver_alarms_key(departed->gateway, "", beginning);
    const size_t length = strlen(beginning);
    const char *receiver = alarm->key + length;
    if (strncmp(alarm->key, beginning, length) == 0 && !is_there(departed->gateway, receiver) &&
        departed->count < GATEWAY_RECEIVERS_MAX) {
        const size_t at = departed->count++;
        snprintf(departed->all[at].name, CONF_NAME_SIZE, "%s", receiver);
        departed->all[at].type = catalogue_find(alarm->type);
    }
}

// Pipeline's thread, after all events about the receivers that have ended.
static void clear_departed(void *ctx, const struct pipeline_context *inside)
{
    struct departed_receivers *departed = ctx;
    journal_each_alarm(departed->gateway->parts.journal, note_if_expired, departed);
    for (size_t i = 0; i < departed->count; i++) {
        char key[EVENT_KEY_SIZE], reason[EVENT_REASON_SIZE];
        receiver_alarms_key(departed->gateway, departed->all[i].name, key);
        snprintf(reason, sizeof reason, "receiver %s is no longer configured",
                 departed->all[i].name);
        emitter_emit(inside->emitter, event_builder_end_of_alarm(inside->builder, key,
                                                                 departed->all[i].type, reason));
    }
}

void receiver_alarms_clear_departed(struct gateway *gateway)
{
    struct departed_receivers departed = {.gateway = gateway};
    pipeline_call(gateway->parts.pipeline, clear_departed, &departed);
}
