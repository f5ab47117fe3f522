// SPDX-License-Identifier: BSD-2-Clause
// The map of the fabric on the page.
#ifndef IBTRAPD_PAGE_PAGE_MAP_H
#define IBTRAPD_PAGE_PAGE_MAP_H

#include "page/page_names.h"
#include "topology/topology.h"

enum { PAGE_MAP_ALARMS_MAX = 10000 }; // that the map knows of

// The fabric with its alarms as SVG without a style of its own, malloc'ed. Before the first sweep
// it is empty. `then` knows the names of what is gone.
char *page_map_write(struct topology *topology, struct journal *journal, struct page_names *then,
                     size_t *size);

#endif
