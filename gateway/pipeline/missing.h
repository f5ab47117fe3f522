// SPDX-License-Identifier: BSD-2-Clause
// Missing nodes in sentences, by their alarms. Pipeline's thread.
#pragma once

#include "pipeline/emitter.h"
#include "pipeline/open_alarms.h"

// Some of the alarms, by their indices.
struct missing_group {
    uint32_t *members;
    size_t count;
};

// Adds ": a, b, c, d, e and 2 more", from the events about the losses.
void missing_add_names(const struct emitter *emitter, struct text *t,
                       const struct open_alarms *alarms, const struct missing_group *group);

// The event that raised the alarm, once more, as a root cause, with the missing nodes behind the
// alarm's node, or with the other adapters of the host. The caller's; NULL: the journal does not
// have the event.
struct event *missing_make_root_event(const struct emitter *emitter,
                                      const struct open_alarms *alarms,
                                      const struct open_alarm *root,
                                      const struct missing_group *behind);

// Counts the adapters of a host, or the parts of a box, that had left before, by their alarms.
// Where one of these alarms tells of the others, or of itself alone, the alarm grows: the change is
// about that alarm, "3 of 8 adapters" or "with all 8 adapters", and each node of this sweep is a
// part.
void missing_recall_parts(const struct emitter *emitter, struct changes *changes);

// Tells the topology which nodes left, and which of them are parts of one host or box, by their
// alarms (topology_set_absent).
void missing_tell_absent(const struct emitter *emitter);

// For qsort_r, with the alarms as `ctx`: by root cause; the root cause itself first.
int missing_compare_roots(const void *a, const void *b, void *ctx);

// Whether the alarm's node is a part of the other node's system, and no node behind the other node.
// A host is the root cause of its own adapters alone.
bool missing_is_part(const struct emitter *emitter, const struct open_alarm *a,
                     const struct open_alarm *other);
