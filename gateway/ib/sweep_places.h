// SPDX-License-Identifier: BSD-2-Clause
// Where a node is: the port of another node that leads to it. Two nodes with one GUID answer at two
// places, and only one of them can be the node that was known before. Pure.
#ifndef IBTRAPD_IB_SWEEP_PLACES_H
#define IBTRAPD_IB_SWEEP_PLACES_H

#include "model/fabric_builder.h"

// A port of a node, by the builder's number; FABRIC_NONE: none, as the own node has no place.
struct sweep_place {
    uint32_t node;
    uint8_t port;
};

// The place at which the sweep found the node: the other end of this port's link, or of any other
// link if it has none. False: the node has no links.
bool sweep_places_now(struct fabric_builder *builder, uint32_t node, uint8_t port,
                      struct sweep_place *out);

// Whether a node that answered at this place, and that the sweep has not found yet, may have its
// place elsewhere: `known` has it at other places only, and at one of them the sweep has not seen
// that the link is down or leads to another node. `known` may be NULL.
bool sweep_places_may_be_elsewhere(const struct fabric *known, struct fabric_builder *builder,
                                   uint64_t guid, const struct sweep_place *place);

#endif
