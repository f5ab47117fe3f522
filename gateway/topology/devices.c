// SPDX-License-Identifier: BSD-2-Clause
#include "topology/devices.h"

#include "base/memory.h"
#include "base/search.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct devices {
    pthread_mutex_t lock;
    struct device_record **all; // ascending by node, port and page
    size_t count, capacity;
};

struct devices *devices_new(void)
{
    struct devices *devices = memory_zeroed(1, sizeof *devices);
    pthread_mutex_init(&devices->lock, NULL);
    return devices;
}

void devices_free(struct devices *devices)
{
    if (!devices)
        return;
    for (size_t i = 0; i < devices->count; i++)
        free(devices->all[i]);
    free(devices->all);
    pthread_mutex_destroy(&devices->lock);
    free(devices);
}

static int devices_compare(const struct device_reading *a, const struct device_reading *b)
{
    if (a->node_guid != b->node_guid)
        return a->node_guid < b->node_guid ? -1 : 1;
    return a->port != b->port ? (int)a->port - b->port : (int)a->page - b->page;
}

// The place of the first record that is not before the page.
static struct device_record **devices_place(const struct devices *devices,
                                            const struct device_reading *page)
{
    struct device_record **at;
    SEARCH_FIRST(at, devices->all, devices->all + devices->count,
                 devices_compare(&(*at)->reading, page) < 0);
    return at;
}

static bool devices_is_at(const struct devices *devices, struct device_record **at,
                          const struct device_reading *page)
{
    return at < devices->all + devices->count && devices_compare(&(*at)->reading, page) == 0;
}

bool devices_find(struct devices *devices, uint64_t node_guid, uint8_t port,
                  enum register_page page, struct device_record *out)
{
    const struct device_reading wanted = {
        .node_guid = node_guid, .port = port, .page = (uint8_t)page};
    bool found = false;
    if (!devices)
        return false;
    pthread_mutex_lock(&devices->lock);
    if (devices->count > 0) {
        struct device_record **at = devices_place(devices, &wanted);
        found = devices_is_at(devices, at, &wanted);
        if (found)
            *out = **at;
    }
    pthread_mutex_unlock(&devices->lock);
    return found;
}

static void devices_insert(struct devices *devices, const struct device_record *record)
{
    MEMORY_MAKE_ROOM(devices->all, devices->count, devices->capacity);
    struct device_record **at = devices_place(devices, &record->reading);
    if (!devices_is_at(devices, at, &record->reading)) {
        if (devices->count == DEVICES_RECORDS_MAX)
            return;
        memmove(at + 1, at, (size_t)(devices->all + devices->count - at) * sizeof(*at));
        *at = memory_get(sizeof **at);
        devices->count++;
    }
    **at = *record;
}

void devices_put(struct devices *devices, const struct device_record *record)
{
    pthread_mutex_lock(&devices->lock);
    devices_insert(devices, record);
    pthread_mutex_unlock(&devices->lock);
}

void devices_forget_old(struct devices *devices, int64_t utc_us)
{
    size_t kept = 0;
    pthread_mutex_lock(&devices->lock);
    for (size_t i = 0; i < devices->count; i++) {
        struct device_record *one = devices->all[i];
        if (utc_us - one->time_us > DEVICES_MEMORY_US)
            free(one);
        else
            devices->all[kept++] = one;
    }
    devices->count = kept;
    pthread_mutex_unlock(&devices->lock);
}
