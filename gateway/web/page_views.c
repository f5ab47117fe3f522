// SPDX-License-Identifier: BSD-2-Clause
#include "web/page_views.h"

#include "base/memory.h"
#include "control/handlers.h"
#include "ctl/protocol.h"
#include "picture/svg.h"
#include "topology/describe.h"

// Names.

static void page_views_keep_name(struct page_view_name *name, int64_t number,
                                 const struct event *event)
{
    *name = (struct page_view_name){.number = number};
    if (event) {
        name->guid = event->subject.node_guid;
        name->peer_guid = event->peer.node_guid;
        memcpy(name->name, event->subject.name, sizeof name->name);
        memcpy(name->peer_name, event->peer.name, sizeof name->peer_name);
        memcpy(name->system, event->subject.system, sizeof name->system);
        memcpy(name->peer_system, event->peer.system, sizeof name->peer_system);
    }
}

const struct page_view_name *page_views_find_name(struct page_view_names *names,
                                                  struct journal *journal, int64_t number)
{
    struct journal_status status;
    struct page_view_name *name = &names->all[(uint64_t)number % PAGE_VIEWS_NAMES_MAX];
    if (name->number == number)
        return name;
    journal_get_status(journal, &status);
    if (names->reads == 0 || !status.durable || number > journal_last(journal))
        return NULL;
    names->reads--;
    struct event *event = journal_read_at(journal, number);
    page_views_keep_name(name, number, event);
    event_unref(event);
    return name;
}

// Alarms.

struct page_views {
    struct journal *journal;
    const char *fabric_name;
    const struct systems *systems; // of the fabric; NULL: no fabric yet
    const struct fabric *fabric;
    const struct names *names;
    struct page_view_names *then;
};

// Returns the name of an end in the event that raised the alarm; empty: the event does not name the
// end.
static const char *page_views_name_then(const struct page_view_name *then, uint64_t guid)
{
    return !then                     ? ""
           : then->guid == guid      ? then->name
           : then->peer_guid == guid ? then->peer_name
                                     : "";
}

static bool page_views_is_there(const struct page_views *all, uint64_t guid)
{
    return names_find(all->names, guid) || fabric_find_node(all->fabric, guid) != FABRIC_NONE;
}

static json_t *page_views_end(const struct page_views *all, const struct page_view_name *then,
                              uint64_t guid, uint8_t port)
{
    char label[NAMES_NAME_SIZE] = "";
    const uint32_t node = fabric_find_node(all->fabric, guid);
    const char *known = names_find(all->names, guid);
    const char *name = node != FABRIC_NONE
                           ? describe_label(all->fabric, node, FABRIC_NONE, all->names, label)
                       : known ? known
                               : page_views_name_then(then, guid);
    return json_pack("{s:o, s:o, s:i}", "guid", protocol_guid(guid), "name", protocol_text(name),
                     "port", (int)port);
}

// The names in the event that raised the alarm, if an end has left the fabric.
static const struct page_view_name *
page_views_read_then(struct page_views *all, const struct alarm *a, const struct alarm_key *what)
{
    const bool gone = !page_views_is_there(all, what->guid) ||
                      (what->peer_guid != 0 && !page_views_is_there(all, what->peer_guid));
    return gone ? page_views_find_name(all->then, all->journal, a->event_sequence) : NULL;
}

static const char *page_views_system(const struct page_views *all,
                                     const struct page_view_name *then, uint64_t guid)
{
    const uint32_t node = fabric_find_node(all->fabric, guid);
    if (all->systems && node != FABRIC_NONE)
        return systems_of(all->systems, node)->name;
    return then && then->guid == guid ? then->system : "";
}

static json_t *page_views_one(struct page_views *all, const struct alarm *a)
{
    struct alarm_key what;
    const bool known = picture_read_key(a->key, &what) && what.kind <= ALARM_KEY_RATE;
    const struct page_view_name *then = known ? page_views_read_then(all, a, &what) : NULL;
    json_t *ends = json_array(),
           *one =
               alarm_answers_json(a, page_views_system(all, then, a->node_guid), all->fabric_name);
    if (known)
        json_array_append_new(ends, page_views_end(all, then, what.guid, what.port));
    if (known && what.peer_guid != 0)
        json_array_append_new(ends, page_views_end(all, then, what.peer_guid, what.peer_port));
    json_object_set_new(one, "ends", ends);
    return one;
}

void page_views_alarms(json_t *state, struct journal *journal, const struct systems *systems,
                       const struct names *names, struct page_view_names *then)
{
    const char *fabric_name = json_string_value(json_object_get(state, "fabric_name"));
    struct page_views all = {.journal = journal,
                             .fabric_name = fabric_name ? fabric_name : "",
                             .systems = systems,
                             .fabric = systems ? systems->fabric : NULL,
                             .names = names,
                             .then = then};
    struct worst_alarms worst;
    json_t *list = json_array();
    then->reads = PAGE_VIEWS_READS_MAX;
    worst_alarms_find(journal, NULL, PAGE_VIEWS_ALARMS_MAX, &worst);
    for (size_t i = 0; i < worst.count; i++)
        json_array_append_new(list, page_views_one(&all, worst.all[i]));
    json_object_set_new(state, "alarms", list);
    json_object_set_new(state, "alarms_left_out", json_integer((json_int_t)worst.left_out));
    worst_alarms_free(&worst);
}

// The map.

enum { PAGE_VIEWS_AT_ONCE = 256 };

struct page_view_map {
    struct picture *picture;
    int64_t to_name[PAGE_VIEWS_NAMES_MAX]; // events
    size_t to_name_count;
};

static void page_views_take(struct page_view_map *map, const struct alarm *alarm)
{
    const uint32_t before = map->picture->node_count;
    picture_add_alarm(map->picture, alarm->key, alarm->type, alarm->cause_id[0] != '\0');
    if (map->picture->node_count > before && map->to_name_count < PAGE_VIEWS_NAMES_MAX)
        map->to_name[map->to_name_count++] = alarm->event_sequence;
}

// Gives the absent nodes the names from the events that raised their alarms.
static void page_views_name(struct page_view_map *map, struct journal *journal,
                            struct page_view_names *names)
{
    names->reads = PAGE_VIEWS_READS_MAX;
    for (size_t i = 0; i < map->to_name_count; i++) {
        const struct page_view_name *then = page_views_find_name(names, journal, map->to_name[i]);
        if (then) {
            picture_name_absent(map->picture, then->guid, then->name, then->system);
            picture_name_absent(map->picture, then->peer_guid, then->peer_name, then->peer_system);
        }
    }
}

static void page_views_draw(struct page_view_map *map, struct journal *journal,
                            struct page_view_names *then, FILE *out)
{
    struct alarm_page page = {.all = memory_zeroed(PAGE_VIEWS_AT_ONCE, sizeof *page.all),
                              .room = PAGE_VIEWS_AT_ONCE,
                              .more = true};
    for (size_t drawn = 0; page.more && drawn < PAGE_VIEWS_MAP_ALARMS_MAX; drawn += page.count) {
        journal_read_alarms(journal, JOURNAL_ACTIVE_ALARMS, &page);
        for (size_t i = 0; i < page.count; i++)
            page_views_take(map, &page.all[i]);
    }
    free(page.all);
    page_views_name(map, journal, then);
    picture_finish(map->picture);
    svg_write(out, map->picture, false);
}

char *page_views_map(struct topology *topology, struct journal *journal,
                     struct page_view_names *then, size_t *size)
{
    static const struct fabric NOTHING = {0};
    struct systems *systems = topology_systems(topology);
    struct fabric *fabric = systems ? fabric_ref(systems->fabric) : topology_current(topology);
    struct names *names = topology_names(topology);
    char *text = NULL;
    FILE *out = memory_need(open_memstream(&text, size));
    struct page_view_map map = {.picture =
                                    picture_new(fabric ? fabric : &NOTHING, names, systems, false)};
    page_views_draw(&map, journal, then, out);
    fclose(out);
    picture_free(map.picture);
    names_unref(names);
    fabric_unref(fabric);
    systems_unref(systems);
    return text;
}
