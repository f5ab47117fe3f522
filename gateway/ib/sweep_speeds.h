// SPDX-License-Identifier: BSD-2-Clause
// Asks for the speeds that a plain Get(PortInfo) does not have.
#ifndef IBTRAPD_IB_SWEEP_SPEEDS_H
#define IBTRAPD_IB_SWEEP_SPEEDS_H

#include "ib/sweep.h"
#include "ib/sweep_branches.h"

// Completes the speeds of ports whose links are up, once all nodes are found; `branches` are the
// routes to the builder's nodes. A port that supports extended speeds by its capabilities, and
// shows none, is asked again with bit 31 of the AttributeModifier, by which a subnet manager says
// that it knows them. One of Mellanox at QDR is asked for Mellanox's ExtendedPortInfo, which has
// FDR10. The ports of a node are asked one after the other, until one does not answer. Those
// without an answer keep the speeds that `known` has of the same link, as do all when the sweep
// reached a limit: then none is asked. False with a sentence as other parts of a sweep.
bool sweep_speeds(struct sweep *sweep, struct fabric_builder *builder,
                  const struct sweep_branches *branches, struct error *err);

#endif
