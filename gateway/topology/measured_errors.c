// SPDX-License-Identifier: BSD-2-Clause
#include "topology/measured_errors.h"

#include "base/search.h"

#include <stdatomic.h>
#include <stdlib.h>

static void measured_errors_add(void *ctx, const struct error_rate_measure *measure)
{
    struct measured_errors *errors = ctx;
    if (measure->per_second[ERROR_WINDOW_SHORT] > 0 || measure->per_second[ERROR_WINDOW_LONG] > 0)
        errors->all[errors->count++] = *measure;
}

static void measured_errors_add_wait(void *ctx, const struct congestion_measure *measure)
{
    struct measured_errors *errors = ctx;
    errors->waits[errors->wait_count++] = *measure;
}

struct measured_errors *measured_errors_of(const struct error_rates *rates,
                                           const struct congestion *congestion)
{
    const size_t waits = congestion ? congestion_count(congestion) : 0;
    struct measured_errors *errors =
        malloc(sizeof *errors + error_rates_count(rates) * sizeof *errors->all);
    struct congestion_measure *room = errors ? malloc((waits + 1) * sizeof *room) : NULL;
    if (!room) {
        free(errors);
        return NULL;
    }
    errors->references = 1;
    errors->count = errors->wait_count = 0;
    errors->waits = room;
    error_rates_each(rates, measured_errors_add, errors);
    if (congestion)
        congestion_each(congestion, measured_errors_add_wait, errors);
    return errors;
}

struct measured_errors *measured_errors_ref(struct measured_errors *errors)
{
    atomic_fetch_add_explicit(&errors->references, 1, memory_order_relaxed);
    return errors;
}

void measured_errors_unref(struct measured_errors *errors)
{
    if (!errors || atomic_fetch_sub_explicit(&errors->references, 1, memory_order_acq_rel) > 1)
        return;
    free(errors->waits);
    free(errors);
}

size_t measured_errors_find(const struct measured_errors *errors, uint64_t node_guid, uint8_t port)
{
    size_t at;
    SEARCH_FIRST(at, 0, errors->count,
                 counter_compare_ports(errors->all[at].node_guid, errors->all[at].port, node_guid,
                                       port) < 0);
    return at;
}

bool measured_errors_find_wait(const struct measured_errors *errors, uint64_t node_guid,
                               uint8_t port, enum error_window window, double *share)
{
    size_t at;
    SEARCH_FIRST(at, 0, errors->wait_count,
                 counter_compare_ports(errors->waits[at].node_guid, errors->waits[at].port,
                                       node_guid, port) < 0);
    const struct congestion_measure *one = at < errors->wait_count ? &errors->waits[at] : NULL;
    const bool found = one && one->node_guid == node_guid && one->port == port;
    *share = found ? (double)one->share[window] : 0;
    return !found || !one->unknown;
}
