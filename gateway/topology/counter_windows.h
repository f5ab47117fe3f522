// SPDX-License-Identifier: BSD-2-Clause
// Counts the growth of a counter over two sliding windows. A window slides on by a slot. The slot
// that is filled now counts beside a full window. Pure.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum error_window { ERROR_WINDOW_SHORT, ERROR_WINDOW_LONG, ERROR_WINDOWS };

enum { COUNTER_WINDOWS_SLOTS = 12 }; // a window slides on by a twelfth of its length

// Starts zeroed.
struct counter_windows {
    uint32_t slots[ERROR_WINDOWS][COUNTER_WINDOWS_SLOTS + 1]; // by slot modulo their number
};

// The time of the windows of all counters.
struct counter_windows_time {
    int64_t window_us[ERROR_WINDOWS]; // at least COUNTER_WINDOWS_SLOTS
    int64_t began_us;                 // the windows count since then; 0: never
    int64_t updated_us;               // monotonic; 0: never
    int64_t elapsed_us;               // from the update before to the last update
};

// Empties the slots between the slot of the last update and the slot of `now_us`. Call it for each
// counter before the time is updated.
void counter_windows_slide(struct counter_windows *windows, const struct counter_windows_time *time,
                           int64_t now_us);

// Spreads growth since the update before evenly over the slots of that time.
void counter_windows_add(struct counter_windows *windows, const struct counter_windows_time *time,
                         uint64_t growth);

bool counter_windows_are_empty(const struct counter_windows *windows);
uint64_t counter_windows_sum(const struct counter_windows *windows, enum error_window window);

// The time of the slots of a sum: the window, and up to a twelfth more.
int64_t counter_windows_span(const struct counter_windows_time *time, enum error_window window);
