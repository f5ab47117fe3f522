// SPDX-License-Identifier: BSD-2-Clause
#include "policy/maintenance.h"

#include "base/memory.h"
#include "policy/rules.h"

#include <string.h>

struct maintenance *maintenance_new(void)
{
    return memory_zeroed(1, sizeof(struct maintenance));
}

static void remove_at(struct maintenance *m, size_t i)
{
    m->windows[i] = m->windows[--m->count];
}

bool maintenance_stop(struct maintenance *maintenance, const char *name)
{
    for (size_t i = 0; i < maintenance->count; i++) {
        if (strcmp(maintenance->windows[i].name, name) == 0) {
            remove_at(maintenance, i);
            return true;
        }
    }
    return false;
}

static void maintenance_remove_ended(struct maintenance *m, int64_t now)
{
    for (size_t i = m->count; i-- > 0;) {
        if (m->windows[i].until_us <= now)
            remove_at(m, i);
    }
}

bool maintenance_start(struct maintenance *maintenance, const struct policy_maintenance *window,
                       int64_t now_us)
{
    maintenance_remove_ended(maintenance, now_us);
    maintenance_stop(maintenance, window->name);
    if (maintenance->count == POLICY_MAINTENANCE_MAX)
        return false;
    maintenance->windows[maintenance->count++] = *window;
    return true;
}

size_t maintenance_each(const struct maintenance *maintenance, int64_t now_us,
                        void (*each)(void *ctx, const struct policy_maintenance *window), void *ctx)
{
    size_t n = 0;
    for (size_t i = 0; i < maintenance->count; i++) {
        if (maintenance->windows[i].until_us <= now_us)
            continue;
        each(ctx, &maintenance->windows[i]);
        n++;
    }
    return n;
}

int64_t maintenance_until(const struct maintenance *maintenance, const struct event *event,
                          int64_t now_us)
{
    int64_t until = 0;
    for (size_t i = 0; i < maintenance->count; i++) {
        const struct policy_maintenance *window = &maintenance->windows[i];
        if (window->until_us > now_us && window->until_us > until &&
            rules_concern(&window->nodes, event))
            until = window->until_us;
    }
    return until;
}
