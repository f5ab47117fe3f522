// SPDX-License-Identifier: BSD-2-Clause
#include "agent/agent.h"

#include "agent/paths.h"
#include "agent/set.h"
#include "agent/walk_cache.h"
#include "agentx/client.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FDS = 3, WHO_SIZE = 256 };

#define FABRIC_KEY UINT64_MAX // stands for the fabric where a port GUID stands for a device

struct agent {
    struct agent_options options;
    struct agentx_region *regions;    // the gateway's own, then those of `contexts`
    size_t region_count, own_regions; // of all; of the gateway and of the fabric
    struct contexts *contexts;
    const struct fabric *seen; // the fabric of the contexts, only to be compared
    int64_t seen_us;           // and the time of that fabric
    bool too_many;             // was logged
    uint64_t moved;            // contexts_replaced that the regions follow
    char fabric_context[AGENTX_CONTEXT_SIZE];
    bool has_fabric;          // the fabric is one device, in fabric_context
    bool numbered;            // each of its nodes has a number
    struct contexts *changes; // of its ports
    struct agentx_client *client;
    struct snapshot_events *events; // NULL: no table has them
    struct walk_cache *cache;
    struct set set;
    char who[WHO_SIZE];
    pthread_t thread;
    int wake; // an eventfd
    atomic_bool stop;
    uint64_t varbinds, sets;
    pthread_mutex_t lock; // over `status` and changes of `contexts`
    struct agent_status status;
};

// Requests of the master agent.

// Logs the first part of the name only, because a name with an alarm key is long.
static void agent_log_answer(const struct agent *agent, const char *request,
                             const struct agentx_oid *name, const struct agent_snapshot *snapshot)
{
    enum { SHOWN_MAX = 24 };
    char oid[SHOWN_MAX * 11 + 8] = "";
    if (!log_is_debug(agent->options.log))
        return;
    struct text t = text_in(oid, sizeof oid);
    for (size_t i = 0; i < name->length && i < SHOWN_MAX; i++)
        text_addf(&t, ".%u", (unsigned)name->ids[i]);
    if (name->length > SHOWN_MAX)
        text_add(&t, "...");
    log_debug(agent->options.log, "%s %s: snapshot %llu", request, oid,
              (unsigned long long)walk_cache_number(agent->cache, snapshot));
}

// What the context shows: the GUID of an end port, FABRIC_KEY, or 0 for the gateway's own tables. A
// master agent for the fabric alone gets nothing else, whatever context it asks for.
static uint64_t agent_key(const struct agent *agent, const char *context)
{
    uint64_t guid;
    if (agent->options.fabric_alone ||
        (agent->has_fabric && strcmp(context, agent->fabric_context) == 0))
        return FABRIC_KEY;
    if (strcmp(context, agent->options.context) != 0 && contexts_read_name(context, &guid) &&
        guid != FABRIC_KEY)
        return guid;
    return 0;
}

// Begins to answer a request in the context. Returns agent_key.
static uint64_t agent_enter(struct agent *agent, const char *context)
{
    const uint64_t key = agent_key(agent, context);
    walk_cache_enter(agent->cache, key);
    agent->varbinds++;
    return key;
}

// Returns the tables in a context, and makes the look one at the device of the context.
static const struct table_list *agent_tables(const struct agent *agent, uint64_t guid,
                                             struct look *look)
{
    if (guid == 0)
        return agent->options.tables;
    look->of_fabric = guid == FABRIC_KEY;
    look->contexts = look->of_fabric ? agent->changes : agent->contexts;
    if (!look->of_fabric && look->fabric)
        look->device = fabric_find_port_guid(look->fabric, guid);
    return look->of_fabric ? agent->options.fabric_tables : agent->options.device_tables;
}

static void agent_get(void *ctx, const char *context, const struct agentx_oid *name,
                      struct agentx_value *value)
{
    struct agent *agent = ctx;
    const uint64_t guid = agent_enter(agent, context);
    struct look look = look_at(walk_cache_begin(agent->cache));
    agent_log_answer(agent, "Get of", name, look.snapshot);
    table_get(agent_tables(agent, guid, &look), &look, name, value);
}

static bool agent_get_next(void *ctx, const char *context, const struct agentx_oid *name,
                           bool include, const struct agentx_oid *end, struct agentx_oid *found,
                           struct agentx_value *value)
{
    struct agent *agent = ctx;
    const uint64_t guid = agent_enter(agent, context);
    struct look look = look_at(walk_cache_follow(agent->cache, name));
    agent_log_answer(agent, "GetNext from", name, look.snapshot);
    const struct table_list *tables = agent_tables(agent, guid, &look);
    if (!table_get_next(tables, &look, name, include, end, found, value))
        return false;
    if (value->type != AGENTX_NOT_NOW && value->type != AGENTX_LATER)
        walk_cache_remember(agent->cache, look.snapshot, found);
    return true;
}

static bool agent_is_ready(void *ctx, int64_t ticket)
{
    const struct agent *agent = ctx;
    const struct snapshot_demand *demand = &agent->options.source.demand;
    return demand->is_ready(demand->reads, ticket);
}

static enum agentx_error agent_test(void *ctx, const char *context,
                                    const struct agentx_varbind *varbinds, size_t n, size_t *failed)
{
    struct agent *agent = ctx;
    struct look look = look_at(walk_cache_begin(agent->cache));
    *failed = 0;
    agent->set.ticket = 0;
    if (agent_key(agent, context) != 0)
        return AGENTX_NOT_WRITABLE;
    if (look.snapshot)
        return set_test(&agent->set, &look, context, varbinds, n, failed);
    return AGENTX_RESOURCE_UNAVAILABLE;
}

static enum agentx_error agent_commit(void *ctx)
{
    struct agent *agent = ctx;
    enum agentx_error error = set_commit(&agent->set);
    if (agent->set.ticket != 0)
        return error;
    log_debug(agent->options.log, "commit of a Set: %s", agentx_error_word(error));
    agent->sets += error == AGENTX_NO_ERROR;
    if (error == AGENTX_NO_ERROR)
        paths_ask(agent->options.source.paths, &agent->options.source.demand);
    return error;
}

static enum agentx_error agent_undo(void *ctx)
{
    struct agent *agent = ctx;
    return set_undo(&agent->set);
}

static int64_t agent_pending(void *ctx)
{
    const struct agent *agent = ctx;
    return agent->set.ticket;
}

static void agent_cleanup(void *ctx)
{
    struct agent *agent = ctx;
    set_cleanup(&agent->set);
}

// The thread.

static void agent_report_status(struct agent *agent)
{
    pthread_mutex_lock(&agent->lock);
    struct agent_status *s = &agent->status;
    s->up = agentx_client_state(agent->client) == AGENTX_UP;
    snprintf(s->problem, sizeof s->problem, "%s", agentx_client_problem(agent->client));
    s->varbinds = agent->varbinds;
    s->sets = agent->sets;
    s->contexts_of = agent->options.contexts;
    s->contexts = contexts_count(agent->contexts);
    pthread_mutex_unlock(&agent->lock);
}

// Whether the tables or contexts depend on the present nodes.
static bool agent_follows(const struct agent *agent)
{
    return agent->options.contexts != CONTEXTS_OFF || agent->has_fabric;
}

// Waits until a descriptor is ready, or until the time `until`.
static void agent_wait_until(const struct agent *agent, struct pollfd fds[FDS], int64_t until)
{
    enum { LOOK_MS = 5000, ALONE_MS = 60000 }; // at the fabric; without contexts
    const int longest = agent_follows(agent) ? LOOK_MS : ALONE_MS;
    int64_t left = until - clock_monotonic(agent->options.source.clock);
    int64_t ms = left > 0 ? left / CLOCK_US_PER_MS + 1 : 0;
    if (poll(fds, FDS, ms < longest ? (int)ms : longest) < 0)
        fds[1].revents = 0;
}

// Continues the reads on demand. Returns when to continue them again; INT64_MAX: never without a
// new request.
static int64_t agent_read_on(const struct agent *agent)
{
    const struct snapshot_demand *demand = &agent->options.source.demand;
    return demand->run ? demand->run(demand->reads) : INT64_MAX;
}

// Contexts.

static struct agentx_region agent_region(const struct table_root *root, const char *context)
{
    struct agentx_region region = {.ids = root->ids, .length = root->length};
    snprintf(region.context, sizeof region.context, "%s", context);
    return region;
}

// The name of the context in which region `i`, of a device, is.
static void agent_name_region(const struct agent *agent, size_t i, char name[CONTEXTS_NAME_SIZE])
{
    const size_t at = (i - agent->own_regions) / agent->options.device_tables->root_count;
    contexts_name(contexts_guid(agent->contexts, at), name);
}

// Registers the tables of devices in the contexts that have come.
static void agent_add_devices(struct agent *agent)
{
    const struct table_list *list = agent->options.device_tables;
    const size_t own = agent->own_regions, has = agent->region_count;
    const size_t count = own + list->root_count * contexts_count(agent->contexts);
    if (count == has)
        return;
    struct agentx_region *regions = memory_get(count * sizeof *regions);
    memcpy(regions, agent->regions, has * sizeof *regions);
    for (size_t i = has; i < count; i++) {
        char name[CONTEXTS_NAME_SIZE];
        agent_name_region(agent, i, name);
        regions[i] = agent_region(&list->roots[(i - own) % list->root_count], name);
        regions[i].optional = regions[i].quiet = true;
    }
    agentx_client_extend(agent->client, regions, count);
    free(agent->regions);
    agent->regions = regions;
    agent->region_count = count;
}

// Registers the regions of a replaced context in the context of its successor.
static void agent_move_devices(struct agent *agent)
{
    bool all = true;
    if (agent->moved == contexts_replaced(agent->contexts))
        return;
    for (size_t i = agent->own_regions; i < agent->region_count; i++) {
        char name[CONTEXTS_NAME_SIZE];
        struct agentx_region *region = &agent->regions[i];
        agent_name_region(agent, i, name);
        if (strcmp(region->context, name) == 0)
            continue;
        if (agentx_client_release(agent->client, i))
            snprintf(region->context, sizeof region->context, "%s", name);
        else
            all = false;
    }
    if (all)
        agent->moved = contexts_replaced(agent->contexts);
}

// Gives new end ports their contexts, once there is another fabric.
static void agent_follow_fabric(struct agent *agent)
{
    const struct snapshot_source *source = &agent->options.source;
    struct fabric *fabric = topology_current(source->topology);
    if (fabric && (fabric != agent->seen || fabric->time_us != agent->seen_us)) {
        const int64_t age = clock_utc(source->clock) - fabric->time_us;
        const int64_t at = clock_monotonic(source->clock) - (age > 0 ? age : 0);
        pthread_mutex_lock(&agent->lock);
        const bool all = contexts_update(agent->contexts, fabric, at);
        pthread_mutex_unlock(&agent->lock);
        if (!all && !agent->too_many)
            log_write(agent->options.log, LOG_LEVEL_WARNING,
                      "not all end ports have an SNMP context: there are %zu, and %d at most; set "
                      "'contexts' in the section 'subagent' to fewer, or restart ibtrapd if many "
                      "nodes have left within a day",
                      contexts_count(agent->contexts), CONTEXTS_MAX);
        if (agent->has_fabric)
            contexts_update(agent->changes, fabric, at);
        agent->too_many = !all;
        agent->numbered = false;
        agent->seen = fabric;
        agent->seen_us = fabric->time_us;
    }
    if (fabric && agent->has_fabric && !agent->numbered)
        agent->numbered = interface_list_number(source->journal, fabric, source->fabric_of);
    fabric_unref(fabric);
    agent_move_devices(agent);
    agent_add_devices(agent);
}

static void *agent_run(void *arg)
{
    struct agent *agent = arg;
    while (!atomic_load(&agent->stop)) {
        if (agent_follows(agent))
            agent_follow_fabric(agent);
        const int fd = agent->options.source.demand.run ? agent->options.source.demand.fd : -1;
        struct pollfd fds[FDS] = {
            [0] = {.fd = agent->wake, .events = POLLIN}, [2] = {.fd = fd, .events = POLLIN}};
        int64_t next = agentx_client_poll(agent->client, &fds[1]);
        next = clock_earlier(next, walk_cache_expire(agent->cache));
        agent_wait_until(agent, fds, clock_earlier(next, agent_read_on(agent)));
        if (fds[2].revents)
            eventfd_read(fd, &(eventfd_t){0}); // before the answers are looked for
        agentx_client_run(agent->client, fds[1].revents);
        agent->options.source.master_started_at = agentx_client_master_started_at(agent->client);
        agent_report_status(agent);
    }
    return NULL;
}

// Starting and stopping.

// Adds regions of the gateway's own for the tables in the context.
static void agent_add_own(struct agent *agent, const struct table_list *list, const char *context,
                          bool optional)
{
    const size_t count = agent->own_regions + list->root_count;
    agent->regions = memory_resize(agent->regions, count, sizeof *agent->regions);
    for (size_t i = 0; i < list->root_count; i++) {
        struct agentx_region *region = &agent->regions[agent->own_regions++];
        *region = agent_region(&list->roots[i], context);
        region->optional = optional;
    }
    agent->region_count = agent->own_regions;
}

// Decides in which context the fabric is a device.
static void agent_name_fabric(struct agent *agent)
{
    const struct agent_options *o = &agent->options;
    const char *hyphen = o->context[0] != '\0' ? "-" : "";
    int length = 0;
    if (!o->fabric_alone)
        length = snprintf(agent->fabric_context, sizeof agent->fabric_context,
                          AGENT_FABRIC_CONTEXT "%s%s", hyphen, o->context);
    agent->has_fabric =
        o->source.fabric_of != CONTEXTS_OFF && length < (int)sizeof agent->fabric_context;
    if (o->source.fabric_of != CONTEXTS_OFF && !agent->has_fabric)
        log_write(o->log, LOG_LEVEL_WARNING,
                  "the fabric as one device has no SNMP context, as '" AGENT_FABRIC_CONTEXT
                  "-%s' is too long: give the section 'subagent' an item 'context' of at most %zu "
                  "octets",
                  o->context, sizeof agent->fabric_context - sizeof AGENT_FABRIC_CONTEXT - 1);
}

static bool agent_make_client(struct agent *agent, struct error *err)
{
    const struct agent_options *o = &agent->options;
    if (!o->fabric_alone)
        agent_add_own(agent, o->tables, o->context, false);
    if (!o->fabric_alone && o->context[0] != '\0')
        agent_add_own(agent, o->tables, "", true);
    if (agent->has_fabric) // which another gateway may have
        agent_add_own(agent, o->fabric_tables, agent->fabric_context, !o->fabric_alone);
    const struct agentx_options options = {.master = o->master,
                                           .description = "ibtrapd",
                                           .regions = agent->regions,
                                           .region_count = agent->region_count,
                                           .handler = {.get = agent_get,
                                                       .get_next = agent_get_next,
                                                       .is_ready = agent_is_ready,
                                                       .test = agent_test,
                                                       .commit = agent_commit,
                                                       .undo = agent_undo,
                                                       .cleanup = agent_cleanup,
                                                       .pending = agent_pending,
                                                       .ctx = agent},
                                           .clock = o->source.clock,
                                           .random = o->random,
                                           .log = o->log};
    agent->client = agentx_client_new(&options, err);
    return agent->client != NULL;
}

static void agent_make_set(struct agent *agent)
{
    const struct agent_options *o = &agent->options;
    bool has_context = o->context[0] != '\0';
    snprintf(agent->who, sizeof agent->who, "an SNMP manager, through the master agent at %s%s%s%s",
             o->master, has_context ? " (context " : "", o->context, has_context ? ")" : "");
    set_init(&agent->set, &(struct set_options){.tables = o->tables,
                                                .paths = o->source.paths,
                                                .writable = o->writable,
                                                .change = o->change,
                                                .switched = o->switched,
                                                .demand = &o->source.demand,
                                                .ctx = o->ctx,
                                                .who = agent->who,
                                                .log = o->log});
}

static void agent_free_parts(struct agent *agent)
{
    agentx_client_free(agent->client);
    free(agent->regions);
    contexts_free(agent->contexts);
    contexts_free(agent->changes);
    walk_cache_free(agent->cache);
    snapshot_events_free(agent->events);
    paths_free(agent->options.source.paths);
    if (agent->wake >= 0)
        close(agent->wake);
    pthread_mutex_destroy(&agent->lock);
    free(agent);
}

static bool agent_make_parts(struct agent *agent, struct error *err)
{
    const bool has_events = !agent->options.fabric_alone;
    agent->options.source.paths = paths_new();
    agent->events = has_events ? snapshot_events_new() : NULL;
    agent->cache = walk_cache_new(&agent->options.source, agent->events, agent->options.random);
    agent->contexts = contexts_new(agent->options.contexts);
    agent->changes = contexts_new(agent->options.source.fabric_of);
    agent->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (agent->wake < 0)
        return error_set(err, "cannot make an eventfd: %s", strerror(errno));
    agent_name_fabric(agent);
    agent_make_set(agent);
    return agent_make_client(agent, err);
}

struct agent *agent_start(const struct agent_options *options, struct error *err)
{
    struct agent *agent = memory_zeroed(1, sizeof *agent);
    agent->options = *options;
    agent->wake = -1;
    pthread_mutex_init(&agent->lock, NULL);
    int rc = 0;
    bool ok = agent_make_parts(agent, err);
    if (ok) {
        agent_report_status(agent);
        rc = thread_start(&agent->thread, "subagent", agent_run, agent);
    }
    if (rc != 0)
        ok = error_set(err, "cannot start the thread of the subagent: %s", strerror(rc));
    if (ok)
        return agent;
    agent_free_parts(agent);
    return NULL;
}

void agent_stop(struct agent *agent)
{
    if (!agent)
        return;
    atomic_store(&agent->stop, true);
    eventfd_write(agent->wake, 1);
    pthread_join(agent->thread, NULL);
    agent_free_parts(agent);
}

void agent_get_status(struct agent *agent, struct agent_status *out)
{
    pthread_mutex_lock(&agent->lock);
    *out = agent->status;
    pthread_mutex_unlock(&agent->lock);
}

bool agent_has_context(struct agent *agent, uint64_t port_guid)
{
    pthread_mutex_lock(&agent->lock);
    const bool has = contexts_has(agent->contexts, port_guid);
    pthread_mutex_unlock(&agent->lock);
    return has;
}
