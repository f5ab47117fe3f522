// Of nodes that came or went together: which of them explains which others. Pure.
#ifndef IBTRAPD_TOPOLOGY_ROOTS_H
#define IBTRAPD_TOPOLOGY_ROOTS_H

#include "model/fabric.h"

// Looks at the nodes whose `twin` is FABRIC_NONE (the array has one for each node of the fabric).
// Such a node stands for itself when it has a link to a node with a twin. What is connected only to
// others without a twin went, or came, with the nearest switch that stands for itself; of several,
// with the one of the smallest GUID. Where none stands for itself, the switch of the smallest GUID
// does. `root` gets, for each node, its root (for one that stands for itself: itself), and
// FABRIC_NONE for those with a twin. Linear. False: out of memory.
bool roots_find(const struct fabric *fabric, const uint32_t *twin, uint32_t *root);

#endif
