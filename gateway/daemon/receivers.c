// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/receivers.h"

#include "daemon/receiver_alarms.h"
#include "daemon/sinks.h"
#include "pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

// Wipes the memory, as it has passwords.
static void free_conf(struct conf_receiver *conf)
{
    if (conf) {
        guid_set_unref(conf->filter.trap_group);
        explicit_bzero(conf, sizeof *conf);
    }
    free(conf);
}

bool receivers_make(const struct gateway *g, const struct conf_receiver *conf,
                    struct receivers_made *out, struct error *err)
{
    struct conf_receiver *copy = malloc(sizeof *copy);
    if (!copy) {
        error_set(err, "out of memory");
        return false;
    }
    memcpy(copy, conf, sizeof *copy);
    guid_set_ref(copy->filter.trap_group);
    bool ok = sinks_make(&out->sink, copy, &clock_system, g->started_at, g->log, err);
    if (!ok)
        free_conf(copy);
    out->conf = ok ? copy : NULL;
    return ok;
}

void receivers_free(struct receivers_made *made)
{
    if (made->conf)
        made->sink.free(made->sink.self);
    free_conf(made->conf);
    made->conf = NULL;
}

static void receivers_on_change(void *ctx, const char *receiver, enum receiver_change change,
                                const char *reason, uint64_t dropped)
{
    const struct gateway *g = ctx;
    struct event_builder_occurrence o = {
        .type = change == RECEIVER_FAILING ? CATALOGUE_RECEIVER_FAILING : CATALOGUE_RECEIVER_BACK,
        .lost = dropped};
    receiver_alarms_key(g, receiver, o.alarm_key);
    snprintf(o.receiver, sizeof o.receiver, "%s", receiver);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    pipeline_put_occurrence(g->pipeline, &o, 0);
}

bool receivers_start(struct gateway *g, struct receivers_made *made, struct error *err)
{
    const struct conf_receiver *conf = made->conf;
    const struct receiver_options options = {.filter = conf->filter,
                                             .rate = conf->rate,
                                             .burst = conf->burst,
                                             .age_max_us = conf->age_us,
                                             .was_failing =
                                                 receiver_alarms_is_active(g, conf->name),
                                             .change = receivers_on_change,
                                             .ctx = g,
                                             .journal = g->journal,
                                             .clock = &clock_system,
                                             .random = &random_system,
                                             .log = g->log};
    struct receiver *receiver = receiver_start(&made->sink, &options, err);
    if (!receiver) {
        receivers_free(made);
        return false;
    }
    pthread_mutex_lock(&g->exchanged);
    g->receiver_confs[g->receiver_count] = made->conf;
    g->receivers[g->receiver_count++] = receiver;
    pthread_mutex_unlock(&g->exchanged);
    made->conf = NULL;
    return true;
}

static void receivers_finish(struct receiver *receiver, struct conf_receiver *conf)
{
    receiver_finish(receiver);
    free_conf(conf);
}

static void nothing(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx;
    (void)inside;
}

void receivers_end(struct gateway *g, int64_t flush_us,
                   bool (*stays)(void *ctx, const struct conf_receiver *running), void *ctx)
{
    int64_t stop_by = clock_monotonic(&clock_system) + flush_us;
    size_t kept = 0, ended = 0;
    struct {
        struct receiver *receiver;
        struct conf_receiver *conf;
    } ending[GATEWAY_RECEIVERS_MAX];
    pthread_mutex_lock(&g->exchanged);
    for (size_t i = 0; i < g->receiver_count; i++) {
        if (stays(ctx, g->receiver_confs[i])) {
            g->receiver_confs[kept] = g->receiver_confs[i];
            g->receivers[kept++] = g->receivers[i];
        } else {
            receiver_request_stop(g->receivers[i], stop_by);
            ending[ended].receiver = g->receivers[i];
            ending[ended++].conf = g->receiver_confs[i];
        }
    }
    g->receiver_count = kept;
    pthread_mutex_unlock(&g->exchanged);
    for (size_t i = 0; i < ended; i++)
        receivers_finish(ending[i].receiver, ending[i].conf);
    if (ended > 0)
        pipeline_call(g->pipeline, nothing, NULL);
}

bool receivers_run(const struct gateway *g, const char *name)
{
    for (size_t i = 0; i < g->receiver_count; i++) {
        if (strcmp(g->receiver_confs[i]->name, name) == 0)
            return true;
    }
    return false;
}

static bool runs(void *ctx, const char *name)
{
    return receivers_run(ctx, name);
}

void receivers_forget_departed(struct gateway *g)
{
    journal_end_receivers(g->journal, runs, g);
}

bool receivers_start_all(struct gateway *g, struct error *err)
{
    for (size_t i = 0; i < g->conf->receiver_count; i++) {
        struct receivers_made made;
        if (!receivers_make(g, &g->conf->receivers[i], &made, err) ||
            !receivers_start(g, &made, err))
            return false;
    }
    return true;
}

void receivers_stop_all(struct gateway *g)
{
    int64_t stop_by = clock_monotonic(&clock_system) + RECEIVERS_FLUSH_US;
    for (size_t i = 0; i < g->receiver_count; i++)
        receiver_request_stop(g->receivers[i], stop_by);
    while (g->receiver_count > 0) {
        size_t last = --g->receiver_count;
        receivers_finish(g->receivers[last], g->receiver_confs[last]);
    }
}
