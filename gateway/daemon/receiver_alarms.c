#include "daemon/receiver_alarms.h"

#include "daemon/gateway.h"
#include "pipeline/recall.h"

#include <stdio.h>
#include <string.h>

static const char PREFIX[] = "receiver ";

void receiver_alarms_key(const char *receiver, char out[EVENT_KEY_SIZE])
{
    snprintf(out, EVENT_KEY_SIZE, "%s%s", PREFIX, receiver);
}

bool receiver_alarms_stands(struct gateway *gateway, const char *receiver)
{
    char key[EVENT_KEY_SIZE];
    receiver_alarms_key(receiver, key);
    return recall_stands(gateway->journal, key);
}

static bool is_there(const struct gateway *g, const char *receiver)
{
    for (size_t i = 0; i < g->conf->receiver_count; i++) {
        if (strcmp(g->conf->receivers[i].name, receiver) == 0)
            return true;
    }
    for (size_t i = 0; i < g->delivery_count; i++) {
        if (strcmp(g->receivers[i]->name, receiver) == 0)
            return true;
    }
    return false;
}

// Names of receivers; what has no room waits for the next time.
struct gone {
    const struct gateway *gateway;
    char names[GATEWAY_RECEIVERS_MAX][CONF_NAME_SIZE];
    size_t count;
};

static void note_if_gone(void *ctx, const struct alarm *alarm)
{
    struct gone *gone = ctx;
    const char *receiver = alarm->key + sizeof PREFIX - 1;
    if (strncmp(alarm->key, PREFIX, sizeof PREFIX - 1) == 0 && !is_there(gone->gateway, receiver) &&
        gone->count < GATEWAY_RECEIVERS_MAX)
        snprintf(gone->names[gone->count++], CONF_NAME_SIZE, "%s", receiver);
}

// In the pipeline's thread, after all that the receivers had to tell.
static void clear_gone(void *ctx, const struct pipeline_inside *inside)
{
    struct gone *gone = ctx;
    journal_each_alarm(gone->gateway->journal, note_if_gone, gone);
    for (size_t i = 0; i < gone->count; i++) {
        struct maker_occurrence o = {.type = CATALOGUE_RECEIVER_BACK};
        receiver_alarms_key(gone->names[i], o.alarm_key);
        snprintf(o.receiver, sizeof o.receiver, "%s", gone->names[i]);
        snprintf(o.reason, sizeof o.reason, "it is no longer configured");
        inside->take(inside->pipeline, maker_from_occurrence(inside->maker, &o));
    }
}

void receiver_alarms_clear_gone(struct gateway *gateway)
{
    struct gone gone = {.gateway = gateway};
    pipeline_call(gateway->pipeline, clear_gone, &gone);
}
