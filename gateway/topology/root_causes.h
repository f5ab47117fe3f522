// Of nodes that came or went together: which of them explains which others. Pure.
#ifndef IBTRAPD_TOPOLOGY_ROOT_CAUSES_H
#define IBTRAPD_TOPOLOGY_ROOT_CAUSES_H

#include "model/fabric.h"

// Looks at the nodes whose `counterpart` is FABRIC_NONE (the array has one for each node of the
// fabric). Such a node stands for itself when it has a link to a node with a counterpart. What is
// connected only to others without a counterpart went, or came, with the nearest switch that stands
// for itself; of several, with the one of the smallest GUID. Where none stands for itself, the
// switch of the smallest GUID does. `root` gets, for each node, its root (for one that stands for
// itself: itself), and FABRIC_NONE for those with a counterpart. Linear. False: out of memory.
bool root_causes_find(const struct fabric *fabric, const uint32_t *counterpart, uint32_t *root);

#endif
