// SPDX-License-Identifier: BSD-2-Clause
#include "topology/former_names.h"

#include "base/hash.h"
#include "base/memory.h"
#include "model/node_name.h"
#include "topology/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct former_name {
    struct hash_node by_guid;
    struct event_other_name is;
    int64_t time_us;  // UTC, when it was a name last
    uint32_t changes; // how often another name followed, less than FORMER_NAMES_US ago each
};

struct former_names {
    struct hash by_guid;
    size_t next; // place of the next name
    struct former_name all[FORMER_NAMES_MAX];
};

struct former_names *former_names_new(const struct random *random)
{
    struct former_names *former = memory_zeroed(1, sizeof *former);
    hash_init(&former->by_guid, FORMER_NAMES_MAX, random);
    return former;
}

void former_names_free(struct former_names *former)
{
    if (former)
        hash_clear(&former->by_guid);
    free(former);
}

static uint64_t former_names_digest(const struct former_names *former, uint64_t guid)
{
    return hash_digest(&former->by_guid, &guid, sizeof guid);
}

// The next of the GUID's names behind `name`; NULL: the first. Returns NULL if there is none.
static struct former_name *former_names_next(const struct former_names *former,
                                             const struct former_name *name, uint64_t guid)
{
    const struct hash_node *node = name ? &name->by_guid : NULL;
    struct hash_node *next = node ? hash_find_next(node)
                                  : hash_find(&former->by_guid, former_names_digest(former, guid));
    while (next && HASH_THING(next, struct former_name, by_guid)->is.guid != guid)
        next = hash_find_next(next);
    return HASH_THING(next, struct former_name, by_guid);
}

static bool former_names_counts(const struct former_name *name, int64_t now_us)
{
    return now_us - name->time_us <= FORMER_NAMES_US;
}

// `changed`: the node has another name now.
static void former_names_note(struct former_names *former, uint64_t guid, const char *name,
                              int64_t time_us, bool changed)
{
    struct former_name *at = former_names_next(former, NULL, guid);
    while (at && strcmp(at->is.name, name) != 0)
        at = former_names_next(former, at, guid);
    if (!at && guid != 0 && name[0] != '\0') {
        at = &former->all[former->next++ % FORMER_NAMES_MAX];
        if (at->is.guid != 0)
            hash_remove(&former->by_guid, &at->by_guid);
        at->is.guid = guid;
        at->changes = 0;
        snprintf(at->is.name, sizeof at->is.name, "%s", name);
        hash_add(&former->by_guid, &at->by_guid, former_names_digest(former, guid));
    }
    if (!at)
        return;
    at->changes = (former_names_counts(at, time_us) ? at->changes : 0) + changed;
    at->time_us = time_us;
}

// The node is back: the names from before its absence count again.
static void former_names_renew(struct former_names *former, uint64_t guid, int64_t time_us)
{
    struct former_name *at = former_names_next(former, NULL, guid);
    for (; at; at = former_names_next(former, at, guid))
        at->time_us = time_us;
}

void former_names_compare(struct former_names *former, const struct fabric *before,
                          const struct fabric *after, const struct names *names)
{
    for (uint32_t i = 0; i < before->node_count; i++) {
        const struct fabric_node *node = &before->nodes[i];
        const uint32_t now = fabric_find_node(after, node->guid);
        const char *name = describe_name(node, 0, names);
        if (now == FABRIC_NONE || strcmp(name, describe_name(&after->nodes[now], 0, names)) != 0)
            former_names_note(former, node->guid, name, after->time_us, now != FABRIC_NONE);
    }
    for (uint32_t i = 0; former->next > 0 && i < after->node_count; i++) {
        const uint64_t guid = after->nodes[i].guid;
        if (fabric_find_node(before, guid) == FABRIC_NONE)
            former_names_renew(former, guid, after->time_us);
    }
}

void former_names_rename(struct former_names *former, const struct fabric *fabric,
                         const struct names *from, const struct names *to)
{
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        const char *name = describe_name(node, 0, from);
        if (strcmp(name, describe_name(node, 0, to)) != 0)
            former_names_note(former, node->guid, name, fabric->time_us, false);
    }
    for (uint32_t i = 0; i < fabric->port_guid_count; i++) {
        const uint64_t guid = fabric->port_guids[i].guid;
        const char *name = names_find(from, guid), *now = names_find(to, guid);
        if (name && (!now || strcmp(name, now) != 0))
            former_names_note(former, guid, name, fabric->time_us, false);
    }
}

uint32_t former_names_changes(const struct former_names *former, uint64_t guid, int64_t now_us)
{
    uint32_t changes = 0;
    const struct former_name *at = former_names_next(former, NULL, guid);
    for (; at; at = former_names_next(former, at, guid))
        changes += former_names_counts(at, now_us) ? at->changes : 0;
    return changes;
}

const char *former_names_last(const struct former_names *former, uint64_t guid, int64_t now_us)
{
    const struct former_name *last = NULL,
                             *at = former->next > 0 ? former_names_next(former, NULL, guid) : NULL;
    for (; at; at = former_names_next(former, at, guid)) {
        if ((!last || at->time_us > last->time_us) && former_names_counts(at, now_us) &&
            !node_name_is_of_factory(at->is.name))
            last = at;
    }
    return last ? last->is.name : NULL;
}

static void former_names_add_of(const struct former_names *former, struct event *event,
                                const struct endpoint *who, uint64_t guid)
{
    const struct former_name *at = guid != 0 ? former_names_next(former, NULL, guid) : NULL;
    for (; at; at = former_names_next(former, at, guid)) {
        if (strcmp(at->is.name, who->name) != 0 && former_names_counts(at, event->time_us))
            event_add_other_name(event, guid, at->is.name);
    }
}

void former_names_add(const struct former_names *former, struct event *event)
{
    const struct endpoint *const who[] = {&event->subject, &event->peer, &event->issuer,
                                          &event->source, &event->destination};
    for (size_t i = 0; former->next > 0 && i < sizeof who / sizeof *who; i++) {
        if (i > 1 && who[i]->node_guid == event->subject.node_guid)
            continue; // the names of the subject are there
        former_names_add_of(former, event, who[i], who[i]->node_guid);
        if (who[i]->guid != who[i]->node_guid)
            former_names_add_of(former, event, who[i], who[i]->guid);
    }
}
