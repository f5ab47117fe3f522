#include "daemon/deliveries.h"

#include "daemon/receiver_alarms.h"
#include "daemon/receivers.h"
#include "pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

// It has passwords.
static void free_conf(struct conf_receiver *conf)
{
    if (conf) {
        guid_set_release(conf->filter.trap_group);
        explicit_bzero(conf, sizeof *conf);
    }
    free(conf);
}

bool deliveries_make(const struct gateway *g, const struct conf_receiver *conf,
                     struct deliveries_made *out, struct error *err)
{
    struct conf_receiver *copy = malloc(sizeof *copy);
    if (!copy) {
        error_set(err, "out of memory");
        return false;
    }
    memcpy(copy, conf, sizeof *copy);
    guid_set_keep(copy->filter.trap_group);
    bool ok = receivers_make(&out->receiver, copy, &clock_system, g->started_at, err);
    if (!ok)
        free_conf(copy);
    out->conf = ok ? copy : NULL;
    return ok;
}

void deliveries_free(struct deliveries_made *made)
{
    if (made->conf)
        made->receiver.free(made->receiver.self);
    free_conf(made->conf);
    made->conf = NULL;
}

static void take_change(void *ctx, const char *receiver, enum delivery_change change,
                        const char *reason, uint64_t dropped)
{
    const struct gateway *g = ctx;
    struct maker_occurrence o = {.type = change == DELIVERY_FAILING ? CATALOGUE_RECEIVER_FAILING
                                                                    : CATALOGUE_RECEIVER_BACK,
                                 .lost = dropped};
    receiver_alarms_key(receiver, o.alarm_key);
    snprintf(o.receiver, sizeof o.receiver, "%s", receiver);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    pipeline_put_occurrence(g->pipeline, &o, 0);
}

bool deliveries_start(struct gateway *g, struct deliveries_made *made, struct error *err)
{
    const struct conf_receiver *conf = made->conf;
    const struct delivery_options options = {.filter = conf->filter,
                                             .rate = conf->rate,
                                             .burst = conf->burst,
                                             .age_max_us = conf->age_us,
                                             .was_failing = receiver_alarms_stands(g, conf->name),
                                             .change = take_change,
                                             .ctx = g,
                                             .journal = g->journal,
                                             .clock = &clock_system,
                                             .random = &random_system,
                                             .log = g->log};
    struct delivery *d = delivery_start(&made->receiver, &options, err);
    if (!d) {
        deliveries_free(made);
        return false;
    }
    pthread_mutex_lock(&g->exchanged);
    g->receivers[g->delivery_count] = made->conf;
    g->deliveries[g->delivery_count++] = d;
    pthread_mutex_unlock(&g->exchanged);
    made->conf = NULL;
    return true;
}

static void finish(struct delivery *delivery, struct conf_receiver *conf)
{
    delivery_finish(delivery);
    free_conf(conf);
}

static void nothing(void *ctx, const struct pipeline_inside *inside)
{
    (void)ctx;
    (void)inside;
}

void deliveries_end(struct gateway *g, int64_t flush_us,
                    bool (*stays)(void *ctx, const struct conf_receiver *running), void *ctx)
{
    int64_t stop_by = clock_monotonic(&clock_system) + flush_us;
    size_t kept = 0, ended = 0;
    struct {
        struct delivery *delivery;
        struct conf_receiver *conf;
    } ending[GATEWAY_RECEIVERS_MAX];
    pthread_mutex_lock(&g->exchanged);
    for (size_t i = 0; i < g->delivery_count; i++) {
        if (stays(ctx, g->receivers[i])) {
            g->receivers[kept] = g->receivers[i];
            g->deliveries[kept++] = g->deliveries[i];
        } else {
            delivery_ask_to_stop(g->deliveries[i], stop_by);
            ending[ended].delivery = g->deliveries[i];
            ending[ended++].conf = g->receivers[i];
        }
    }
    g->delivery_count = kept;
    pthread_mutex_unlock(&g->exchanged);
    for (size_t i = 0; i < ended; i++)
        finish(ending[i].delivery, ending[i].conf);
    if (ended > 0)
        pipeline_call(g->pipeline, nothing, NULL);
}

bool deliveries_run(const struct gateway *g, const char *name)
{
    for (size_t i = 0; i < g->delivery_count; i++) {
        if (strcmp(g->receivers[i]->name, name) == 0)
            return true;
    }
    return false;
}

static bool runs(void *ctx, const char *name)
{
    return deliveries_run(ctx, name);
}

void deliveries_let_go(struct gateway *g)
{
    journal_end_receivers(g->journal, runs, g);
}

bool deliveries_start_all(struct gateway *g, struct error *err)
{
    for (size_t i = 0; i < g->conf->receiver_count; i++) {
        struct deliveries_made made;
        if (!deliveries_make(g, &g->conf->receivers[i], &made, err) ||
            !deliveries_start(g, &made, err))
            return false;
    }
    return true;
}

void deliveries_stop_all(struct gateway *g)
{
    int64_t stop_by = clock_monotonic(&clock_system) + DELIVERIES_FLUSH_US;
    for (size_t i = 0; i < g->delivery_count; i++)
        delivery_ask_to_stop(g->deliveries[i], stop_by);
    while (g->delivery_count > 0) {
        size_t last = --g->delivery_count;
        finish(g->deliveries[last], g->receivers[last]);
    }
}
