// Makes events: a notice, a malformed MAD, a change of the fabric, a counter or something of the
// gateway's own becomes one identified, named and explained event.
#ifndef IBTRAPD_EVENT_EVENT_BUILDER_H
#define IBTRAPD_EVENT_EVENT_BUILDER_H

#include "base/clock.h"
#include "base/random.h"
#include "model/catalogue.h"
#include "model/names.h"
#include "topology/changes.h"
#include "topology/thresholds.h"

// What is known of the fabric. Each fills `out` and returns true, or returns false and changes
// nothing. Called in the thread that makes the event. Whoever comes with a GUID is looked up by
// that alone, and without success stays nameless and without a node: LIDs pass from one port to
// another.
struct event_builder_lookup {
    bool (*find_lid)(void *ctx, uint16_t lid, struct endpoint *out);
    // Of a port or a node.
    bool (*find_guid)(void *ctx, uint64_t guid, struct endpoint *out);
    // The other end of the link at that port.
    bool (*find_peer)(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out);
    void *ctx;
};

// What every event of one gateway shares. The pointers stay the caller's and outlive the maker.
struct event_builder {
    const struct clock *clock;
    const struct random *random;
    const struct names *names;                 // may be NULL
    uint64_t subnet_prefix;                    // of the subnet as known so far
    const struct event_builder_lookup *lookup; // NULL: the fabric is not known
};

// Each returns a new event, the caller's, or NULL when memory is short. The time is now.

// From the `NOTICE_SIZE` octets of a Report's Notice.
struct event *event_builder_from_notice(const struct event_builder *builder,
                                        const uint8_t wire[NOTICE_SIZE]);

// From a MAD that is no proper Report: the sender's LID, what is wrong, the octets as they came
// (at most EVENT_RAW_MAX are kept).
struct event *event_builder_from_malformed(const struct event_builder *builder, uint16_t sender_lid,
                                           const char *reason, const uint8_t *mad, size_t size);

// From a change that a sweep found. `late`: it happened while the gateway was away. `cause_id` and
// `related_id` name the events it follows from and explains, or are NULL.
struct event *event_builder_from_change(const struct event_builder *builder,
                                        const struct change *change, bool late,
                                        const char *cause_id, const char *related_id);

// From a counter of `port`. Those that stand for the traps 129 and 130 give the events of these,
// derived.
struct event *event_builder_from_threshold(const struct event_builder *builder,
                                           const struct threshold_change *change,
                                           const struct endpoint *port);

// The threshold that the alarm of such an event is about. False: the key is of another alarm.
bool event_builder_read_counter_key(const char *key, struct threshold_change *out);

// Something of the gateway itself, or of the subnet manager's silence.
struct event_builder_occurrence {
    enum catalogue_event type;
    uint16_t sm_lid;      // of the subnet manager that it is about; 0: about none, or unknown
    uint64_t sm_guid;     // of its port; 0: likewise
    uint64_t switch_guid; // of the switch that it is about instead; 0: about none
    char alarm_key[EVENT_KEY_SIZE]; // names the alarm that the event raises or clears, or is empty
    char receiver[65];              // whose failing or recovery it tells, or empty
    uint64_t lost;                  // events lost, where it tells of that
    char reason[EVENT_REASON_SIZE]; // part of a sentence, without a full stop
};
struct event *event_builder_from_occurrence(const struct event_builder *builder,
                                            const struct event_builder_occurrence *occurrence);

// Gives an event that somebody else made an identifier, and time, subnet prefix and sentence where
// it has none.
void event_builder_stamp(const struct event_builder *builder, struct event *event);

#endif
