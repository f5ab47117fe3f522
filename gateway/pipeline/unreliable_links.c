// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/unreliable_links.h"

#include "base/hash.h"
#include "base/memory.h"
#include "event/template.h"
#include "model/catalogue.h"
#include "model/fabric.h"
#include "policy/policy_types.h"
#include "topology/alarm_key.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// What counts.

static bool unreliable_is_suppressed_as(const struct event *event, enum policy_reason reason)
{
    return strcmp(event->suppressed, policy_reason_word(reason)) == 0;
}

// Whether it happened now, by itself, and matters.
static bool unreliable_is_incident(const struct event *event)
{
    return !event->test && !event->retold && event->cause_id[0] == '\0' &&
           !unreliable_is_suppressed_as(event, POLICY_MAINTENANCE) &&
           !unreliable_is_suppressed_as(event, POLICY_DISABLED) &&
           !unreliable_is_suppressed_as(event, POLICY_DUPLICATE);
}

// Whether the event says that a link or a port of a link flaps.
static bool unreliable_is_flapping_link(const struct event *event)
{
    static const char BEGINNING[] = "flapping ";
    struct alarm_key what;
    return strncmp(event->alarm_key, BEGINNING, sizeof BEGINNING - 1) == 0 &&
           alarm_key_read(event->alarm_key + sizeof BEGINNING - 1, &what) &&
           (what.kind == ALARM_KEY_LINK || what.kind == ALARM_KEY_PORT);
}

// False: events of that kind do not count.
static bool unreliable_find_kind(const struct event *event, enum link_incident_kind *out)
{
    switch (catalogue_event_of(event->type)) {
    case CATALOGUE_LINK_DOWN:
    case CATALOGUE_LINK_INTERRUPTED:
    case CATALOGUE_PORT_REMOVED:
        *out = LINK_FAILED;
        return true;
    case CATALOGUE_FLAPPING:
        *out = LINK_FLAPPED;
        return unreliable_is_flapping_link(event);
    case CATALOGUE_LINK_ERRORS_RAISED:
        *out = LINK_HAD_ERRORS;
        return true;
    default:
        return false;
    }
}

static uint64_t unreliable_host_of(const struct endpoint *who)
{
    const bool known = who->type == FABRIC_CA && who->system[0] != '\0';
    return known ? digest_add(DIGEST_OF_NOTHING, who->system, strlen(who->system)) : 0;
}

// False: the event is no incident of a link of which both ends are known.
static bool unreliable_read_incident(const struct event *event, struct link_incident *out)
{
    const struct endpoint *subject = &event->subject, *peer = &event->peer;
    if (!unreliable_find_kind(event, &out->kind) || !unreliable_is_incident(event) ||
        subject->node_guid == 0 || peer->node_guid == 0 || subject->port == 0 || peer->port == 0)
        return false;
    out->link = link_history_key(subject->node_guid, subject->port, peer->node_guid, peer->port);
    out->host =
        unreliable_host_of(subject) != 0 ? unreliable_host_of(subject) : unreliable_host_of(peer);
    out->utc_us = event->time_us;
    return true;
}

static bool unreliable_links_read_key(const char *key, struct alarm_key *out)
{
    return alarm_key_parse(key, out) && out->about == ALARM_ABOUT_UNRELIABLE;
}

// Whether the link has no past: somebody cleared the alarm, or the cable is another one.
static bool unreliable_links_begins_anew(const struct event *event, struct alarm_key *out)
{
    const struct endpoint *subject = &event->subject, *peer = &event->peer;
    const enum catalogue_event type = catalogue_event_of(event->type);
    if (event->test || (type != CATALOGUE_ALARM_CLEARED && type != CATALOGUE_CABLE_REPLACED))
        return false;
    if (type == CATALOGUE_ALARM_CLEARED)
        return unreliable_links_read_key(event->alarm_key, out);
    if (subject->node_guid == 0 || peer->node_guid == 0)
        return false;
    *out = link_history_key(subject->node_guid, subject->port, peer->node_guid, peer->port);
    return true;
}

// Adds to the sentence how many times the link failed within a day, or else within the window.
static void unreliable_tell_failures(const struct unreliable_links *links,
                                     const struct link_incident *incident, struct event *event)
{
    static const int64_t DAY_US = 86400 * CLOCK_US_PER_S;
    const int64_t window_us = link_history_limits_of(links->history).window_us;
    if (incident->kind != LINK_FAILED)
        return;
    const uint64_t in_day =
        link_history_failures(links->history, &incident->link, incident->at_us - DAY_US);
    const uint64_t before = in_day > 0 ? in_day
                                       : link_history_failures(links->history, &incident->link,
                                                               incident->at_us - window_us);
    if (before == 0)
        return;
    struct text reason = text_behind(event->reason, sizeof event->reason);
    text_addf(&reason, "%sthe link failed %" PRIu64 " times within ", reason.len > 0 ? "; " : "",
              before + 1);
    text_addf(&reason, in_day > 0 ? "24 hours: check its cable" : "%d days",
              (int)(window_us / DAY_US));
    template_explain(event);
}

void unreliable_links_note(struct unreliable_links *links, struct event *event)
{
    struct link_incident incident;
    struct alarm_key cleared;
    if (!links->history)
        return;
    if (unreliable_links_begins_anew(event, &cleared))
        link_history_forget(links->history, &cleared);
    if (!unreliable_read_incident(event, &incident))
        return;
    incident.at_us = emitter_now(links->emitter);
    unreliable_tell_failures(links, &incident, event);
    link_history_add(links->history, &incident);
}

// Restoring.

// What the journal has, newest first.
struct unreliable_links_past {
    struct link_history *history;
    int64_t utc_us, now_us;
    struct remembered {
        bool cleared; // the link begins anew; only `link` of the incident counts
        struct link_incident incident;
    } * all;
    size_t count, capacity;
};

// Converts a time of the wall clock. After the clock was set back, a time in the future is now.
static int64_t unreliable_links_to_past(const struct unreliable_links_past *past, int64_t utc_us)
{
    return past->now_us - (past->utc_us > utc_us ? past->utc_us - utc_us : 0);
}

static void unreliable_keep_past(struct unreliable_links_past *past, const struct event *event)
{
    struct remembered one = {0};
    one.cleared = unreliable_links_begins_anew(event, &one.incident.link);
    if (!one.cleared && !unreliable_read_incident(event, &one.incident))
        return;
    MEMORY_MAKE_ROOM(past->all, past->count, past->capacity);
    one.incident.at_us = unreliable_links_to_past(past, event->time_us);
    // The clock may have been ahead for a while: what is older was not later.
    if (past->count > 0 && one.incident.at_us > past->all[past->count - 1].incident.at_us)
        one.incident.at_us = past->all[past->count - 1].incident.at_us;
    past->all[past->count++] = one;
}

// Reads the newest events within the window.
static void unreliable_read_past(struct unreliable_links_past *past, struct journal *journal,
                                 int64_t window_us)
{
    struct journal_item items[JOURNAL_LINKS_PAGE];
    int64_t before = INT64_MAX;
    size_t read = 0, n;
    while (read < UNRELIABLE_LINKS_READ_MAX &&
           (n = journal_read_links_back(journal, before, items)) > 0) {
        for (size_t i = 0; i < n; i++) {
            const struct event *event = items[i].event;
            before = items[i].sequence;
            if (event && past->utc_us - event->time_us < window_us)
                unreliable_keep_past(past, event);
            event_unref(items[i].event);
        }
        read += n;
    }
}

static void unreliable_restore(struct policy *policy, const struct unreliable_links_past *past)
{
    size_t count;
    struct alarm_key link;
    struct policy_alarm *alarms = policy_list_alarms(policy, &count);
    for (size_t i = 0; i < count; i++) {
        if (unreliable_links_read_key(alarms[i].key, &link))
            link_history_restore(past->history, &link,
                                 unreliable_links_to_past(past, alarms[i].since_us), past->now_us);
    }
    free(alarms);
}

void unreliable_links_restore(struct unreliable_links *links)
{
    if (!links->history)
        return;
    struct unreliable_links_past past = {.history = links->history,
                                         .utc_us = clock_utc(links->emitter->builder.clock),
                                         .now_us = emitter_now(links->emitter)};
    link_history_clear(links->history);
    unreliable_read_past(&past, links->emitter->journal,
                         link_history_limits_of(links->history).window_us);
    for (size_t i = past.count; i-- > 0;) {
        if (past.all[i].cleared)
            link_history_forget(links->history, &past.all[i].incident.link);
        else
            link_history_add(links->history, &past.all[i].incident);
    }
    free(past.all);
    unreliable_restore(links->emitter->policy, &past);
}

// Judging.

struct unreliable_links_changes {
    struct unreliable_links *links;
    struct unreliable_links_change {
        struct link_record record;
        enum link_verdict verdict;
    } * all;
    size_t count;
};

static bool unreliable_is_connected_elsewhere(const struct unreliable_links *links, uint64_t guid,
                                              uint8_t port, uint64_t peer_guid, uint8_t peer_port)
{
    struct endpoint peer;
    return topology_find_peer(links->emitter->topology, guid, port, &peer) &&
           (peer.node_guid != peer_guid || peer.port != peer_port);
}

static bool unreliable_links_is_elsewhere(void *ctx, const struct alarm_key *link)
{
    const struct unreliable_links_changes *changes = ctx;
    return unreliable_is_connected_elsewhere(changes->links, link->guid, link->port,
                                             link->peer_guid, link->peer_port) ||
           unreliable_is_connected_elsewhere(changes->links, link->peer_guid, link->peer_port,
                                             link->guid, link->port);
}

// Policy may pass on events about links while one is handled, so all are found before.
static void unreliable_keep_change(void *ctx, const struct link_record *record,
                                   enum link_verdict verdict)
{
    struct unreliable_links_changes *changes = ctx;
    changes->all = memory_resize(changes->all, changes->count + 1, sizeof *changes->all);
    changes->all[changes->count++] = (struct unreliable_links_change){*record, verdict};
}

static struct endpoint unreliable_links_describe(const struct unreliable_links *links,
                                                 uint64_t guid, uint8_t port)
{
    struct endpoint out = {.guid = guid, .node_guid = guid};
    topology_find_guid(links->emitter->topology, guid, &out);
    out.node_guid = guid;
    out.port = port;
    return out;
}

static void unreliable_emit_change(const struct unreliable_links *links,
                                   const struct unreliable_links_change *change)
{
    const struct alarm_key *link = &change->record.link;
    const struct event_builder_link_record what = {
        .record = &change->record,
        .verdict = change->verdict,
        .limits = link_history_limits_of(links->history),
        .ends = {unreliable_links_describe(links, link->guid, link->port),
                 unreliable_links_describe(links, link->peer_guid, link->peer_port)},
    };
    emitter_emit(links->emitter, event_builder_from_link_record(&links->emitter->builder, &what));
}

// Tells in the log when links fail for which there is no room.
static void unreliable_tell_overflow(struct unreliable_links *links)
{
    const uint64_t overflowed = link_history_overflowed(links->history);
    if (overflowed != links->overflowed)
        log_write(
            links->emitter->log, LOG_LEVEL_WARNING,
            "so many links fail that %" PRIu64 " failures are not counted, and raise no alarm "
            "link-unreliable; %d links can be remembered, and %d can have the alarm: look for "
            "what they have in common",
            overflowed - links->overflowed, LINK_HISTORY_LINKS_MAX, LINK_HISTORY_UNRELIABLE_MAX);
    links->overflowed = overflowed;
}

void unreliable_links_update(struct unreliable_links *links)
{
    const int64_t now_us = emitter_now(links->emitter);
    if (!links->history || now_us < link_history_due(links->history))
        return;
    struct unreliable_links_changes changes = {.links = links};
    const struct link_history_judge judge = {unreliable_links_is_elsewhere, unreliable_keep_change,
                                             &changes};
    link_history_update(links->history, now_us, &judge);
    for (size_t i = 0; i < changes.count; i++)
        unreliable_emit_change(links, &changes.all[i]);
    free(changes.all);
    unreliable_tell_overflow(links);
}
