// SPDX-License-Identifier: BSD-2-Clause
// Node numbers: each node gets a number once, and keeps it while it is gone, too. The numbers of
// its ports as interfaces of the fabric (ifIndex) are made of it.
#ifndef IBTRAPD_MODEL_NODE_NUMBERS_H
#define IBTRAPD_MODEL_NODE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NODE_NUMBERS_MAX = 1 << 18,                            // as many nodes as a fabric can have
    NODE_NUMBERS_STEP = 1000,                              // of interfaces from node to node
    NODE_NUMBERS_LAST = INT32_MAX / NODE_NUMBERS_STEP - 1, // greatest number of a node
};

struct node_number {
    uint32_t number; // 1 to NODE_NUMBERS_LAST
    uint64_t guid;   // of the node
};

// The numbers at one time; immutable, counted.
struct node_numbers;

// The numbers of a list, one reference, the caller's. Leaves out those that are not valid: GUID 0,
// a number out of range, and of two with the same number or GUID the one that comes later.
struct node_numbers *node_numbers_of(const struct node_number *list, size_t n);

// The numbers of `old`, and numbers for those of the `n` nodes that have none: counted on from the
// greatest one, or once NODE_NUMBERS_LAST is reached the least ones that are free. `guids` are all
// nodes that are there now, ascending, without doubles, NODE_NUMBERS_MAX at most. When there are
// too many, the nodes that are not there are forgotten, the least number first; the greatest number
// stays, so that no number comes again soon. Returns one reference, the caller's; to `old` if
// nothing changed.
struct node_numbers *node_numbers_with(struct node_numbers *old, const uint64_t *guids, size_t n);

struct node_numbers *node_numbers_ref(struct node_numbers *numbers);
void node_numbers_unref(struct node_numbers *numbers); // NULL is allowed

// 0: it has none. Any thread; `numbers` may be NULL.
uint32_t node_numbers_find(const struct node_numbers *numbers, uint64_t guid);

// Ascending by number. `numbers` of node_numbers_count may be NULL.
size_t node_numbers_count(const struct node_numbers *numbers);
const struct node_number *node_numbers_at(const struct node_numbers *numbers, size_t at);

#endif
