// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/correlator.h"

#include "base/memory.h"
#include "base/wire.h"
#include "pipeline/counter_alarms.h"
#include "pipeline/device_alarms.h"
#include "pipeline/down_reasons.h"
#include "pipeline/expectations.h"
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

struct correlator {
    struct correlator_options options;
    struct emitter *emitter;
    int64_t watching_since; // monotonic: the first snapshot of this run
    struct seen_notices notices;
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
    o->emitter = o->notices.emitter = options->emitter;
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

bool correlator_note_event(struct correlator *correlator, struct event *event)
{
    if (!correlator_is_of_topology(event))
        return false;
    seen_notices_add(&correlator->notices, event, !correlator->options.sources.no_sweeps);
    interruptions_note(&correlator->interruptions, event);
    return true;
}

void correlator_note_number(struct correlator *correlator, const struct event *event)
{
    seen_notices_number(&correlator->notices, event->number);
}

void correlator_restore_held(struct correlator *correlator)
{
    seen_notices_restore(&correlator->notices);
}

void correlator_tell_held(struct correlator *correlator, bool all)
{
    struct event *event;
    const int64_t now_us = all ? INT64_MAX : emitter_now(correlator->emitter);
    while ((event = down_reasons_expired(&correlator->down_reasons, now_us)))
        emitter_emit(correlator->emitter, event);
    seen_notices_tell_late(&correlator->notices, all);
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
    const char *related = late ? "" : seen_notices_of_change(&o->notices, change);
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
        correlator->notices.held > 0 ? topology_current(correlator->emitter->topology) : NULL;
    missing_tell_absent(correlator->emitter);
    topology_update(correlator->emitter->topology, seen, &changes, &late);
    missing_recall_parts(correlator->emitter, &changes);
    returns_explain(correlator->emitter, &changes);
    char together[EVENT_ID_SIZE], (*ids)[EVENT_ID_SIZE];
    ids = memory_zeroed(changes.count, sizeof *ids);
    together_join(correlator->emitter, &changes, late, together);
    for (uint32_t i = 0; i < changes.count; i++)
        correlator_emit_change(correlator, &changes, i, late, together, ids);
    seen_notices_judge(&correlator->notices, &changes, before, begun_us, complete);
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
