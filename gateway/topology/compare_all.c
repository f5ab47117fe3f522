// SPDX-License-Identifier: BSD-2-Clause
#include "topology/compare.h"

#include <stdlib.h>

void changes_between(const struct fabric *before, const struct fabric *after,
                     const struct names *names, struct changes *out)
{
    struct comparison t = {.names = names, .out = out};
    comparison_open(&t, before, after);
    compare_nodes(&t);
    compare_ports(&t);
    compare_links(&t);
    compare_names(&t);
    compare_pkeys(&t);
    compare_services(&t);
    comparison_close(&t);
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
