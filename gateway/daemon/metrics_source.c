// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/metrics_source.h"

#include "base/memory.h"
#include "daemon/loop.h"
#include "web/scrape.h"

#include <stdlib.h>
#include <string.h>

struct metrics_source {
    struct gateway *gateway;
    struct loop_wake *wake;
    bool told; // the log has a line about ports that are left out

    pthread_mutex_t lock; // over the member below
    char *text;           // NULL: none is ready
};

// Main loop.
static void metrics_source_make(void *ctx)
{
    struct metrics_source *s = ctx;
    void *scrape = SCRAPE_SOURCE.begin(&s->gateway->parts);
    char *text = memory_get(METRICS_SOURCE_MAX + 1);
    size_t size = 0, n;
    const char *piece;
    bool more = true, fits = true;
    while (more && fits) {
        more = SCRAPE_SOURCE.next(scrape, &piece, &n);
        fits = n <= METRICS_SOURCE_MAX - size;
        memcpy(text + size, piece, fits ? n : 0);
        size += fits ? n : 0;
    }
    SCRAPE_SOURCE.end(scrape);
    text[size] = '\0';
    if (!fits && !s->told)
        log_write(s->gateway->parts.log, LOG_LEVEL_WARNING,
                  "the metrics for OpenTelemetry have more than %d MiB: the last ports are left "
                  "out; let a collector scrape the metrics of section 'metrics' instead",
                  METRICS_SOURCE_MAX >> 20);
    s->told |= !fits;
    pthread_mutex_lock(&s->lock);
    free(s->text);
    s->text = text;
    pthread_mutex_unlock(&s->lock);
}

static void metrics_source_ask(void *ctx)
{
    const struct gateway *g = ctx;
    loop_wake_up(g->metrics_source->wake);
}

static char *metrics_source_take(void *ctx)
{
    const struct gateway *g = ctx;
    struct metrics_source *s = g->metrics_source;
    pthread_mutex_lock(&s->lock);
    char *text = s->text;
    s->text = NULL;
    pthread_mutex_unlock(&s->lock);
    return text;
}

struct metrics_source *metrics_source_new(struct gateway *g, struct error *err)
{
    struct metrics_source *s = memory_zeroed(1, sizeof *s);
    s->gateway = g;
    s->wake = loop_wake_new(g->loop, metrics_source_make, s, err);
    pthread_mutex_init(&s->lock, NULL);
    g->alarms.ask_metrics = metrics_source_ask;
    g->alarms.take_metrics = metrics_source_take;
    g->alarms.started_us = g->parts.started_utc_us;
    if (s->wake)
        return s;
    metrics_source_free(s);
    return NULL;
}

void metrics_source_free(struct metrics_source *source)
{
    if (!source)
        return;
    loop_wake_free(source->wake);
    pthread_mutex_destroy(&source->lock);
    free(source->text);
    free(source);
}
