// SPDX-License-Identifier: BSD-2-Clause
// Binary search in a sorted sequence.
#pragma once

// Sets the variable `at` to the first place from `begin` up to `end` for which the expression
// `is_before` is false; to `end` if `is_before` is true for all places. `is_before` uses `at`, and
// is false for each place behind a place for which it is false.
#define SEARCH_FIRST(at, begin, end, is_before)                                                    \
    do {                                                                                           \
        __typeof__(at) search_low = (begin), search_high = (end);                                  \
        while (search_low < search_high) {                                                         \
            (at) = search_low + (search_high - search_low) / 2;                                    \
            if (is_before)                                                                         \
                search_low = (at) + 1;                                                             \
            else                                                                                   \
                search_high = (at);                                                                \
        }                                                                                          \
        (at) = search_low;                                                                         \
    } while (0)
