// SPDX-License-Identifier: BSD-2-Clause
// Builds events: turns a Notice, a malformed MAD, a change of the fabric, a counter over its
// threshold or an occurrence in the gateway into one identified, named and explained event.
// Decides: Which name does a node get in a sentence: of a map, by SNMP, or its NodeDescription?
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "model/catalogue.h"
#include "model/counter.h"
#include "model/names.h"
#include "model/notice_book.h"
#include "topology/changes.h"
#include "topology/counter_watch.h"
#include "topology/link_history.h"
#include "topology/topology.h"

enum { EVENT_BUILDER_HOPS_MAX = 63 }; // of a directed route (IBA 14.2.1.2)

// Looks up nodes and ports of the fabric. Each function fills `out` and returns true, or returns
// false and changes nothing. The thread of the builder calls the functions. An endpoint with a GUID
// is looked up by its GUID only, since another port may have its LID by now. If the look-up fails,
// the endpoint has no name and no node.
struct event_builder_lookup {
    bool (*find_lid)(void *ctx, uint16_t lid, struct endpoint *out);
    // Of a port or a node.
    bool (*find_guid)(void *ctx, uint64_t guid, struct endpoint *out);
    // The other end of the link at a port.
    bool (*find_peer)(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out);
    void *ctx;
};

// Looks up nodes and ports in the topology. The topology outlives the result.
struct event_builder_lookup event_builder_lookup_in(struct topology *topology);

// The common values of all events of a gateway. The caller owns the pointers, and they outlive the
// builder.
struct event_builder {
    const struct clock *clock;
    const struct random *random;
    const struct names *names;                 // may be NULL
    const struct notice_book *book;            // of notices that ibtrapd does not know; may be NULL
    uint64_t subnet_prefix;                    // of the subnet as known so far
    const char *fabric;                        // its name; NULL: none
    const struct event_builder_lookup *lookup; // NULL: the fabric is not known
};

// Each returns a new event, the caller's, with the current time.

// From the `NOTICE_SIZE` octets of a Report's Notice.
struct event *event_builder_from_notice(const struct event_builder *builder,
                                        const uint8_t wire[NOTICE_SIZE]);

// From a MAD, for the `reason` no valid Report. The event has the first EVENT_RAW_MAX octets.
struct event *event_builder_from_malformed(const struct event_builder *builder, uint16_t sender_lid,
                                           const char *reason, const uint8_t *mad, size_t size);

// From a change between two sweeps. `late`: the change happened while the gateway was not running.
// `cause_id`: its root cause, or NULL. `related_id`: the event explained by the change, or NULL.
struct event *event_builder_from_change(const struct event_builder *builder,
                                        const struct change *change, bool late,
                                        const char *cause_id, const char *related_id);

// Adds what the ends of the link of a change tell: `own` is the subject's end. The sentence says
// so.
void event_builder_add_reasons(struct event *event, const struct link_reason *own,
                               const struct link_reason *other);

// From a statement about a counter of `port`. The counters behind the traps 129 and 130 become the
// events of the traps, as derived events. The other end of the link comes from the key, or from the
// fabric if the key names only a port. `details`: why the port counts errors; NULL: not known.
// `discards`: how many packets a waiting port discarded within the window.
struct event *event_builder_from_counter(const struct event_builder *builder,
                                         const struct counter_statement *statement,
                                         const struct endpoint *port,
                                         const struct error_details *details, uint64_t discards);

// A link became unreliable, or reliable again.
struct event_builder_link_record {
    const struct link_record *record;
    enum link_verdict verdict;
    struct link_history_limits limits;
    struct endpoint ends[2]; // in the order of the record's link
};
struct event *event_builder_from_link_record(const struct event_builder *builder,
                                             const struct event_builder_link_record *what);

// A place in the fabric: a node or port, or the end of a directed route.
struct event_builder_place {
    uint64_t guid; // of the node or port; 0: unknown
    uint16_t lid;  // of a port, from which a route of `hops` hops leads to the place; 0: none
    uint8_t port;  // 0: unknown
    uint8_t hops;
    uint8_t route[EVENT_BUILDER_HOPS_MAX]; // the port through which each hop leaves its node
};

// An occurrence: something about the gateway itself, the silence of the subnet manager, or
// something that a sweep met in the fabric without a change.
struct event_builder_occurrence {
    enum catalogue_event type;
    uint16_t sm_lid;                  // of the subject, a subnet manager; 0: none, or unknown
    uint64_t sm_guid;                 // of its port; 0: none, or unknown
    uint64_t switch_guid;             // of the subject, a switch instead; 0: none
    struct event_builder_place place; // of the subject instead; zeroed: none
    char alarm_key[EVENT_KEY_SIZE];   // of the alarm raised or cleared; empty: none
    char receiver[65];                // the receiver in question; empty: none
    uint64_t lost;                    // how many events were lost, in an occurrence about loss
    char reason[EVENT_REASON_SIZE];   // part of a sentence, without a full stop
};
struct event *event_builder_from_occurrence(const struct event_builder *builder,
                                            const struct event_builder_occurrence *occurrence);

// The end of an alarm without the counterpart of the raising event, where only the alarm's key is
// known. `type`: the row of the raising event; NULL: unknown. `reason` is a piece of a sentence.
struct event *event_builder_end_of_alarm(const struct event_builder *builder, const char *key,
                                         const struct catalogue_entry *type, const char *reason);

// Makes a copy of an earlier event an event of its own, with an identifier, the current time and a
// new sentence. Removes the decisions of policy and the root cause.
void event_builder_again(const struct event_builder *builder, struct event *event);

// Completes an event of another module: sets its identifier, and a missing time, subnet prefix or
// sentence.
void event_builder_stamp(const struct event_builder *builder, struct event *event);
