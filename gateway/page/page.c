// SPDX-License-Identifier: BSD-2-Clause
#include "page/page.h"

#include "base/clock.h"
#include "control/answer.h"
#include "control/commands.h"
#include "page/files.h"
#include "page/page_alarms.h"
#include "page/page_map.h"
#include "picture/svg.h"

#include <stdlib.h>
#include <string.h>

static const char PAGE_STATE[] = "/state.json", PAGE_MAP[] = "/fabric.svg",
                  PAGE_STYLE[] = "/fabric.css", PAGE_EVENTS[] = "/events";

// When a document was made last. Half a million alarms, or a large fabric, take half a second.
struct page_making {
    int64_t at, took; // monotonic
};

struct page {
    struct control *control;
    struct page_names then;
    char *state; // as it was made last
    struct page_making state_making;
    char *map;
    size_t map_size;
    struct page_making map_making;
    int64_t map_fabric_us, map_last; // the fabric and the journal that it is of
};

struct page *page_new(struct control *control)
{
    struct page *page = calloc(1, sizeof *page);
    if (page)
        page->control = control;
    return page;
}

void page_free(struct page *page)
{
    if (!page)
        return;
    free(page->state);
    free(page->map);
    free(page);
}

// Whether making the document again would take more than its share of the loop's time.
static bool page_is_too_soon(const struct page_making *making, int64_t now)
{
    return now - making->at < PAGE_SHARE * making->took;
}

static struct page_making page_made(int64_t began)
{
    const int64_t now = clock_monotonic(&clock_system);
    return (struct page_making){now, now - began};
}

// Answers of the control socket, as an unprivileged user gets them.

static json_t *page_ask(const struct page *page, const char *command, const json_t *request)
{
    static const struct peer_credentials NOBODY = {.uid = (uid_t)-1};
    return control_answer(page->control, &NOBODY, command, request);
}

// Copies these items of an object into another.
static void page_copy(json_t *to, const json_t *from, const char *const *items)
{
    for (; *items; items++)
        json_object_set(to, *items, json_object_get(from, *items));
}

// The list, each object with these items only.
static json_t *page_pick(const json_t *list, const char *const *items)
{
    size_t i;
    const json_t *one;
    json_t *out = json_array();
    json_array_foreach(list, i, one)
    {
        json_t *object = json_object();
        page_copy(object, one, items);
        json_array_append_new(out, object);
    }
    return out;
}

// The state.

static void page_add_status(json_t *out, const json_t *status)
{
    static const char *const WHOLE[] = {"release", "uptime", "problem", "port", "sm", "role", NULL};
    static const char *const RECEIVER[] = {"name", "kind",    "state",   "queued",
                                           "sent", "dropped", "problem", NULL};
    static const char *const SUBSCRIPTION[] = {"trap", "state", "detail", NULL};
    static const char *const SWEEP[] = {"method", "last",     "complete", "nodes",
                                        "links",  "switches", NULL};
    json_t *sweep = json_object();
    page_copy(out, status, WHOLE);
    page_copy(sweep, json_object_get(status, "sweep"), SWEEP);
    json_object_set_new(out, "sweep", sweep);
    json_object_set_new(out, "receivers",
                        page_pick(json_object_get(status, "receivers"), RECEIVER));
    json_object_set_new(out, "subscriptions",
                        page_pick(json_object_get(status, "subscriptions"), SUBSCRIPTION));
}

// What changes when the map does.
static json_t *page_map_version(const struct fabric *fabric)
{
    return json_integer(fabric ? (json_int_t)fabric->time_us : 0);
}

static json_t *page_state_json(struct page *page)
{
    static const char *const HEALTH[] = {"state", "ready", "line", "findings", "alarms", NULL};
    struct topology *topology = page->control->topology;
    struct fabric *fabric = topology_current(topology);
    struct names *names = topology_names(topology);
    json_t *request = json_object(), *health = page_ask(page, "health", request);
    json_t *status = page_ask(page, "status", request);
    json_t *out = json_object(), *verdict = json_object();
    page_copy(verdict, health, HEALTH);
    json_object_set_new(out, "now", answer_time(clock_utc(&clock_system)));
    json_object_set_new(out, "health", verdict);
    page_add_status(out, status);
    json_object_set_new(out, "map", page_map_version(fabric));
    bool ok = health && status &&
              json_object_set_new(
                  out, "alarms",
                  page_alarms_json(page->control->journal, fabric, names, &page->then)) == 0;
    json_decref(health);
    json_decref(status);
    json_decref(request);
    names_unref(names);
    fabric_unref(fabric);
    if (ok)
        return out;
    json_decref(out);
    return NULL;
}

static bool page_make_state(struct page *page, struct metrics_document *out)
{
    const int64_t now = clock_monotonic(&clock_system);
    if (!page->state || !page_is_too_soon(&page->state_making, now)) {
        json_t *state = page_state_json(page);
        free(page->state);
        page->state = state ? json_dumps(state, JSON_COMPACT) : NULL;
        json_decref(state);
        page->state_making = page_made(now);
    }
    if (!page->state)
        return false;
    *out = (struct metrics_document){"application/json", page->state, strlen(page->state)};
    return true;
}

// Whether the map is still true, or it is too soon for another one.
static bool page_keeps_map(const struct page *page, int64_t fabric_us, int64_t last, int64_t now)
{
    return page->map && ((page->map_fabric_us == fabric_us && page->map_last == last) ||
                         page_is_too_soon(&page->map_making, now));
}

static bool page_make_map(struct page *page, struct metrics_document *out)
{
    struct fabric *fabric = topology_current(page->control->topology);
    const int64_t fabric_us = fabric ? fabric->time_us : 0, now = clock_monotonic(&clock_system);
    const int64_t last = journal_last(page->control->journal);
    fabric_unref(fabric);
    if (!page_keeps_map(page, fabric_us, last, now)) {
        free(page->map);
        page->map = page_map_write(page->control->topology, page->control->journal, &page->then,
                                   &page->map_size);
        page->map_making = page_made(now);
        page->map_fabric_us = fabric_us;
        page->map_last = last;
    }
    *out = (struct metrics_document){"image/svg+xml", page->map, page->map_size};
    return page->map != NULL;
}

// Documents.

static const struct page_file *page_find_file(const char *path)
{
    const struct page_file *file = PAGE_FILES;
    while (file->path && strcmp(file->path, path) != 0)
        file++;
    return file->path ? file : NULL;
}

static bool page_has(void *ctx, const char *path)
{
    const struct page *page = ctx;
    return page->control->conf && page->control->conf->metrics.page &&
           (page_find_file(path) || strcmp(path, PAGE_STATE) == 0 || strcmp(path, PAGE_MAP) == 0 ||
            strcmp(path, PAGE_STYLE) == 0 || strcmp(path, PAGE_EVENTS) == 0);
}

static bool page_make(void *ctx, const char *path, struct metrics_document *out)
{
    const struct page_file *file = page_find_file(path);
    if (file)
        *out = (struct metrics_document){file->type, file->text, file->size};
    else if (strcmp(path, PAGE_STYLE) == 0)
        *out = (struct metrics_document){"text/css", SVG_STYLE, strlen(SVG_STYLE)};
    else
        return strcmp(path, PAGE_MAP) == 0 ? page_make_map(ctx, out) : page_make_state(ctx, out);
    return true;
}

// Events.

static void page_write_event(FILE *out, const json_t *event)
{
    static const char *const ITEMS[] = {"number",     "time", "event",      "severity",  "text",
                                        "alarmState", "test", "suppressed", "relatedId", NULL};
    json_t *one = json_object();
    page_copy(one, event, ITEMS);
    char *line = json_dumps(one, JSON_COMPACT); // has no line ends
    if (line)
        fprintf(out, "id: %lld\ndata: %s\n\n",
                (long long)json_integer_value(json_object_get(event, "number")), line);
    free(line);
    json_decref(one);
}

static void page_write_events(FILE *out, const json_t *answer, int64_t *after)
{
    size_t i;
    const json_t *event, *list = json_object_get(answer, "events");
    json_array_foreach(list, i, event) page_write_event(out, event);
    const int64_t place = json_integer_value(json_object_get(answer, "place"));
    *after = place > *after ? place : *after;
}

static char *page_follow(void *ctx, int64_t *after, size_t *size)
{
    const struct page *page = ctx;
    const int64_t last = page->control->conf ? journal_last(page->control->journal) : 0;
    if (!page_has(ctx, PAGE_EVENTS))
        return NULL;
    if (*after < 0 || *after > last || *after < last - PAGE_EVENTS_MAX)
        *after = last > PAGE_EVENTS_MAX ? last - PAGE_EVENTS_MAX : 0;
    if (*after == last) {
        *size = 0;
        return calloc(1, 1);
    }
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    json_t *request =
        json_pack("{s:I, s:i}", "after", (json_int_t)*after, "limit", PAGE_EVENTS_MAX);
    json_t *answer = out ? page_ask(page, "events", request) : NULL;
    if (answer)
        page_write_events(out, answer, after);
    json_decref(answer);
    json_decref(request);
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

struct metrics_page page_functions(struct page *page)
{
    return (struct metrics_page){page_has, page_make, PAGE_EVENTS, page_follow, page};
}
