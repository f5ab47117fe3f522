// SPDX-License-Identifier: BSD-2-Clause
#include "topology/counter_windows.h"

#include <string.h>

enum { SLOTS = COUNTER_WINDOWS_SLOTS + 1 };

#define GROWTH_MAX (UINT64_C(1) << 48) // of one update; a double has it exactly

static int64_t counter_windows_slot_length(const struct counter_windows_time *time,
                                           enum error_window window)
{
    return time->window_us[window] / COUNTER_WINDOWS_SLOTS;
}

void counter_windows_slide(struct counter_windows *windows, const struct counter_windows_time *time,
                           int64_t now_us)
{
    for (enum error_window w = 0; w < ERROR_WINDOWS; w++) {
        const int64_t length = counter_windows_slot_length(time, w), slot = now_us / length;
        int64_t first = time->updated_us / length + 1;
        if (first < slot - COUNTER_WINDOWS_SLOTS)
            first = slot - COUNTER_WINDOWS_SLOTS;
        for (int64_t i = first; i <= slot; i++)
            windows->slots[w][i % SLOTS] = 0;
    }
}

static uint64_t counter_windows_part(uint64_t growth, int64_t part_us, int64_t all_us)
{
    return part_us == all_us ? growth
                             : (uint64_t)((double)growth * (double)part_us / (double)all_us);
}

void counter_windows_add(struct counter_windows *windows, const struct counter_windows_time *time,
                         uint64_t growth)
{
    const int64_t elapsed_us = time->elapsed_us, from_us = time->updated_us - elapsed_us;
    growth = growth < GROWTH_MAX ? growth : GROWTH_MAX;
    for (enum error_window w = 0; w < ERROR_WINDOWS; w++) {
        const int64_t length = counter_windows_slot_length(time, w);
        const int64_t newest = time->updated_us / length;
        uint64_t given = 0;
        int64_t given_us = 0;
        for (int64_t i = newest; i >= 0 && i > newest - SLOTS && given_us < elapsed_us; i--) {
            const int64_t begin = i * length > from_us ? i * length : from_us;
            given_us = time->updated_us - begin;
            const uint64_t sum = counter_windows_part(growth, given_us, elapsed_us);
            const uint64_t all = windows->slots[w][i % SLOTS] + (sum - given);
            windows->slots[w][i % SLOTS] = all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
            given = sum;
        }
    }
}

bool counter_windows_are_empty(const struct counter_windows *windows)
{
    static const struct counter_windows NONE;
    return memcmp(windows, &NONE, sizeof NONE) == 0;
}

uint64_t counter_windows_sum(const struct counter_windows *windows, enum error_window window)
{
    uint64_t sum = 0;
    for (int i = 0; i < SLOTS; i++)
        sum += windows->slots[window][i];
    return sum;
}

int64_t counter_windows_span(const struct counter_windows_time *time, enum error_window window)
{
    const int64_t length = counter_windows_slot_length(time, window);
    return COUNTER_WINDOWS_SLOTS * length + time->updated_us % length;
}
