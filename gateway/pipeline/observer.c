#include "pipeline/observer.h"

#include "base/wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// A notice that a change may explain.
struct notice_seen {
    uint16_t trap, lid;
    uint64_t guid; // of the port; of the switch
    int64_t time_us;
    char id[EVENT_ID_SIZE];
};

struct observer {
    struct observer_options options;
    struct notice_seen seen[OBSERVER_NOTICES_MAX];
    size_t next;
    pthread_mutex_t lock; // over what follows
    struct sums *sums;
};

struct observer *observer_new(const struct observer_options *options)
{
    struct observer *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->options = *options;
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void observer_free(struct observer *observer)
{
    if (!observer)
        return;
    sums_release(observer->sums);
    pthread_mutex_destroy(&observer->lock);
    free(observer);
}

// Stories.

static bool is_of_topology(const struct event *event)
{
    switch (event->type->trap) {
    case NOTICE_GID_IN_SERVICE:
    case NOTICE_GID_OUT_OF_SERVICE:
    case NOTICE_LINK_STATE:
    case NOTICE_CAPABILITY:
    case NOTICE_SYSTEM_IMAGE_GUID:
        return !event->derived;
    default:
        return false;
    }
}

bool observer_note(struct observer *observer, const struct event *event)
{
    if (!is_of_topology(event))
        return false;
    struct notice_seen *slot = &observer->seen[observer->next++ % OBSERVER_NOTICES_MAX];
    *slot = (struct notice_seen){.trap = event->type->trap,
                                 .lid = event->subject.lid,
                                 .guid = event->subject.guid,
                                 .time_us = event->time_us};
    memcpy(slot->id, event->id, sizeof slot->id);
    return true;
}

// A change speaks of a host as a whole, a trap 64 or 65 of its port, which may have had no LID.
static bool is_about(const struct notice_seen *notice, const struct endpoint *who)
{
    uint64_t port_guid = wire_get64(who->gid + 8);
    return (notice->guid != 0 && (notice->guid == who->guid || notice->guid == who->node_guid ||
                                  notice->guid == port_guid)) ||
           (notice->lid != 0 && notice->lid == who->lid);
}

// The latest notice with that trap about either, or NULL.
static const struct notice_seen *find_notice(const struct observer *o, uint16_t trap,
                                             const struct change *change, int64_t now)
{
    for (size_t back = 1; back <= OBSERVER_NOTICES_MAX && back <= o->next; back++) {
        const struct notice_seen *one = &o->seen[(o->next - back) % OBSERVER_NOTICES_MAX];
        if (now - one->time_us > OBSERVER_STORY_S * CLOCK_US_PER_S)
            return NULL;
        if (one->trap == trap && (is_about(one, &change->subject) || is_about(one, &change->peer)))
            return one;
    }
    return NULL;
}

// What the change explains: a port's coming or going rather than the switch that saw it.
static const char *related_id(const struct observer *o, const struct change *change, int64_t now)
{
    uint16_t own = NOTICE_CAPABILITY;
    switch (change->type) {
    case CATALOGUE_SWITCH_ADDED:
    case CATALOGUE_HOST_ADDED:
    case CATALOGUE_ROUTER_ADDED:
    case CATALOGUE_PORT_ADDED:
        own = NOTICE_GID_IN_SERVICE;
        break;
    case CATALOGUE_SWITCH_REMOVED:
    case CATALOGUE_HOST_REMOVED:
    case CATALOGUE_ROUTER_REMOVED:
    case CATALOGUE_PORT_REMOVED:
        own = NOTICE_GID_OUT_OF_SERVICE;
        break;
    default:
        break;
    }
    const struct notice_seen *found = find_notice(o, own, change, now);
    if (!found)
        found = find_notice(o, NOTICE_LINK_STATE, change, now);
    return found ? found->id : "";
}

// Changes.

static void emit_change(struct observer *o, const struct maker *maker, const struct changes *all,
                        uint32_t i, bool late, char (*ids)[EVENT_ID_SIZE])
{
    const struct change *change = &all->all[i];
    const char *cause = change->cause != FABRIC_NONE ? ids[change->cause] : "";
    const char *related = late ? "" : related_id(o, change, clock_utc(maker->clock));
    struct event *event = maker_from_change(maker, change, late, cause, related);
    if (!event)
        return;
    memcpy(ids[i], event->id, sizeof ids[i]);
    o->options.emit(o->options.ctx, event);
}

bool observer_fabric(struct observer *observer, const struct maker *maker, struct fabric *seen)
{
    struct changes changes = {0};
    bool late = false;
    topology_update(observer->options.topology, seen, &changes, &late);
    char(*ids)[EVENT_ID_SIZE] = calloc(changes.count ? changes.count : 1, sizeof *ids);
    for (uint32_t i = 0; ids && i < changes.count; i++)
        emit_change(observer, maker, &changes, i, late, ids);
    bool any = changes.count > 0;
    free(ids);
    changes_clear(&changes);
    return any;
}

// Counters.

struct round {
    struct observer *observer;
    const struct maker *maker;
};

static struct endpoint describe(const struct round *r, uint64_t node_guid, uint8_t number)
{
    struct endpoint out = {.guid = node_guid, .node_guid = node_guid, .port = number};
    struct fabric *fabric = topology_current(r->observer->options.topology);
    uint32_t node = fabric ? fabric_find_node(fabric, node_guid) : FABRIC_NONE;
    uint32_t port = node != FABRIC_NONE ? fabric_find_port(fabric, node, number) : FABRIC_NONE;
    if (port != FABRIC_NONE)
        changes_describe_port(fabric, port, r->maker->names, &out);
    fabric_release(fabric);
    return out;
}

static void emit_threshold(void *ctx, const struct threshold_change *change)
{
    const struct round *r = ctx;
    const struct endpoint port = describe(r, change->node_guid, change->port);
    struct event *event = maker_from_threshold(r->maker, change, &port);
    if (event)
        r->observer->options.emit(r->observer->options.ctx, event);
}

static void set_sums(struct observer *o, struct sums *sums)
{
    struct sums *old = o->sums; // written in this thread alone
    pthread_mutex_lock(&o->lock);
    o->sums = sums;
    pthread_mutex_unlock(&o->lock);
    sums_release(old);
}

struct sums *observer_sums(struct observer *observer)
{
    pthread_mutex_lock(&observer->lock);
    struct sums *sums = observer->sums ? sums_keep(observer->sums) : NULL;
    pthread_mutex_unlock(&observer->lock);
    return sums;
}

// Where memory is short, the next reading makes up for this one.
void observer_counters(struct observer *observer, const struct maker *maker,
                       const struct counter_reading *reading)
{
    struct round round = {.observer = observer, .maker = maker};
    struct sums *sums = sums_with(observer->sums, reading);
    if (sums && thresholds_update(observer->options.thresholds, observer->sums, reading,
                                  emit_threshold, &round))
        set_sums(observer, sums);
    else
        sums_release(sums);
}
