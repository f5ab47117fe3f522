// SPDX-License-Identifier: BSD-2-Clause
// A set of GUIDs; immutable, counted.
#ifndef IBTRAPD_MODEL_GUID_SET_H
#define IBTRAPD_MODEL_GUID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct guid_set;

// A set of `n` GUIDs, given in any order, with one reference, the caller's.
struct guid_set *guid_set_make(const uint64_t *guids, size_t n);
struct guid_set *guid_set_ref(struct guid_set *set); // NULL is allowed, and returned
void guid_set_unref(struct guid_set *set);           // NULL is allowed

// Any thread.
bool guid_set_has(const struct guid_set *set, uint64_t guid);
bool guid_set_equal(const struct guid_set *a, const struct guid_set *b);

#endif
