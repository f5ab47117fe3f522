// SPDX-License-Identifier: BSD-2-Clause
#include "agent/box.h"

#include <string.h>

bool box_count_up(const struct box *box, uint32_t *tail)
{
    for (size_t i = box->length; i-- > 0;) {
        if (tail[i] >= box->last[i])
            continue;
        tail[i]++;
        memcpy(tail + i + 1, box->first + i + 1, (box->length - i - 1) * sizeof *tail);
        return true;
    }
    return false;
}

bool box_begin_after(const struct box *box, const uint32_t *after, size_t length, uint32_t *tail)
{
    const size_t given = length < box->length ? length : box->length;
    memcpy(tail, box->first, box->length * sizeof *tail);
    for (size_t i = 0; i < given; i++) {
        if (after[i] < box->first[i])
            return true;
        tail[i] = after[i];
        if (after[i] <= box->last[i])
            continue;
        memcpy(tail + i, box->last + i, (box->length - i) * sizeof *tail);
        return box_count_up(box, tail);
    }
    return length < box->length || box_count_up(box, tail);
}
