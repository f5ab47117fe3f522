// SPDX-License-Identifier: BSD-2-Clause
// Node numbers: each node gets a number once. A node that is gone keeps its number. The numbers of
// ports as interfaces of the fabric (ifIndex) are made of node numbers.
// Decides: Which number does a node get, and when may its number go to another node?
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NODE_NUMBERS_MAX = 1 << 18,                            // the nodes of the largest fabric
    NODE_NUMBERS_STEP = 1000,                              // of interfaces from node to node
    NODE_NUMBERS_LAST = INT32_MAX / NODE_NUMBERS_STEP - 1, // greatest number of a node
};

struct node_number {
    uint32_t number; // 1 to NODE_NUMBERS_LAST
    uint64_t guid;   // of the node
};

// The numbers at one time; immutable, counted.
struct node_numbers;

// The numbers of a list, one reference, the caller's. Leaves out GUID 0, numbers out of range, of
// two items with the same GUID the greater number, and one of two items with the same number.
struct node_numbers *node_numbers_of(const struct node_number *list, size_t n);

// The numbers of `old`, and new numbers for the `n` nodes without a number. New numbers follow the
// greatest number; after NODE_NUMBERS_LAST, the least free numbers are used. `guids` are all
// present nodes, ascending, without doubles, NODE_NUMBERS_MAX at most. If there are too many
// numbers, absent nodes lose their numbers, the least number first. The greatest number stays: a
// number does not come again soon. Returns one reference, the caller's; to `old` if nothing
// changed.
struct node_numbers *node_numbers_with(struct node_numbers *old, const uint64_t *guids, size_t n);

struct node_numbers *node_numbers_ref(struct node_numbers *numbers);
void node_numbers_unref(struct node_numbers *numbers); // NULL is allowed

// 0: the node has no number. Any thread; `numbers` may be NULL.
uint32_t node_numbers_find(const struct node_numbers *numbers, uint64_t guid);

// Ascending by number. `numbers` of node_numbers_count may be NULL.
size_t node_numbers_count(const struct node_numbers *numbers);
const struct node_number *node_numbers_at(const struct node_numbers *numbers, size_t at);
