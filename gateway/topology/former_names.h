// SPDX-License-Identifier: BSD-2-Clause
// The former names of nodes and ports. A host that boots shows the description of its
// adapter's factory for a while, and a map may name a node anew: patterns of filters, policies and
// maintenance windows match the former name, too.
// Decides: Which former names of a node do patterns match, and for how long?
// Decides: When is a node's new name told no more?
#pragma once

#include "base/random.h"
#include "model/event.h"
#include "model/fabric.h"
#include "model/names.h"

// For how long a name counts after the node lost the name, or came back under another name.
#define FORMER_NAMES_US (INT64_C(86400) * 1000000)

enum {
    FORMER_NAMES_MAX = 16384, // the oldest are forgotten first
    FORMER_NAMES_TOLD = 8,    // changes of a node's name that are told, until no name is old
};

struct former_names;

// `random` protects the hash table.
struct former_names *former_names_new(const struct random *random);
void former_names_free(struct former_names *former); // NULL is allowed

// Notes the names of nodes that are in `before`, and are not in `after` or have another name there.
void former_names_compare(struct former_names *former, const struct fabric *before,
                          const struct fabric *after, const struct names *names);

// Notes the names of `from` where `to` has another name for the node or port. Both may be NULL.
void former_names_rename(struct former_names *former, const struct fabric *fabric,
                         const struct names *from, const struct names *to);

// How often the node lost a name that still counts to another one.
uint32_t former_names_changes(const struct former_names *former, uint64_t guid, int64_t now_us);

// The last name of the node that was no description of the factory, while the name counts. NULL:
// none is known. Valid until the next change of `former`.
const char *former_names_last(const struct former_names *former, uint64_t guid, int64_t now_us);

// Adds the former names of the event's nodes and ports, at most EVENT_OTHER_NAMES_MAX.
void former_names_add(const struct former_names *former, struct event *event);
