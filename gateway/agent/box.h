// SPDX-License-Identifier: BSD-2-Clause
// The ends of indices that the rows of a table can have: each identifier from `first` to `last`.
#ifndef IBTRAPD_AGENT_BOX_H
#define IBTRAPD_AGENT_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOX_LENGTH_MAX = 3 };

struct box {
    uint32_t first[BOX_LENGTH_MAX], last[BOX_LENGTH_MAX];
    size_t length;
};

// Sets `tail` to the first end within the box after `after` (length 0: to the first of all); sets
// it to the next one. False: there is none.
bool box_begin_after(const struct box *box, const uint32_t *after, size_t length, uint32_t *tail);
bool box_count_up(const struct box *box, uint32_t *tail);

#endif
