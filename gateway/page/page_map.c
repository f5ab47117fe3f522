// SPDX-License-Identifier: BSD-2-Clause
#include "page/page_map.h"

#include "base/memory.h"
#include "picture/svg.h"

#include <stdlib.h>

enum { MAP_ALARMS_AT_ONCE = 256 };

struct page_map {
    struct picture *picture;
    int64_t after;
    size_t count;
    int64_t to_name[PAGE_NAMES_MAX]; // events
    size_t to_name_count;
};

static void page_map_take(void *ctx, const struct alarm *alarm)
{
    struct page_map *map = ctx;
    map->after = alarm->event_sequence;
    map->count++;
    const uint32_t before = map->picture->node_count;
    picture_add_alarm(map->picture, alarm->key, alarm->type);
    if (map->picture->node_count > before && map->to_name_count < PAGE_NAMES_MAX)
        map->to_name[map->to_name_count++] = alarm->event_sequence;
}

// Names what is gone as the events did that raised the alarms.
static void page_map_name(struct page_map *map, struct journal *journal, struct page_names *names)
{
    for (size_t i = 0; i < map->to_name_count; i++) {
        const struct page_name *then = page_names_find(names, journal, map->to_name[i]);
        if (then) {
            picture_name_absent(map->picture, then->guid, then->name);
            picture_name_absent(map->picture, then->peer_guid, then->peer_name);
        }
    }
}

static void page_map_draw(struct page_map *map, struct journal *journal, struct page_names *then,
                          FILE *out)
{
    bool more = true;
    while (more && map->count < PAGE_MAP_ALARMS_MAX)
        more =
            journal_each_alarm_after(journal, map->after, MAP_ALARMS_AT_ONCE, page_map_take, map);
    page_map_name(map, journal, then);
    picture_finish(map->picture);
    svg_write(out, map->picture, false);
}

char *page_map_write(struct topology *topology, struct journal *journal, struct page_names *then,
                     size_t *size)
{
    static const struct fabric NOTHING = {0};
    struct fabric *fabric = topology_current(topology);
    struct names *names = topology_names(topology);
    char *text = NULL;
    FILE *out = memory_need(open_memstream(&text, size));
    struct page_map map = {.picture = picture_new(fabric ? fabric : &NOTHING, names, false)};
    page_map_draw(&map, journal, then, out);
    fclose(out);
    picture_free(map.picture);
    names_unref(names);
    fabric_unref(fabric);
    return text;
}
