// SPDX-License-Identifier: BSD-2-Clause
// Finds links that fail again and again. The history remembers the occasions on which a link
// failed, flapped or had too many errors, and judges how many occasions are too many within a
// window. For one thread, but for link_history_list and link_history_count.
//
// - All incidents of a link within LINK_HISTORY_OCCASION_US are one occasion: who works on a cable
//   plugs the cable several times.
// - If LINK_HISTORY_SHARED links of a node or more have incidents within LINK_HISTORY_SETTLE_US,
//   the incidents happened to the node, such as a switch that restarts, and count for no link.
//   The same holds for two links of a host that have no node in common: these adapters and their
//   switches share no cable. Therefore an incident counts when this time is over. Lists have the
//   incident at once, unless it happened to a node or host as far as is known.
//
// Decides: Which incidents of a link are one occasion?
#pragma once

#include "model/choices.h"
#include "topology/alarm_key.h"

#define LINK_HISTORY_OCCASION_US (INT64_C(3600) * 1000000)
#define LINK_HISTORY_SETTLE_US   (INT64_C(60) * 1000000)
#define LINK_HISTORY_CHECK_US    (INT64_C(60) * 1000000) // from one link_history_update to the next

enum {
    LINK_HISTORY_SHARED = 5,          // a cable that is split has four links
    LINK_HISTORY_OCCASIONS_MAX = 16,  // of a link; older occasions are forgotten
    LINK_HISTORY_LINKS_MAX = 16384,   // some 7 MB; the incidents of further links are not counted
    LINK_HISTORY_PENDING_MAX = 16384, // incidents not counted yet; the next incident ends the wait
    LINK_HISTORY_UNRELIABLE_MAX = 1024, // at a time
};

// The key of the alarm about a link. Brings both ends, of which no GUID is 0, into their order.
struct alarm_key link_history_key(uint64_t guid, uint8_t port, uint64_t peer_guid,
                                  uint8_t peer_port);

enum link_incident_kind { LINK_FAILED, LINK_FLAPPED, LINK_HAD_ERRORS, LINK_INCIDENT_KINDS };

struct link_incident {
    struct alarm_key link;
    uint64_t host; // a digest of the name of the host at an end; 0: none
    enum link_incident_kind kind;
    int64_t at_us;  // by the clock of link_history_update; before its beginning: below 0
    int64_t utc_us; // only remembered
};

struct link_occasion {
    int64_t at_us, utc_us; // of its first incident
    uint16_t incidents[LINK_INCIDENT_KINDS];
};

struct link_record {
    struct alarm_key link;
    bool unreliable;
    bool without_room;     // unreliable, but for want of room; counted as overflowed
    int64_t held_until_us; // unreliable until then at least
    unsigned count;        // occasions
    struct link_occasion occasions[LINK_HISTORY_OCCASIONS_MAX]; // oldest first
};

// How many incidents of the kind the link had.
uint64_t link_record_incidents(const struct link_record *record, enum link_incident_kind kind);

struct link_history;

struct link_history *link_history_new(const struct link_history_limits *limits);
void link_history_free(struct link_history *history); // NULL is allowed

// Uses other limits from the next update on. The update is due at once.
void link_history_change(struct link_history *history, const struct link_history_limits *limits);
struct link_history_limits link_history_limits_of(const struct link_history *history);

// Forgets everything.
void link_history_clear(struct link_history *history);

// Adds an incident. Call link_history_add in the order of the times. Without room for its link, the
// incident does not count.
void link_history_add(struct link_history *history, const struct link_incident *incident);

// How many times the link failed since `since_us`, to the hour of an occasion.
uint64_t link_history_failures(const struct link_history *history, const struct alarm_key *link,
                               int64_t since_us);

// Restores that the link was found unreliable, after its incidents were added. If the journal lost
// occasions, and the link has fewer than the limit, the link stays unreliable for a window from
// `since_us` on. Without room, the record replaces the record of a reliable link: an alarm without
// a record would never end.
void link_history_restore(struct link_history *history, const struct alarm_key *link,
                          int64_t since_us, int64_t now_us);

// Forgets the occasions of the link: somebody says that the link is in order.
void link_history_forget(struct link_history *history, const struct alarm_key *link);

enum link_verdict {
    LINK_IS_UNRELIABLE,
    LINK_HAS_FEWER_OCCASIONS, // not unreliable any more, here and below
    LINK_IS_ELSEWHERE,
    LINK_HAS_NO_LIMIT,
};

struct link_history_judge {
    // Whether an end of the link is connected to another port now: the link is another link.
    bool (*is_elsewhere)(void *ctx, const struct alarm_key *link);
    void (*changed)(void *ctx, const struct link_record *record, enum link_verdict verdict);
    void *ctx;
};

// Forgets the occasions before the window, and calls `changed` for each link that became unreliable
// or reliable. No function of the history may be called meanwhile.
void link_history_update(struct link_history *history, int64_t now_us,
                         const struct link_history_judge *judge);

// When link_history_update is due.
int64_t link_history_due(const struct link_history *history);

// Copies the records of links, and returns their number. LINK_WORST_FIRST: by the number of
// occasions, the most first; then, as with LINK_LATEST_FIRST, by the last occasion, the latest
// first. Any thread, here and below.
enum link_order { LINK_WORST_FIRST, LINK_LATEST_FIRST };
size_t link_history_list(struct link_history *history, enum link_order order,
                         struct link_record *out, size_t max);
size_t link_history_count(struct link_history *history); // links with an occasion

// The number of incidents that did not count, and of links that were not found unreliable, for want
// of room.
uint64_t link_history_overflowed(const struct link_history *history);
