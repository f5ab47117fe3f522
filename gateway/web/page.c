// SPDX-License-Identifier: BSD-2-Clause
#include "web/page.h"

#include "base/clock.h"
#include "base/memory.h"
#include "control/commands.h"
#include "control/handlers.h"
#include "ctl/protocol.h"
#include "model/address.h"
#include "picture/svg.h"
#include "web/page_views.h"

#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>

static const char PAGE_STATE[] = "/state.json", PAGE_MAP[] = "/fabric.svg",
                  PAGE_STYLE[] = "/fabric.css", PAGE_EVENTS[] = "/events",
                  PAGE_NODE[] = "/node/"; // and the name or GUID of a node

// A document that the worker makes. Half a million alarms, or a large fabric, take half a second.
struct page_document {
    struct worker_job job;
    struct page *page;
    bool under_way; // the worker makes it, or will
    bool is_new;    // clients have waited for this version
    // The last version; NULL: there is none yet.
    char *text;
    size_t size;
    int64_t at, took;        // monotonic, when it was made; a processor's time for it
    int64_t fabric_us, last; // the version's fabric and last event
    // Of the job.
    json_t *state; // without the alarms
    char *made;
    size_t made_size;
    int64_t made_took;
};

enum { PAGE_BEFORE_TRIES = 10 }; // a second or more apart

// The events from before the first event in memory: after a start, memory has no event of the last
// run. The worker reads these events once. If the disk does not read, the worker tries
// PAGE_BEFORE_TRIES times, and followers go without these events.
struct page_before {
    struct worker_job job;
    struct page *page;
    bool under_way, is_read;
    unsigned tries;
    int64_t end;    // number of the first event in memory then; 0: nothing was read
    json_t *answer; // of "events"
};

struct page {
    struct control *control;
    struct worker *worker;
    struct web_server *server;
    struct page_view_names then; // the worker's thread only
    struct page_document state, map, node;
    char node_path[WEB_PATH_SIZE]; // of the node in `node`
    void *asked;                   // the work of `node` (CONTROL_LATER); NULL: none is under way
    struct page_before before;
};

static void page_end(struct page_document *document)
{
    if (document->under_way)
        worker_take_back(document->page->worker, &document->job);
    json_decref(document->state);
    free(document->made);
    free(document->text);
}

static void page_drop_asked(struct page *page)
{
    if (page->asked)
        CONTROL_LATER.end(page->asked, NULL);
    page->asked = NULL;
}

void page_free(struct page *page)
{
    if (!page)
        return;
    page_end(&page->state);
    page_end(&page->map);
    page_end(&page->node);
    page_drop_asked(page);
    if (page->before.under_way)
        worker_take_back(page->worker, &page->before.job);
    json_decref(page->before.answer);
    free(page);
}

// Documents that the worker makes.

// Of a processor, by the calling thread.
static int64_t page_time_used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * CLOCK_US_PER_S + t.tv_nsec / 1000;
}

// Whether making the document again would take more than its share of a processor's time.
static bool page_is_too_soon(const struct page_document *document, int64_t now)
{
    return now - document->at < PAGE_SHARE * document->took;
}

// Without effect if the worker has stopped.
static void page_begin(struct page_document *document)
{
    document->under_way = worker_put(document->page->worker, &document->job);
}

static void page_take(struct worker_job *job)
{
    struct page_document *document = WORKER_THING(job, struct page_document);
    free(document->text);
    document->text = document->made;
    document->size = document->made_size;
    document->made = NULL;
    document->at = clock_now();
    document->took = document->made_took;
    document->under_way = false;
    document->is_new = true;
    web_server_take_documents(document->page->server);
    document->is_new = false;
}

static bool page_give(const struct page_document *document, const char *type,
                      struct web_document *out)
{
    *out = (struct web_document){type, document->text, document->size};
    return true;
}

// Answers of the control socket to an unprivileged user.

static const struct peer_credentials PAGE_USER = {.uid = (uid_t)-1};

static json_t *page_ask(const struct page *page, const char *command, const json_t *request)
{
    return control_answer(page->control, &PAGE_USER, command, request);
}

// Copies the items from an object to another object.
static void page_copy(json_t *to, const json_t *from, const char *const *items)
{
    for (; *items; items++)
        json_object_set(to, *items, json_object_get(from, *items));
}

// Returns the list with these items of each object only.
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
    static const char *const WHOLE[] = {
        "release", "gateway_name", "fabric_name", "uptime",      "problem",
        "port",    "sm",           "role",        "maintenance", NULL};
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

// The time of the fabric on the map; 0: the map shows no fabric.
static int64_t page_fabric_time(struct topology *topology)
{
    struct fabric *fabric = topology_current(topology);
    const int64_t time_us = fabric ? fabric->time_us : 0;
    fabric_unref(fabric);
    return time_us;
}

// All but the alarms.
static json_t *page_state_json(const struct page *page)
{
    static const char *const HEALTH[] = {"state",  "ready",       "worse",     "gateway", "fabric",
                                         "alarms", "open_alarms", "held_back", NULL};
    json_t *request = json_object(), *health = page_ask(page, "health", request);
    json_t *status = page_ask(page, "status", request);
    json_t *out = json_object(), *verdict = json_object();
    page_copy(verdict, health, HEALTH);
    json_object_set_new(out, "now", protocol_time(clock_utc(&clock_system)));
    json_object_set_new(out, "health", verdict);
    page_add_status(out, status);
    json_object_set_new(out, "map", json_integer(page_fabric_time(page->control->parts->topology)));
    json_decref(health);
    json_decref(status);
    json_decref(request);
    return out;
}

// The worker's thread.
static void page_run_state(struct worker_job *job)
{
    struct page_document *d = WORKER_THING(job, struct page_document);
    const int64_t began = page_time_used();
    const struct parts *parts = d->page->control->parts;
    struct systems *systems = topology_systems(parts->topology);
    struct names *names = topology_names(parts->topology);
    json_object_set_new(d->state, "maintenance", maintenance_answers_held(d->page->control));
    page_views_alarms(d->state, parts->journal, systems, names, &d->page->then);
    d->made = json_dumps(d->state, JSON_COMPACT);
    d->made_size = strlen(d->made);
    json_decref(d->state);
    d->state = NULL;
    names_unref(names);
    systems_unref(systems);
    d->made_took = page_time_used() - began;
}

static bool page_make_state(struct page *page, struct web_document *out)
{
    struct page_document *d = &page->state;
    if (d->is_new || (d->text && page_is_too_soon(d, clock_now())))
        return page_give(d, "application/json", out);
    if (!d->under_way) {
        json_decref(d->state);
        d->state = page_state_json(page);
        page_begin(d);
    }
    return false;
}

// The map.

// The worker's thread.
static void page_run_map(struct worker_job *job)
{
    struct page_document *d = WORKER_THING(job, struct page_document);
    const int64_t began = page_time_used();
    const struct parts *parts = d->page->control->parts;
    d->made = page_views_map(parts->topology, parts->journal, &d->page->then, &d->made_size);
    d->made_took = page_time_used() - began;
}

// Whether the map is still true, or a new map would come too soon.
static bool page_keeps_map(const struct page_document *map, int64_t fabric_us, int64_t last)
{
    return map->text && ((map->fabric_us == fabric_us && map->last == last) ||
                         page_is_too_soon(map, clock_now()));
}

static bool page_make_map(struct page *page, struct web_document *out)
{
    struct page_document *d = &page->map;
    const int64_t fabric_us = page_fabric_time(page->control->parts->topology);
    const int64_t last = journal_last(page->control->parts->journal);
    if (d->is_new || (!d->under_way && page_keeps_map(d, fabric_us, last)))
        return page_give(d, "image/svg+xml", out);
    if (!d->under_way) {
        d->fabric_us = fabric_us;
        d->last = last;
        page_begin(d);
    }
    return false;
}

// A node with its ports, their counters and the expected ends of their links.

// Reads the name behind PAGE_NODE; %20 is an octet (RFC 3986 2.1).
static void page_read_name(const char *path, char *out, size_t size)
{
    size_t n = 0;
    for (const char *p = path + strlen(PAGE_NODE); *p != '\0' && n + 1 < size; p++) {
        const char *digits = p + 1;
        uint64_t octet = 0;
        const bool is_hex = *p == '%' && strlen(digits) >= 2 &&
                            address_take_hex(&digits, digits + 2, &octet) && digits == p + 3;
        out[n++] = is_hex && octet != 0 ? (char)octet : *p;
        p += is_hex && octet != 0 ? 2 : 0;
    }
    out[n] = '\0';
}

// The worker's thread.
static void page_run_node(struct worker_job *job)
{
    struct page_document *d = WORKER_THING(job, struct page_document);
    const int64_t began = page_time_used();
    CONTROL_LATER.work(d->page->asked);
    d->made_took = page_time_used() - began;
}

static void page_take_node(struct worker_job *job)
{
    struct page_document *d = WORKER_THING(job, struct page_document);
    struct evbuffer *line = evbuffer_new();
    CONTROL_LATER.end(d->page->asked, line);
    d->page->asked = NULL;
    d->made_size = evbuffer_get_length(line);
    d->made = memory_get(d->made_size);
    evbuffer_remove(line, d->made, d->made_size);
    evbuffer_free(line);
    page_take(job);
}

static void page_begin_node(struct page *page)
{
    char name[NAMES_NAME_SIZE];
    page_read_name(page->node_path, name, sizeof name);
    json_t *request = json_pack("{s:o}", "node", protocol_text(name));
    page->asked = CONTROL_LATER.begin(page->control, &PAGE_USER, "ports", request);
    json_decref(request);
    page_begin(&page->node);
    if (!page->node.under_way)
        page_drop_asked(page);
}

static bool page_make_node(struct page *page, const char *path, struct web_document *out)
{
    struct page_document *d = &page->node;
    if (strcmp(path, page->node_path) == 0 &&
        (d->is_new || (d->text && page_is_too_soon(d, clock_now()))))
        return page_give(d, "application/json", out);
    if (!d->under_way) {
        free(d->text);
        d->text = NULL;
        snprintf(page->node_path, sizeof page->node_path, "%s", path);
        page_begin_node(page);
    }
    return false;
}

// Documents.

static bool page_is_node(const char *path)
{
    return strncmp(path, PAGE_NODE, strlen(PAGE_NODE)) == 0 && strlen(path) < WEB_PATH_SIZE;
}

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
    return page->control->parts->conf && page->control->parts->conf->metrics.page &&
           (page_find_file(path) || strcmp(path, PAGE_STATE) == 0 || strcmp(path, PAGE_MAP) == 0 ||
            strcmp(path, PAGE_STYLE) == 0 || strcmp(path, PAGE_EVENTS) == 0 || page_is_node(path));
}

static bool page_make(void *ctx, const char *path, struct web_document *out)
{
    const struct page_file *file = page_find_file(path);
    if (file)
        *out = file->document;
    else if (strcmp(path, PAGE_STYLE) == 0)
        *out = (struct web_document){"text/css", SVG_STYLE, strlen(SVG_STYLE)};
    else if (page_is_node(path))
        return page_make_node(ctx, path, out);
    else
        return strcmp(path, PAGE_MAP) == 0 ? page_make_map(ctx, out) : page_make_state(ctx, out);
    return true;
}

// Events.

static void page_write_event(FILE *out, const json_t *event)
{
    static const char *const ITEMS[] = {"number",
                                        "time",
                                        "event",
                                        "severity",
                                        "text",
                                        "alarmState",
                                        "test",
                                        "suppressed",
                                        "relatedId",
                                        "subjectName",
                                        "subjectNodeGuid",
                                        "subjectPort",
                                        "peerName",
                                        "peerNodeGuid",
                                        "peerPort",
                                        NULL};
    json_t *one = json_object();
    page_copy(one, event, ITEMS);
    char *line = json_dumps(one, JSON_COMPACT); // has no line ends
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

// The worker's thread.
static void page_run_before(struct worker_job *job)
{
    struct page_before *before = WORKER_THING(job, struct page_before);
    const int64_t after = before->end > PAGE_EVENTS_MAX ? before->end - 1 - PAGE_EVENTS_MAX : 0;
    struct control control = {.parts = before->page->control->parts};
    json_t *request = json_pack("{s:I, s:i}", "after", (json_int_t)after, "limit", PAGE_EVENTS_MAX);
    before->answer = event_answers_list(&control, request);
    json_decref(request);
}

static void page_take_before(struct worker_job *job)
{
    struct page_before *before = WORKER_THING(job, struct page_before);
    const int64_t place = json_integer_value(json_object_get(before->answer, "place"));
    before->under_way = false;
    before->tries++;
    before->is_read = place >= before->end - 1 || before->tries >= PAGE_BEFORE_TRIES;
}

// Whether all events after the number are in memory or were read. Reads no file.
static bool page_has_events(struct page *page, int64_t after)
{
    struct page_before *before = &page->before;
    struct journal *journal = page->control->parts->journal;
    const int64_t first = journal_first_in_memory(journal);
    if (after + 1 >= first)
        return true;
    if (before->under_way || (before->is_read && before->end == first))
        return !before->under_way;
    json_decref(before->answer);
    *before = (struct page_before){.job = before->job,
                                   .page = page,
                                   .tries = before->end == first ? before->tries : 0,
                                   .end = first};
    before->under_way = worker_put(page->worker, &before->job);
    return !before->under_way;
}

// Writes the events after the number that the worker has read, up to the first event in memory.
static void page_write_before(FILE *out, const struct page_before *before, int64_t *after)
{
    size_t i;
    const json_t *event, *list = json_object_get(before->answer, "events");
    json_array_foreach(list, i, event)
    {
        const int64_t number = json_integer_value(json_object_get(event, "number"));
        if (number > *after && number < before->end)
            page_write_event(out, event);
    }
    *after = before->end - 1;
}

static char *page_follow(void *ctx, int64_t *after, size_t *size)
{
    struct page *page = ctx;
    const int64_t last =
        page->control->parts->conf ? journal_last(page->control->parts->journal) : 0;
    if (!page_has(ctx, PAGE_EVENTS))
        return NULL;
    if (*after < 0 || *after > last || *after < last - PAGE_EVENTS_MAX)
        *after = last > PAGE_EVENTS_MAX ? last - PAGE_EVENTS_MAX : 0;
    if (*after == last || !page_has_events(page, *after)) {
        *size = 0;
        return memory_zeroed(1, 1);
    }
    char *text = NULL;
    FILE *out = memory_need(open_memstream(&text, size));
    if (*after + 1 < journal_first_in_memory(page->control->parts->journal))
        page_write_before(out, &page->before, after);
    json_t *request =
        json_pack("{s:I, s:i}", "after", (json_int_t)*after, "limit", PAGE_EVENTS_MAX);
    json_t *answer = page_ask(page, "events", request);
    page_write_events(out, answer, after);
    json_decref(answer);
    json_decref(request);
    fclose(out);
    return text;
}

struct page *page_new(struct control *control, struct worker *worker, struct web_server *server)
{
    struct page *page = memory_zeroed(1, sizeof *page);
    page->control = control;
    page->worker = worker;
    page->server = server;
    page->state =
        (struct page_document){.job = {.run = page_run_state, .done = page_take}, .page = page};
    page->map =
        (struct page_document){.job = {.run = page_run_map, .done = page_take}, .page = page};
    page->node =
        (struct page_document){.job = {.run = page_run_node, .done = page_take_node}, .page = page};
    page->before = (struct page_before){.job = {.run = page_run_before, .done = page_take_before},
                                        .page = page};
    return page;
}

struct web_page page_functions(struct page *page)
{
    return (struct web_page){page_has, page_make, PAGE_EVENTS, page_follow, page};
}
