// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/correlator.h"

#include "base/memory.h"
#include "base/wire.h"
#include "pipeline/counter_alarms.h"
#include "pipeline/device_alarms.h"
#include "pipeline/down_reasons.h"
#include "pipeline/expectations.h"
#include "pipeline/held_traps.h"
#include "pipeline/interruptions.h"
#include "pipeline/lost_planes.h"
#include "pipeline/missing.h"
#include "pipeline/reconcile.h"
#include "pipeline/returns.h"
#include "pipeline/statements.h"
#include "pipeline/together.h"
#include "topology/describe.h"
#include "topology/joined.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A Notice that a change may explain.
struct notice_seen {
    uint16_t trap, lid;
    uint64_t guid; // of the subject: a port, or a switch
    int64_t time_us;
    char id[EVENT_ID_SIZE];
    bool held;      // the event awaits a sweep
    int64_t number; // of the event, if held; 0: not known yet
    int64_t since;  // monotonic
};

struct correlator {
    struct correlator_options options;
    struct emitter *emitter;
    int64_t watching_since; // monotonic: the first snapshot of this run
    struct notice_seen seen[CORRELATOR_NOTICES_MAX];
    size_t next;
    size_t held_count;    // of `seen`
    int64_t asked_for_us; // the moment for which a sweep was asked for
    int64_t swept_us;     // when the last sweep began
    struct interruptions interruptions;
    struct inactive_links inactive_links;
    struct down_reasons down_reasons;
    pthread_mutex_t lock; // over options.expectation and the next three
    struct accumulated_counters *accumulated;
    struct measured_errors *measured; // after the same reading; NULL: none
    struct correlator_unwatched unwatched;
    struct accumulated_counters *latest; // the sums after the last reading, also an early reading
    bool errors_unwatched, waits_unwatched; // some in the last reading
};

struct correlator *correlator_new(const struct correlator_options *options)
{
    struct correlator *o = memory_zeroed(1, sizeof *o);
    o->options = *options;
    o->emitter = options->emitter;
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void correlator_free(struct correlator *correlator)
{
    if (!correlator)
        return;
    inactive_links_clear(&correlator->inactive_links);
    down_reasons_clear(&correlator->down_reasons);
    accumulated_unref(correlator->accumulated);
    accumulated_unref(correlator->latest);
    expectation_unref(correlator->options.expectation);
    measured_errors_unref(correlator->measured);
    pthread_mutex_destroy(&correlator->lock);
    free(correlator);
}

void correlator_change_limits(struct correlator *correlator, int64_t age_us,
                              const struct inactive_links_limits *inactive)
{
    correlator->options.age_us = age_us;
    correlator->options.inactive = *inactive;
}

// Ends alarms without a source.
static bool correlator_is_over(void *ctx, const struct policy_alarm *alarm,
                               const struct alarm_key *key, struct text *why)
{
    const struct correlator_sources *sources = ctx;
    (void)key;
    const enum catalogue_origin origin = alarm->type ? alarm->type->origin : CATALOGUE_FROM_ALARM;
    const bool counts = origin >= CATALOGUE_FROM_COUNTER && origin <= CATALOGUE_FROM_ERROR_RATE;
    const bool of_fabric = origin >= CATALOGUE_FROM_CHANGE && origin <= CATALOGUE_FROM_LINK_RECORD;
    if (sources->no_sweeps && of_fabric)
        text_add(why, "the fabric is not swept any more");
    else if (sources->no_counters && counts)
        text_add(why, "the port counters are not read any more");
    else if (sources->no_registers && origin == CATALOGUE_FROM_REGISTER)
        text_add(why, "the registers of devices are not read any more");
    return why->len > 0;
}

static void correlator_end_unwatched(struct correlator *o)
{
    struct correlator_sources *sources = &o->options.sources;
    if (sources->no_sweeps || sources->no_counters || sources->no_registers)
        statements_compare_all(o->emitter,
                               &(struct detector){.is_over = correlator_is_over, .ctx = sources});
}

void correlator_change_sources(struct correlator *correlator,
                               const struct correlator_sources *sources)
{
    correlator_tell_held(correlator, sources->no_sweeps);
    correlator->options.sources = *sources;
    correlator_end_unwatched(correlator);
}

void correlator_change_expectation(struct correlator *correlator, struct expectation *expectation)
{
    struct expectation *old = correlator->options.expectation; // written in this thread alone
    pthread_mutex_lock(&correlator->lock);
    correlator->options.expectation = expectation;
    pthread_mutex_unlock(&correlator->lock);
    expectation_unref(old);
    if (!expectation || (topology_has_base(correlator->emitter->topology) &&
                         !correlator->options.sources.no_sweeps))
        expectations_update(correlator->emitter, expectation);
}

void correlator_end_unseen(struct correlator *correlator)
{
    if (!correlator->options.expectation)
        expectations_update(correlator->emitter, NULL);
    correlator_end_unwatched(correlator);
}

// Notices.

static bool correlator_is_of_topology(const struct event *event)
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

static void correlator_set_held(struct correlator *o, struct notice_seen *slot, bool held)
{
    o->held_count = o->held_count - slot->held + held;
    slot->held = held;
}

// Tells of the trap again: receivers of systems did not get the trap.
static void correlator_tell_trap(struct correlator *o, struct notice_seen *slot)
{
    struct event *trap = slot->number != 0 ? journal_find(o->emitter->journal, slot->number) : NULL;
    correlator_set_held(o, slot, false);
    if (!trap)
        return;
    struct event *event = event_copy(trap);
    event_unjudge(event);
    memcpy(event->related_id, trap->id, sizeof event->related_id);
    event->id[0] = '\0';
    event->awaits_sweep = false;
    event->retold = true;
    event->number = 0;
    event_builder_stamp(&o->emitter->builder, event);
    emitter_emit(o->emitter, event);
    event_unref(trap);
}

static bool correlator_holds(const struct correlator *o, const struct event *event)
{
    const uint16_t trap = event->type->trap;
    const struct topology *topology = o->emitter->topology; // NULL in tests
    return !o->options.sources.no_sweeps && topology && topology_has_base(topology) &&
           (trap == NOTICE_GID_IN_SERVICE || trap == NOTICE_GID_OUT_OF_SERVICE ||
            trap == NOTICE_LINK_STATE);
}

static bool correlator_holds_trap(const struct correlator *o, uint16_t trap, uint64_t guid)
{
    for (size_t i = 0; o->held_count > 0 && i < CORRELATOR_NOTICES_MAX; i++) {
        if (o->seen[i].held && o->seen[i].trap == trap && o->seen[i].guid == guid)
            return true;
    }
    return false;
}

// Whether a sweep told before of what the trap says: the subnet manager may be slower. No sweep
// knows the port of a virtual function.
static bool correlator_is_known(const struct correlator *o, const struct event *event)
{
    struct endpoint port;
    const uint64_t guid = event->subject.guid;
    const struct systems *joined = topology_joined(o->emitter->topology);
    const bool is_there = joined && fabric_find_port_guid(joined->fabric, guid) != FABRIC_NONE;
    if (event->type->trap == NOTICE_GID_IN_SERVICE)
        return is_there && !correlator_holds_trap(o, NOTICE_GID_OUT_OF_SERVICE, guid);
    return event->type->trap == NOTICE_GID_OUT_OF_SERVICE && !is_there &&
           topology_find_guid(o->emitter->topology, guid, &port);
}

static struct notice_seen correlator_notice_of(const struct correlator *o,
                                               const struct event *event)
{
    struct notice_seen notice = {.trap = event->type->trap,
                                 .lid = event->subject.lid,
                                 .guid = event->subject.guid,
                                 .time_us = event->time_us,
                                 .since = emitter_now(o->emitter)};
    memcpy(notice.id, event->id, sizeof notice.id);
    return notice;
}

bool correlator_note_event(struct correlator *correlator, struct event *event)
{
    if (!correlator_is_of_topology(event))
        return false;
    struct notice_seen *slot = &correlator->seen[correlator->next++ % CORRELATOR_NOTICES_MAX];
    if (slot->held)
        correlator_tell_trap(correlator, slot);
    event->is_part = event->awaits_sweep = correlator_holds(correlator, event);
    *slot = correlator_notice_of(correlator, event);
    correlator_set_held(correlator, slot,
                        event->awaits_sweep && !correlator_is_known(correlator, event));
    interruptions_note(&correlator->interruptions, event);
    return true;
}

// Whether the Notice is about the endpoint of a change. The change of a host has the node as its
// subject, trap 64 or 65 has the port, perhaps without a LID: so compare all GUIDs, too.
static bool correlator_is_about(const struct notice_seen *notice, const struct endpoint *who)
{
    uint64_t port_guid = wire_get64(who->gid + 8);
    return (notice->guid != 0 && (notice->guid == who->guid || notice->guid == who->node_guid ||
                                  notice->guid == port_guid)) ||
           (notice->lid != 0 && notice->lid == who->lid);
}

static bool correlator_is_explained(const struct notice_seen *slot, const struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->all[i];
        if (correlator_is_about(slot, &change->subject) || correlator_is_about(slot, &change->peer))
            return true;
    }
    return false;
}

// Whether a link of the port's or switch's node waits in a snapshot, and has not joined.
static bool correlator_is_waiting(const struct correlator *o, const struct fabric *now,
                                  const struct notice_seen *slot)
{
    const struct systems *joined = topology_joined(o->emitter->topology);
    if (!joined || !now)
        return false;
    const uint32_t port = fabric_find_port_guid(now, slot->guid);
    const uint64_t node =
        port != FABRIC_NONE ? now->nodes[fabric_node_of_port(now, port)].guid : slot->guid;
    return joined_lacks_link(joined->fabric, now, node);
}

// Judges the held traps by a sweep that began at `begun_us`. A link that waits may tell more at the
// next sweep. A link that waited in the snapshot before, and went, explains the trap: the alarm
// about the link stands. `before` may be NULL.
static void correlator_judge_held(struct correlator *o, const struct changes *changes,
                                  const struct fabric *before, int64_t begun_us, bool complete)
{
    struct fabric *now = o->held_count > 0 ? topology_current(o->emitter->topology) : NULL;
    for (size_t i = 0; o->held_count > 0 && i < CORRELATOR_NOTICES_MAX; i++) {
        struct notice_seen *slot = &o->seen[i];
        if (!slot->held)
            continue;
        const bool explained = correlator_is_explained(slot, changes);
        if (!explained &&
            (!complete || slot->time_us >= begun_us || correlator_is_waiting(o, now, slot)))
            continue;
        if (explained || correlator_is_waiting(o, before, slot))
            correlator_set_held(o, slot, false);
        else
            correlator_tell_trap(o, slot);
    }
    fabric_unref(now);
}

void correlator_note_number(struct correlator *correlator, const struct event *event)
{
    correlator->seen[(correlator->next - 1) % CORRELATOR_NOTICES_MAX].number = event->number;
}

static bool correlator_has_noted(const struct correlator *o, int64_t number)
{
    for (size_t i = 0; i < CORRELATOR_NOTICES_MAX && i < o->next; i++) {
        if (o->seen[i].number == number)
            return true;
    }
    return false;
}

void correlator_restore_held(struct correlator *correlator)
{
    struct correlator *o = correlator;
    struct event *traps[CORRELATOR_NOTICES_MAX];
    const size_t count = held_traps_find(o->emitter->journal, traps, CORRELATOR_NOTICES_MAX / 2);
    for (size_t i = 0; i < count; i++) {
        struct notice_seen *slot = &o->seen[o->next % CORRELATOR_NOTICES_MAX];
        if (!correlator_has_noted(o, traps[i]->number) && !slot->held) {
            *slot = correlator_notice_of(o, traps[i]);
            slot->number = traps[i]->number;
            correlator_set_held(o, slot, true);
            o->next++;
        }
        event_unref(traps[i]);
    }
}

void correlator_tell_held(struct correlator *correlator, bool all)
{
    struct event *event;
    const int64_t now_us = all ? INT64_MAX : emitter_now(correlator->emitter);
    while ((event = down_reasons_expired(&correlator->down_reasons, now_us)))
        emitter_emit(correlator->emitter, event);
    if (correlator->held_count == 0)
        return;
    const int64_t last = emitter_now(correlator->emitter) - CORRELATOR_HOLD_US;
    struct fabric *now = topology_current(correlator->emitter->topology);
    for (size_t i = 0; i < CORRELATOR_NOTICES_MAX; i++) {
        struct notice_seen *slot = &correlator->seen[i];
        if (!slot->held || (!all && slot->since > last))
            continue;
        if (all || slot->since <= last - JOINED_HOLD_US ||
            !correlator_is_waiting(correlator, now, slot))
            correlator_tell_trap(correlator, slot);
    }
    fabric_unref(now);
}

// The latest Notice with that trap about the change's subject or peer; NULL: none.
static const struct notice_seen *correlator_find_notice(const struct correlator *o, uint16_t trap,
                                                        const struct change *change, int64_t now)
{
    for (size_t back = 1; back <= CORRELATOR_NOTICES_MAX && back <= o->next; back++) {
        const struct notice_seen *one = &o->seen[(o->next - back) % CORRELATOR_NOTICES_MAX];
        if (now - one->time_us > CORRELATOR_NOTICE_AGE_S * CLOCK_US_PER_S)
            return NULL;
        if (one->trap == trap &&
            (correlator_is_about(one, &change->subject) || correlator_is_about(one, &change->peer)))
            return one;
    }
    return NULL;
}

// The identifier of the event that the change explains; empty: none. Prefers the Notice about a
// port in or out of service to the Notice of the switch.
static const char *correlator_related_id(const struct correlator *o, const struct change *change,
                                         int64_t now)
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
    const struct notice_seen *found = correlator_find_notice(o, own, change, now);
    if (!found)
        found = correlator_find_notice(o, NOTICE_LINK_STATE, change, now);
    return found ? found->id : "";
}

// Changes.

void correlator_take_reasons(struct correlator *correlator, const struct link_reasons *list)
{
    struct event *event;
    struct down_reasons *reasons = &correlator->down_reasons;
    down_reasons_take(reasons, list, emitter_now(correlator->emitter));
    while ((event = down_reasons_next(reasons, &correlator->emitter->builder))) {
        if (event->alarm_key[0] == '\0' ||
            policy_is_raised(correlator->emitter->policy, event->alarm_key))
            emitter_emit(correlator->emitter, event);
        else
            event_unref(event);
    }
}

void correlator_take_registers(struct correlator *correlator,
                               const struct device_readings *readings)
{
    const struct correlator_sources *sources = &correlator->options.sources;
    const bool of_lost_links =
        readings->count > 0 && readings->all[0].page == REGISTER_LINK_DOWN; // raises no alarm
    if (!sources->no_sweeps && (!sources->no_registers || of_lost_links))
        device_alarms_take(correlator->emitter, correlator->options.devices, readings);
}

// Whether some adapters of a host left: perhaps the others follow.
static bool correlator_may_grow(const struct change *change)
{
    return change->type == CATALOGUE_HOST_REMOVED && !change->is_part &&
           change->cause == FABRIC_NONE && change->parts_changed > 0 &&
           change->parts_changed < change->parts;
}

static void correlator_emit_change(struct correlator *o, const struct changes *all, uint32_t i,
                                   bool late, const char *together, char (*ids)[EVENT_ID_SIZE])
{
    const struct change *change = &all->all[i];
    if (change->untold)
        return;
    const char *cause = change->together               ? together
                        : change->cause != FABRIC_NONE ? ids[change->cause]
                                                       : "";
    const char *related =
        late ? "" : correlator_related_id(o, change, clock_utc(o->emitter->builder.clock));
    struct event *event =
        event_builder_from_change(&o->emitter->builder, change, late, cause, related);
    down_reasons_explain(&o->down_reasons, event, emitter_now(o->emitter));
    if (correlator_may_grow(change))
        event->hold_until_us = emitter_now(o->emitter) + CORRELATOR_GROW_US;
    // The event that raised the alarm first is the root cause: see policy_alarm.
    struct policy_alarm raised;
    const bool again = event->type->alarm == ALARM_RAISES &&
                       policy_find_alarm(o->emitter->policy, change->alarm_key, &raised);
    memcpy(ids[i], again ? raised.event_id : event->id, sizeof ids[i]);
    emitter_emit(o->emitter, event);
}

static void correlator_ask_for_counters(struct correlator *o, const struct changes *changes,
                                        int64_t begun_us)
{
    uint64_t switches[INTERRUPTIONS_SWITCHES_MAX];
    struct fabric *now = topology_current(o->emitter->topology);
    const struct systems *joined = topology_joined(o->emitter->topology);
    const struct interruptions_sweep sweep = {changes, now, joined ? joined->fabric : now,
                                              begun_us};
    const size_t n = interruptions_judge(&o->interruptions, &sweep, switches);
    fabric_unref(now);
    if (n > 0 && o->options.read_counters)
        o->options.read_counters(o->options.ctx, switches, n);
}

bool correlator_take_snapshot(struct correlator *correlator, struct fabric *seen)
{
    struct changes changes = {0};
    bool late = false, complete = seen->complete;
    int64_t begun_us = seen->time_us;
    if (correlator->options.sources.no_sweeps) {
        fabric_unref(seen);
        return false;
    }
    correlator->swept_us = begun_us;
    struct fabric *before =
        correlator->held_count > 0 ? topology_current(correlator->emitter->topology) : NULL;
    missing_tell_absent(correlator->emitter);
    topology_update(correlator->emitter->topology, seen, &changes, &late);
    missing_recall_parts(correlator->emitter, &changes);
    returns_explain(correlator->emitter, &changes);
    char together[EVENT_ID_SIZE], (*ids)[EVENT_ID_SIZE];
    ids = memory_zeroed(changes.count, sizeof *ids);
    together_join(correlator->emitter, &changes, late, together);
    for (uint32_t i = 0; i < changes.count; i++)
        correlator_emit_change(correlator, &changes, i, late, together, ids);
    correlator_judge_held(correlator, &changes, before, begun_us, complete);
    fabric_unref(before);
    if (complete)
        correlator_ask_for_counters(correlator, &changes, begun_us);
    bool any = changes.count > 0;
    if (correlator->watching_since == 0)
        correlator->watching_since = emitter_now(correlator->emitter);
    emitter_restore_left_out(correlator->emitter);
    if (topology_has_base(correlator->emitter->topology)) {
        reconcile_alarms(correlator->emitter, &changes, correlator->watching_since, late,
                         correlator->options.age_us);
        expectations_update(correlator->emitter, correlator->options.expectation);
        lost_planes_update(correlator->emitter);
        inactive_links_update(&correlator->inactive_links, correlator->emitter,
                              &correlator->options.inactive);
    }
    free(ids);
    down_reasons_forget(&correlator->down_reasons);
    changes_clear(&changes);
    return any;
}

bool correlator_wants_sweep(struct correlator *correlator)
{
    const int64_t until_us = topology_waits_until(correlator->emitter->topology);
    const int64_t look_us = correlator->swept_us + CORRELATOR_LOOK_US;
    const int64_t due_us = look_us < until_us ? look_us : until_us;
    if (until_us == 0 || due_us == correlator->asked_for_us ||
        clock_utc(correlator->emitter->builder.clock) < due_us)
        return false;
    correlator->asked_for_us = due_us;
    return true;
}

// Counters.

struct round {
    struct correlator *correlator;
    const struct accumulated_counters *after;
};

static struct endpoint correlator_describe(const struct round *r, uint64_t node_guid,
                                           uint8_t number)
{
    struct endpoint out = {.guid = node_guid, .node_guid = node_guid, .port = number};
    struct fabric *fabric = topology_current(r->correlator->emitter->topology);
    uint32_t port = fabric_find_end(fabric, node_guid, number);
    if (port != FABRIC_NONE)
        describe_port(fabric, port, r->correlator->emitter->builder.names, &out);
    fabric_unref(fabric);
    return out;
}

// An alarm about errors says why the port counts the errors, where the reading knows.
static void correlator_emit_counter(const struct round *r, const struct counter_reading *reading,
                                    const struct counter_statement *statement)
{
    const struct correlator *o = r->correlator;
    const struct alarm_key *key = &statement->key;
    const struct endpoint port = correlator_describe(r, key->guid, key->port);
    const uint64_t discards = counter_watch_errors(o->options.watch, key->guid, key->port,
                                                   COUNTER_XMIT_DISCARDS, statement->window);
    const struct error_details *details =
        key->about == ALARM_ABOUT_ERRORS
            ? counter_find_details(reading, key->guid, key->port, key->counter)
            : NULL;
    struct event *event =
        event_builder_from_counter(&o->emitter->builder, statement, &port, details, discards);
    if (key->about == ALARM_ABOUT_ERRORS && statement->raised)
        device_alarms_find_heat(o->emitter, key, event->cause_id);
    emitter_emit(o->emitter, event);
}

// Tells in the log when more counters have errors, or more ports wait, than can be watched, once
// until all can be again.
static void correlator_tell_unwatched(struct correlator *o)
{
    const struct correlator_unwatched before = o->unwatched;
    const struct correlator_unwatched now = {
        .errors = counter_watch_overflowed(o->options.watch, ALARM_ABOUT_ERRORS),
        .waits = counter_watch_overflowed(o->options.watch, ALARM_ABOUT_WAIT)};
    const bool errors = now.errors != before.errors, waits = now.waits != before.waits;
    if (errors && !o->errors_unwatched)
        log_write(o->emitter->log, LOG_LEVEL_WARNING,
                  "errors grow on so many links that %" PRIu64 " counters are not watched, and "
                  "raise no alarm; %d can be: look for what the links have in common",
                  now.errors - before.errors, COUNTER_WATCH_ERRORS_MAX);
    if (waits && !o->waits_unwatched)
        log_write(o->emitter->log, LOG_LEVEL_WARNING,
                  "so many ports have to wait that %" PRIu64 " of them are not watched, and raise "
                  "no alarm; %d can be: look for what the congested links have in common",
                  now.waits - before.waits, COUNTER_WATCH_WAITS_MAX);
    o->errors_unwatched = errors;
    o->waits_unwatched = waits;
    pthread_mutex_lock(&o->lock);
    o->unwatched = now;
    pthread_mutex_unlock(&o->lock);
}

void correlator_get_unwatched(struct correlator *correlator, struct correlator_unwatched *out)
{
    pthread_mutex_lock(&correlator->lock);
    *out = correlator->unwatched;
    pthread_mutex_unlock(&correlator->lock);
}

static void correlator_watch_counters(const struct round *r, const struct counter_reading *reading)
{
    struct correlator *o = r->correlator;
    struct fabric *fabric = topology_current(o->emitter->topology);
    const struct counter_watch_reading one = {.before = o->accumulated,
                                              .reading = reading,
                                              .fabric = fabric,
                                              .now_us = emitter_now(o->emitter)};
    size_t count;
    const struct counter_statement *all = counter_watch_update(o->options.watch, &one, &count);
    for (size_t i = 0; i < count; i++)
        correlator_emit_counter(r, reading, &all[i]);
    fabric_unref(fabric);
    correlator_tell_unwatched(o);
}

static void correlator_set_accumulated(struct correlator *o,
                                       struct accumulated_counters *accumulated)
{
    struct accumulated_counters *old = o->accumulated; // written in this thread alone
    struct measured_errors *old_measured = o->measured;
    struct measured_errors *measured = measured_errors_of(o->options.watch);
    pthread_mutex_lock(&o->lock);
    o->accumulated = accumulated;
    o->measured = measured;
    pthread_mutex_unlock(&o->lock);
    accumulated_unref(old);
    measured_errors_unref(old_measured);
}

struct accumulated_counters *correlator_accumulated(struct correlator *correlator)
{
    pthread_mutex_lock(&correlator->lock);
    struct accumulated_counters *accumulated =
        correlator->accumulated ? accumulated_ref(correlator->accumulated) : NULL;
    pthread_mutex_unlock(&correlator->lock);
    return accumulated;
}

struct measured_errors *correlator_measured_errors(struct correlator *correlator)
{
    pthread_mutex_lock(&correlator->lock);
    struct measured_errors *measured =
        correlator->measured ? measured_errors_ref(correlator->measured) : NULL;
    pthread_mutex_unlock(&correlator->lock);
    return measured;
}

struct expectation *correlator_expectation(struct correlator *correlator)
{
    pthread_mutex_lock(&correlator->lock);
    struct expectation *expectation = expectation_ref(correlator->options.expectation);
    pthread_mutex_unlock(&correlator->lock);
    return expectation;
}

// Whether the other end of the link is in the reading with a counter that grew, too, and has the
// smaller GUID or number: then it is the subject.
static bool correlator_is_second_end(const struct round *r, const struct interruptions_found *found,
                                     const struct endpoint *peer)
{
    uint64_t then[COUNTER_COUNT], now[COUNTER_COUNT];
    bool smaller = peer->node_guid < found->node_guid ||
                   (peer->node_guid == found->node_guid && peer->port < found->port);
    return smaller && accumulated_find(r->correlator->latest, peer->node_guid, peer->port, then) &&
           accumulated_find(r->after, peer->node_guid, peer->port, now) &&
           now[COUNTER_LINK_DOWNED] > then[COUNTER_LINK_DOWNED];
}

// Lets the event wait for answers of both ends of the link, or emits the event.
static void correlator_emit_explained(struct correlator *o, struct event *event)
{
    struct link_reasons *ends = memory_zeroed(1, sizeof *ends);
    ends->all[ends->count++] =
        (struct link_reason){.node_guid = event->subject.node_guid, .port = event->subject.port};
    if (event->peer.node_guid != 0)
        ends->all[ends->count++] =
            (struct link_reason){.node_guid = event->peer.node_guid, .port = event->peer.port};
    const int64_t wait_us =
        o->options.ask_reasons ? o->options.ask_reasons(o->options.ctx, ends) : 0;
    if (wait_us == 0 ||
        !down_reasons_hold(&o->down_reasons, event, emitter_now(o->emitter) + wait_us))
        emitter_emit(o->emitter, event);
    free(ends);
}

static void correlator_emit_interrupted(void *ctx, const struct interruptions_found *found)
{
    const struct round *r = ctx;
    struct change change = {.type = CATALOGUE_LINK_INTERRUPTED,
                            .subject = correlator_describe(r, found->node_guid, found->port),
                            .switch_guid = found->node_guid,
                            .cause = FABRIC_NONE};
    topology_find_peer(r->correlator->emitter->topology, found->node_guid, found->port,
                       &change.peer);
    if (correlator_is_second_end(r, found, &change.peer))
        return;
    snprintf(change.reason, sizeof change.reason, "LinkDownedCounter grew by %" PRIu64,
             found->times);
    correlator_emit_explained(r->correlator,
                              event_builder_from_change(&r->correlator->emitter->builder, &change,
                                                        false, NULL, found->related_id));
}

static void correlator_set_latest(struct correlator *o, struct accumulated_counters *latest)
{
    accumulated_unref(o->latest);
    o->latest = latest;
}

void correlator_take_reading(struct correlator *correlator, const struct counter_reading *reading)
{
    struct correlator *o = correlator;
    if (o->options.sources.no_sweeps || o->options.sources.no_counters)
        return;
    bool same = o->latest == o->accumulated; // as after a regular reading
    struct accumulated_counters *after = accumulated_with(o->latest, reading);
    struct round round = {.correlator = o, .after = after};
    interruptions_find(&o->interruptions, reading, o->latest, after, correlator_emit_interrupted,
                       &round);
    correlator_set_latest(o, after);
    if (reading->early)
        return;
    struct accumulated_counters *accumulated =
        same ? accumulated_ref(after) : accumulated_with(o->accumulated, reading);
    counter_alarms_forget_cleared(o->emitter, o->options.watch);
    correlator_watch_counters(&round, reading);
    correlator_set_latest(o, accumulated_ref(accumulated));
    correlator_set_accumulated(o, accumulated);
    counter_alarms_end_lost(o->emitter, o->options.watch);
}
