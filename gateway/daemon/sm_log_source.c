// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/sm_log_source.h"

#include "pipeline/pipeline.h"
#include "smlog/sm_log.h"

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
    if (g->conf->fabric.sm_log[0] == '\0')
        return true;
    struct settings *settings = journal_settings(g->parts.journal);
    const struct setting *kept = settings_find(settings, SETTING_SM_LOG, 0, 0);
    if (kept)
        snprintf(place, sizeof place, "%.*s", (int)kept->size, (const char *)kept->value);
    settings_unref(settings);
    const struct sm_log_options options = {.path = g->conf->fabric.sm_log,
                                           .place = place,
                                           .put = sm_log_source_put,
                                           .sm_lid = sm_log_source_lid,
                                           .ctx = g,
                                           .log = g->parts.log};
    g->sm_log = sm_log_start(&options, err);
    return g->sm_log != NULL;
}
