// SPDX-License-Identifier: BSD-2-Clause
#include "topology/measured_errors.h"

#include "base/memory.h"
#include "base/search.h"

#include <stdatomic.h>
#include <stdlib.h>

struct measured_errors *measured_errors_of(const struct counter_watch *watch)
{
    const size_t waits = counter_watch_count(watch, ALARM_ABOUT_WAIT);
    const size_t counters = counter_watch_count(watch, ALARM_ABOUT_ERRORS);
    struct measured_errors *errors = memory_get(sizeof *errors + counters * sizeof *errors->all);
    *errors = (struct measured_errors){
        .references = 1, .waits = memory_get(waits * sizeof *errors->waits), .wait_count = waits};
    for (size_t i = 0; i < waits; i++) {
        const struct counter_measure one = counter_watch_at(watch, ALARM_ABOUT_WAIT, i);
        errors->waits[i] =
            (struct measured_wait){.node_guid = one.node_guid,
                                   .port = one.port,
                                   .unknown = one.unknown,
                                   .share = {(float)one.per_second[0], (float)one.per_second[1]}};
    }
    for (size_t i = 0; i < counters; i++) {
        errors->all[errors->count] = counter_watch_at(watch, ALARM_ABOUT_ERRORS, i);
        errors->count += errors->all[errors->count].per_second[ERROR_WINDOW_SHORT] > 0 ||
                         errors->all[errors->count].per_second[ERROR_WINDOW_LONG] > 0;
    }
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
    const struct measured_wait *one = at < errors->wait_count ? &errors->waits[at] : NULL;
    const bool found = one && one->node_guid == node_guid && one->port == port;
    *share = found ? (double)one->share[window] : 0;
    return !found || !one->unknown;
}
