// SPDX-License-Identifier: BSD-2-Clause
// Finds the name that somebody meant who wrote another one.
#ifndef IBTRAPD_BASE_NEAREST_H
#define IBTRAPD_BASE_NEAREST_H

struct nearest {
    const char *wanted, *name; // what was written; the nearest name so far, NULL: none is near
    unsigned distance;         // letters between the two
};

// Begins a search. `wanted` outlives it.
struct nearest nearest_begin(const char *wanted);

// Takes `name` for the nearest one if it is so, and no more than two letters of `wanted` are too
// many, missing, wrong or exchanged with their neighbour. It outlives the search.
void nearest_try(struct nearest *nearest, const char *name);

#endif
