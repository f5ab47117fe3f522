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

struct measured_errors *measured_errors_of(const struct error_rates *rates)
{
    struct measured_errors *errors =
        malloc(sizeof *errors + error_rates_count(rates) * sizeof *errors->all);
    if (!errors)
        return NULL;
    errors->references = 1;
    errors->count = 0;
    error_rates_each(rates, measured_errors_add, errors);
    return errors;
}

struct measured_errors *measured_errors_ref(struct measured_errors *errors)
{
    atomic_fetch_add_explicit(&errors->references, 1, memory_order_relaxed);
    return errors;
}

void measured_errors_unref(struct measured_errors *errors)
{
    if (errors && atomic_fetch_sub_explicit(&errors->references, 1, memory_order_acq_rel) == 1)
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
