// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/sm_log_source.h"

#include "pipeline/pipeline.h"
#include "pipeline/statements.h"
#include "smlog/sm_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sm_log_source_batch {
    struct gateway *gateway;
    const struct event_builder_occurrence *all;
    size_t n;
    const char *place;
};

// Whether the event comes as a trap, too, which says more.
static bool sm_log_source_is_trap(struct gateway *g, enum catalogue_event type)
{
    struct sa_status status;
    sa_client_status(g->parts.client, &status);
    for (size_t i = 0; type == CATALOGUE_SM_BAD_MKEY && i < SUBSCRIPTIONS_COUNT; i++) {
        const struct subscription *s = &status.subscriptions[i];
        if (s->trap == NOTICE_BAD_MKEY && s->state == SUBSCRIPTION_SUBSCRIBED)
            return true;
    }
    return false;
}

// Pipeline's thread.
static void sm_log_source_emit(void *ctx, const struct pipeline_context *inside)
{
    const struct sm_log_source_batch *batch = ctx;
    struct setting setting = {.kind = SETTING_SM_LOG, .size = (uint16_t)strlen(batch->place)};
    memcpy(setting.value, batch->place, setting.size);
    for (size_t i = 0; i < batch->n; i++) {
        if (!sm_log_source_is_trap(batch->gateway, batch->all[i].type))
            emitter_emit(inside->emitter,
                         event_builder_from_occurrence(inside->builder, &batch->all[i]));
    }
    journal_change_settings(batch->gateway->parts.journal, &setting, 1);
}

static bool sm_log_source_put(void *ctx, const struct event_builder_occurrence *all, size_t n,
                              const char *place)
{
    struct gateway *g = ctx;
    struct sm_log_source_batch batch = {g, all, n, place};
    return pipeline_call(g->parts.pipeline, sm_log_source_emit, &batch);
}

// The list of unhealthy ports.

#define SM_LOG_SOURCE_KEY "unhealthy 0x%016" PRIx64 "/%u"

static bool sm_log_source_is_over(void *ctx, const struct policy_alarm *alarm,
                                  const struct alarm_key *key, struct text *why)
{
    const struct unhealthy_list *list = ctx;
    uint64_t guid;
    unsigned port;
    (void)key; // the alarm has a key of its own
    text_add(why, "the list of the subnet manager has the port no longer");
    return sscanf(alarm->key, "unhealthy 0x%" SCNx64 "/%u", &guid, &port) == 2 &&
           !unhealthy_list_has(list, guid, (uint8_t)port);
}

// Pipeline's thread.
static void sm_log_source_compare_inside(void *ctx, const struct pipeline_context *inside)
{
    struct unhealthy_list *list = ctx;
    statements_compare_all(inside->emitter,
                           &(struct detector){.is_over = sm_log_source_is_over, .ctx = list});
    for (size_t i = 0; i < list->count; i++) {
        const struct unhealthy_port *port = &list->ports[i];
        struct event_builder_occurrence what = {.type = CATALOGUE_SM_PORT_UNHEALTHY,
                                                .place = {.guid = port->guid, .port = port->port}};
        snprintf(what.alarm_key, sizeof what.alarm_key, SM_LOG_SOURCE_KEY, port->guid, port->port);
        snprintf(what.reason, sizeof what.reason, "%s", port->why);
        if (statements_may_raise(inside->emitter, what.alarm_key))
            emitter_emit(inside->emitter, event_builder_from_occurrence(inside->builder, &what));
    }
}

static bool sm_log_source_compare(void *ctx, const struct unhealthy_list *list)
{
    const struct gateway *g = ctx;
    struct unhealthy_list copy = *list;
    return pipeline_call(g->parts.pipeline, sm_log_source_compare_inside, &copy);
}

static uint16_t sm_log_source_lid(void *ctx)
{
    const struct gateway *g = ctx;
    struct sa_status status;
    sa_client_status(g->parts.client, &status);
    return status.port.lid;
}

bool sm_log_source_start(struct gateway *g, struct error *err)
{
    char place[SETTING_VALUE_MAX + 1] = "";
    if (g->conf->fabric.unhealthy_ports[0] == '\0') // a list of before may have left alarms
        sm_log_source_compare(g, &(struct unhealthy_list){0});
    if (g->conf->fabric.sm_log[0] == '\0' && g->conf->fabric.unhealthy_ports[0] == '\0')
        return true;
    struct settings *settings = journal_settings(g->parts.journal);
    const struct setting *kept = settings_find(settings, SETTING_SM_LOG, 0, 0);
    if (kept)
        snprintf(place, sizeof place, "%.*s", (int)kept->size, (const char *)kept->value);
    settings_unref(settings);
    const struct sm_log_options options = {.path = g->conf->fabric.sm_log,
                                           .unhealthy = g->conf->fabric.unhealthy_ports,
                                           .place = place,
                                           .put = sm_log_source_put,
                                           .compare = sm_log_source_compare,
                                           .sm_lid = sm_log_source_lid,
                                           .ctx = g,
                                           .log = g->parts.log};
    g->sm_log = sm_log_start(&options, err);
    return g->sm_log != NULL;
}
