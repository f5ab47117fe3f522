// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/seen_notices.h"

#include "base/wire.h"
#include "pipeline/held_traps.h"
#include "topology/joined.h"

#include <string.h>

static void seen_notices_set_held(struct seen_notices *notices, struct seen_notice *slot, bool held)
{
    notices->held = notices->held - slot->held + held;
    slot->held = held;
}

// Tells of the trap again: receivers of systems did not get the trap.
static void seen_notices_tell_trap(struct seen_notices *notices, struct seen_notice *slot)
{
    struct event *trap =
        slot->number != 0 ? journal_find(notices->emitter->journal, slot->number) : NULL;
    seen_notices_set_held(notices, slot, false);
    if (!trap)
        return;
    struct event *event = event_copy(trap);
    event_unjudge(event);
    memcpy(event->related_id, trap->id, sizeof event->related_id);
    event->id[0] = '\0';
    event->awaits_sweep = false;
    event->retold = true;
    event->number = 0;
    event_builder_stamp(&notices->emitter->builder, event);
    emitter_emit(notices->emitter, event);
    event_unref(trap);
}

static bool seen_notices_holds(const struct seen_notices *notices, const struct event *event,
                               bool swept)
{
    const uint16_t trap = event->type->trap;
    const struct topology *topology = notices->emitter->topology; // NULL in tests
    return swept && topology && topology_has_base(topology) &&
           (trap == NOTICE_GID_IN_SERVICE || trap == NOTICE_GID_OUT_OF_SERVICE ||
            trap == NOTICE_LINK_STATE);
}

static bool seen_notices_holds_trap(const struct seen_notices *notices, uint16_t trap,
                                    uint64_t guid)
{
    for (size_t i = 0; notices->held > 0 && i < SEEN_NOTICES_MAX; i++) {
        if (notices->all[i].held && notices->all[i].trap == trap && notices->all[i].guid == guid)
            return true;
    }
    return false;
}

// Whether a sweep told before of what the trap says: the subnet manager may be slower. No sweep
// knows the port of a virtual function.
static bool seen_notices_is_known(const struct seen_notices *notices, const struct event *event)
{
    struct endpoint port;
    const uint64_t guid = event->subject.guid;
    const struct systems *joined = topology_joined(notices->emitter->topology);
    const bool is_there = joined && fabric_find_port_guid(joined->fabric, guid) != FABRIC_NONE;
    if (event->type->trap == NOTICE_GID_IN_SERVICE)
        return is_there && !seen_notices_holds_trap(notices, NOTICE_GID_OUT_OF_SERVICE, guid);
    return event->type->trap == NOTICE_GID_OUT_OF_SERVICE && !is_there &&
           topology_find_guid(notices->emitter->topology, guid, &port);
}

static struct seen_notice seen_notices_of(const struct seen_notices *notices,
                                          const struct event *event)
{
    struct seen_notice notice = {.trap = event->type->trap,
                                 .lid = event->subject.lid,
                                 .guid = event->subject.guid,
                                 .time_us = event->time_us,
                                 .since = emitter_now(notices->emitter)};
    memcpy(notice.id, event->id, sizeof notice.id);
    return notice;
}

void seen_notices_add(struct seen_notices *notices, struct event *event, bool swept)
{
    struct seen_notice *slot = &notices->all[notices->next++ % SEEN_NOTICES_MAX];
    if (slot->held)
        seen_notices_tell_trap(notices, slot);
    event->is_part = event->awaits_sweep = seen_notices_holds(notices, event, swept);
    *slot = seen_notices_of(notices, event);
    seen_notices_set_held(notices, slot,
                          event->awaits_sweep && !seen_notices_is_known(notices, event));
}

// Whether the Notice is about the endpoint of a change. The change of a host has the node as its
// subject, trap 64 or 65 has the port, perhaps without a LID: so compare all GUIDs, too.
static bool seen_notices_is_about(const struct seen_notice *notice, const struct endpoint *who)
{
    uint64_t port_guid = wire_get64(who->gid + 8);
    return (notice->guid != 0 && (notice->guid == who->guid || notice->guid == who->node_guid ||
                                  notice->guid == port_guid)) ||
           (notice->lid != 0 && notice->lid == who->lid);
}

static bool seen_notices_is_explained(const struct seen_notice *slot, const struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->all[i];
        if (seen_notices_is_about(slot, &change->subject) ||
            seen_notices_is_about(slot, &change->peer))
            return true;
    }
    return false;
}

// Whether a link of the port's or switch's node waits in a snapshot, and has not joined.
static bool seen_notices_is_waiting(const struct seen_notices *notices, const struct fabric *now,
                                    const struct seen_notice *slot)
{
    const struct systems *joined = topology_joined(notices->emitter->topology);
    if (!joined || !now)
        return false;
    const uint32_t port = fabric_find_port_guid(now, slot->guid);
    const uint64_t node =
        port != FABRIC_NONE ? now->nodes[fabric_node_of_port(now, port)].guid : slot->guid;
    return joined_lacks_link(joined->fabric, now, node);
}

void seen_notices_judge(struct seen_notices *notices, const struct changes *changes,
                        const struct fabric *before, int64_t begun_us, bool complete)
{
    struct fabric *now = notices->held > 0 ? topology_current(notices->emitter->topology) : NULL;
    for (size_t i = 0; notices->held > 0 && i < SEEN_NOTICES_MAX; i++) {
        struct seen_notice *slot = &notices->all[i];
        if (!slot->held)
            continue;
        const bool explained = seen_notices_is_explained(slot, changes);
        if (!explained &&
            (!complete || slot->time_us >= begun_us || seen_notices_is_waiting(notices, now, slot)))
            continue;
        if (explained || seen_notices_is_waiting(notices, before, slot))
            seen_notices_set_held(notices, slot, false);
        else
            seen_notices_tell_trap(notices, slot);
    }
    fabric_unref(now);
}

void seen_notices_number(struct seen_notices *notices, int64_t number)
{
    notices->all[(notices->next - 1) % SEEN_NOTICES_MAX].number = number;
}

static bool seen_notices_has_noted(const struct seen_notices *notices, int64_t number)
{
    for (size_t i = 0; i < SEEN_NOTICES_MAX && i < notices->next; i++) {
        if (notices->all[i].number == number)
            return true;
    }
    return false;
}

void seen_notices_restore(struct seen_notices *notices)
{
    struct event *traps[SEEN_NOTICES_MAX];
    const size_t count = held_traps_find(notices->emitter->journal, traps, SEEN_NOTICES_MAX / 2);
    for (size_t i = 0; i < count; i++) {
        struct seen_notice *slot = &notices->all[notices->next % SEEN_NOTICES_MAX];
        if (!seen_notices_has_noted(notices, traps[i]->number) && !slot->held) {
            *slot = seen_notices_of(notices, traps[i]);
            slot->number = traps[i]->number;
            seen_notices_set_held(notices, slot, true);
            notices->next++;
        }
        event_unref(traps[i]);
    }
}

void seen_notices_tell_late(struct seen_notices *notices, bool all)
{
    if (notices->held == 0)
        return;
    const int64_t last = emitter_now(notices->emitter) - SEEN_NOTICES_HOLD_US;
    struct fabric *now = topology_current(notices->emitter->topology);
    for (size_t i = 0; i < SEEN_NOTICES_MAX; i++) {
        struct seen_notice *slot = &notices->all[i];
        if (!slot->held || (!all && slot->since > last))
            continue;
        if (all || slot->since <= last - JOINED_HOLD_US ||
            !seen_notices_is_waiting(notices, now, slot))
            seen_notices_tell_trap(notices, slot);
    }
    fabric_unref(now);
}

// The latest Notice with that trap about the change's subject or peer; NULL: none.
static const struct seen_notice *seen_notices_find_notice(const struct seen_notices *notices,
                                                          uint16_t trap,
                                                          const struct change *change, int64_t now)
{
    for (size_t back = 1; back <= SEEN_NOTICES_MAX && back <= notices->next; back++) {
        const struct seen_notice *one = &notices->all[(notices->next - back) % SEEN_NOTICES_MAX];
        if (now - one->time_us > SEEN_NOTICES_AGE_S * CLOCK_US_PER_S)
            return NULL;
        if (one->trap == trap && (seen_notices_is_about(one, &change->subject) ||
                                  seen_notices_is_about(one, &change->peer)))
            return one;
    }
    return NULL;
}

// Prefers the Notice about a port in or out of service to the Notice of the switch.
const char *seen_notices_of_change(const struct seen_notices *notices, const struct change *change)
{
    const int64_t now = clock_utc(notices->emitter->builder.clock);
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
    const struct seen_notice *found = seen_notices_find_notice(notices, own, change, now);
    if (!found)
        found = seen_notices_find_notice(notices, NOTICE_LINK_STATE, change, now);
    return found ? found->id : "";
}
