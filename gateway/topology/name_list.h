// SPDX-License-Identifier: BSD-2-Clause
// Names of nodes in a sentence. Up to five stand in the order of the list. More are sorted, and
// where the names do not fit one by one, names that differ in one number share a list of numbers,
// as Slurm writes them: "gpu[01-20]". Pure.
// Decides: How does a sentence name many nodes?
#pragma once

#include "base/text.h"
#include "model/names.h"

#include <stdint.h>

enum { NAME_LIST_FEW = 5 };

// Starts zeroed.
struct name_list {
    struct name_list_entry {
        char text[NAMES_NAME_SIZE];
    } * all;
    uint32_t count, capacity;
};

// Adds an empty name, for the caller to fill: NAMES_NAME_SIZE octets.
char *name_list_add(struct name_list *list);

// Adds the names that fit into `room` octets of the text, at most `most`, and how many others there
// are: "a, b and 13 more". Sorts a list of more than NAME_LIST_FEW names.
void name_list_write(struct name_list *list, uint32_t most, size_t room, struct text *t);

void name_list_clear(struct name_list *list); // frees the names and zeroes the list
