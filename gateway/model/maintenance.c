// SPDX-License-Identifier: BSD-2-Clause
#include "model/maintenance.h"

#include <string.h>

struct maintenance_window *maintenance_find(struct maintenance *maintenance, const char *name)
{
    for (size_t i = 0; i < maintenance->count; i++) {
        if (strcmp(maintenance->windows[i].name, name) == 0)
            return &maintenance->windows[i];
    }
    return NULL;
}

bool maintenance_covers_all(const struct maintenance_window *window)
{
    bool covers = window->nodes.count == 0;
    for (size_t i = 0; i < window->nodes.count; i++) {
        const char *pattern = window->nodes.patterns[i];
        covers |= pattern[strspn(pattern, "*")] == '\0' || strcmp(pattern, "0x*") == 0;
    }
    return covers;
}

bool maintenance_start(struct maintenance *maintenance, const struct maintenance_window *window,
                       int64_t now_us)
{
    for (size_t i = maintenance->count; i-- > 0;) {
        if (maintenance->windows[i].until_us <= now_us)
            maintenance->windows[i] = maintenance->windows[--maintenance->count];
    }
    struct maintenance_window *place = maintenance_find(maintenance, window->name);
    if (!place && maintenance->count < MAINTENANCE_MAX)
        place = &maintenance->windows[maintenance->count++];
    if (place)
        *place = *window;
    return place != NULL;
}

bool maintenance_stop(struct maintenance *maintenance, const char *name)
{
    struct maintenance_window *window = maintenance_find(maintenance, name);
    if (window)
        *window = maintenance->windows[--maintenance->count];
    return window != NULL;
}
