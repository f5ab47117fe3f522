// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include "topology/describe.h"

#include <stdlib.h>

void changes_between_systems(const struct systems *before, const struct systems *after,
                             const struct names *names, struct changes *out)
{
    struct comparison t = {.names = names, .out = out};
    const uint32_t first = out->count;
    comparison_open(&t, before, after);
    compare_nodes(&t);
    compare_ports(&t);
    compare_links(&t);
    compare_names(&t);
    compare_pkeys(&t);
    compare_services(&t);
    for (uint32_t i = first; i < t.out->count; i++) {
        struct endpoint *const ends[] = {&t.out->all[i].subject, &t.out->all[i].peer};
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            if (!describe_system(t.after.systems, ends[k]))
                describe_system(t.before.systems, ends[k]);
        }
    }
    comparison_close(&t);
}

void changes_between(const struct fabric *before, const struct fabric *after,
                     const struct names *names, struct changes *out)
{
    struct systems *then = describe_systems(before, names, NULL),
                   *now = describe_systems(after, names, NULL);
    changes_between_systems(then, now, names, out);
    systems_unref(then);
    systems_unref(now);
}

void changes_add_failover(const struct fabric *after, const struct endpoint *former,
                          const struct names *names, struct changes *out)
{
    struct comparison t = {.after.fabric = after, .names = names, .out = out};
    compare_masters(&t, former);
}

void changes_clear(struct changes *changes)
{
    free(changes->all);
    *changes = (struct changes){0};
}
