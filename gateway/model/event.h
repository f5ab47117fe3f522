// SPDX-License-Identifier: BSD-2-Clause
// An event: something that happened, identified, named and explained. Every output is made from it.
#ifndef IBTRAPD_MODEL_EVENT_H
#define IBTRAPD_MODEL_EVENT_H

#include "model/names.h"
#include "model/notice.h"
#include "model/severity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EVENT_ID_SIZE = 37,  // a UUID as text and its NUL
    EVENT_RAW_MAX = 256, // octets: a whole MAD
    EVENT_TEXT_SIZE = 1024,
    EVENT_REASON_SIZE = 256,
    EVENT_KEY_SIZE = 128,
    EVENT_SUPPRESSED_SIZE = 64,
    EVENT_RULE_SIZE = 64,
    EVENT_RATE_SIZE = 32,
    EVENT_DATES_SIZE = 192,
};

// Two of the reasons for which an event is suppressed (policy/policy.h has them all).
#define EVENT_STANDBY        "standby"        // another gateway notifies the receivers
#define EVENT_DUPLICATE      "duplicate"      // receivers know what the event says
#define EVENT_NEVER_NOTIFIED "never-notified" // clears an alarm of which receivers do not know

// A node or port that an event is about, as far as it is known.
struct endpoint {
    // Of the port; for a switch, and where a node as a whole is meant, of the node. 0: unknown.
    uint64_t guid;
    uint64_t node_guid; // 0: unknown
    uint16_t lid;       // 0: unknown
    uint8_t type;       // enum fabric_type; 0: unknown
    uint8_t port;       // number; 0: unknown, none, or the port 0 of a switch
    uint8_t gid[ADDRESS_GID_SIZE];
    char name[NAMES_NAME_SIZE]; // empty: unknown
};

struct catalogue_entry;

// The link of a node or port that moved, before it did.
struct event_former_link {
    uint64_t node_guid; // of the node at its other end; 0: nothing moved
    uint8_t type;       // enum fabric_type of that node
    uint8_t port;       // the subject's, to that node
};

// One place for each thing that is made of events.
enum event_text_place {
    EVENT_TEXT_RFC5424,
    EVENT_TEXT_RFC3164,
    EVENT_TEXT_ECS,
    EVENT_TEXT_CEF,
    EVENT_TEXT_LEEF,
    EVENT_TEXT_JSON,
    EVENT_TEXT_CLOUDEVENTS,
    EVENT_TEXT_OTLP,
    EVENT_TEXT_LOKI,
    EVENT_TEXT_SNMP, // the first of the notifications of an event; the others follow
    EVENT_TEXT_PLACES = EVENT_TEXT_SNMP + 4,
};

enum { EVENT_TEXT_SNMP_PLACES = EVENT_TEXT_PLACES - EVENT_TEXT_SNMP };

// 4 KiB for each of the 2,048 events that receivers share (journal/shared_events.h).
enum { EVENT_TEXT_OCTETS_MAX = 8 * 1024 * 1024 };

struct event_text;

// Immutable once it is passed on. Counted: take a reference to keep it.
struct event {
    _Atomic unsigned references;
    // What was made of the event for its receivers, below, which is no part of it: a copy begins
    // without. NULL: nothing yet.
    _Atomic(struct event_text *) texts[EVENT_TEXT_PLACES];
    bool for_several; // receivers: something is kept there. As `texts`, no part of the event
    const struct catalogue_entry *type;
    enum severity severity; // of the catalogue's row, unless a policy changes it
    enum category category; // of the catalogue's row, unless a policy changes it
    char id[EVENT_ID_SIZE]; // the same in every output
    int64_t time_us;        // UTC, microseconds since 1970
    uint64_t subnet_prefix;
    struct endpoint issuer, subject;     // the reporter; the node or port that the event is about
    struct endpoint source, destination; // of an offending packet (traps 256 to 259)
    // The switch or router whose port a Notice names, that reported the event, or that a change is
    // about or happened at; 0: none.
    uint64_t switch_guid;
    // The other end of the subject's link, now or before; or an I/O controller; or the former
    // master SM.
    struct endpoint peer;
    uint8_t uplink; // the port to the peer of a subject that is a whole node; 0: none, or unknown
    struct event_former_link former;
    struct notice notice; // zero: no Notice caused the event
    uint8_t raw[EVENT_RAW_MAX];
    size_t raw_size;   // octets of the Notice, or of the malformed MAD, as they arrived
    char receiver[65]; // the receiver that the event is about; empty: none
    uint64_t lost;     // how many events were lost, in an event about that
    uint64_t affected; // how many nodes left together with the subject
    uint64_t sm_guid;  // port of the subnet manager that the event is about; 0: none
    uint8_t counter;   // enum counter, in an event about one
    uint64_t counter_old, counter_new;
    // Of an event about a counter that grows too often:
    uint64_t errors;                        // by how much it grew in the window
    uint32_t window_min;                    // the window, in minutes
    char error_rate[EVENT_RATE_SIZE];       // "1.1e-13 per bit" or "36 per hour"; empty: unknown
    char error_rate_limit[EVENT_RATE_SIZE]; // in the same unit
    char link_rate[EVENT_RATE_SIZE];        // "4X EDR (100 Gb/s)"; empty: unknown
    // Of an event about a link that fails again and again (topology/link_history.h): on so many
    // occasions in so many days, and what happened on them.
    uint32_t occasions, occasion_days, failures, flaps, error_alarms;
    bool found_late; // it happened while the gateway was not running
    bool derived;    // no Notice was sent: counters or a sweep show it
    bool retold; // a copy of an earlier event, which related_id names, with its time or a new one
    char related_id[EVENT_ID_SIZE]; // of the event that this one explains; empty: none
    char cause_id[EVENT_ID_SIZE];   // of the root cause; empty: none
    // Of the last event about the root cause, because of which this event is suppressed; 0:
    // unknown.
    int64_t cause_number;
    bool apart; // a receiver that does not get that one gets this event, although it is suppressed
    char clears_id[EVENT_ID_SIZE]; // of the event that raised the alarm that this one clears;
                                   // empty: none
    // Of an event that clears an alarm: how receivers were notified of the alarm. NULL: unknown.
    const struct catalogue_entry *cleared; // the row of the event that raised it
    enum severity cleared_severity;        // meaningful with `cleared`, as is the next
    enum category cleared_category;
    struct endpoint cleared_peer; // the other end as the raise had it; all zero: as `peer`
    uint64_t cleared_switch_guid; // the same of switch_guid
    int64_t cleared_number; // of the event that raised the alarm first, in this journal; 0: unknown
    int64_t number;         // sequence number in the journal; 0: not assigned yet
    bool event_trap;        // severe enough for gswEventTrapLevel of its switch
    bool test;              // a test event: it did not happen
    char only_receiver[65]; // of a test event: the receiver that gets it; empty: all
    char suppressed[EVENT_SUPPRESSED_SIZE]; // the reason; empty: receivers get it
    char rule[EVENT_RULE_SIZE]; // the last rule of the policy that changed it; empty: none
    const struct catalogue_entry *summarised; // the kind of events that it summarises; NULL: none
    uint64_t repeat_count;                    // suppressed events that it stands for
    int64_t since_us;                         // UTC, of the first of them; 0: there are none
    char alarm_key[EVENT_KEY_SIZE];           // empty unless the event raises or clears an alarm
    char text[EVENT_TEXT_SIZE];               // one English sentence; the first of the long texts
    char reason[EVENT_REASON_SIZE];
    char dates[EVENT_DATES_SIZE]; // of the last occasions of link errors, with the time of day
};

// A new event with one reference, the caller's: zero but for the severity and category of `type`,
// which may be NULL; of its long texts, the first octet is.
struct event *event_make(const struct catalogue_entry *type);

// A copy with one reference, the caller's. Any thread.
struct event *event_copy(const struct event *event);

// gswEventIndex, 1 to 2147483647: the sequence number, or its last 31 bits where it is larger.
uint32_t event_index(const struct event *event);

// gswEventRepeatCount, 1 to 2147483647: how often the event happened.
uint32_t event_times(const struct event *event);

// The type (enum fabric_type) of the node with that GUID, which the event names. 0: unknown.
uint8_t event_type_of(const struct event *event, uint64_t node_guid);

// Whether the event is about the gateway itself, not about the fabric.
bool event_is_own(const struct event *event);

// Fills in the severity and category of `cleared` from its row, if no category is known.
void event_complete_cleared(struct event *event);

// Whether the event raises or clears an alarm: the row's role, unless there is no key to know the
// alarm by.
enum alarm_role event_alarm(const struct event *event);

// Any thread.
struct event *event_ref(struct event *event); // returns `event`
void event_unref(struct event *event);        // NULL is allowed

// What was made of an event for its receivers, such as its JSON, kept with the event: receivers
// that want the same share it, so that it is made once. Any thread, without locks.
//
// Only an event for several receivers that others hold, too, keeps something: nobody changes such
// an event any more. A copy begins with nothing. What is kept goes with the event's last reference.
// All events together keep EVENT_TEXT_OCTETS_MAX octets; beyond them every receiver makes its own.

// Immutable. `variant` stands for all that the octets depend on beside the event: who asks for
// another variant does not find them.
struct event_text {
    uint64_t variant;
    size_t size;
    uint64_t seal; // checked in builds with a sanitizer: the event has not changed since
    _Alignas(8) char octets[];
};

// Whether event_text_keep would keep something at that place.
bool event_text_is_wanted(const struct event *event, unsigned place);

// What is kept at that place; it stays for as long as the caller holds the event. NULL: nothing of
// that variant.
const struct event_text *event_text_find(const struct event *event, unsigned place,
                                         uint64_t variant);

// Keeps a copy of the octets, if nothing is at that place yet and the rules above allow it.
void event_text_keep(const struct event *event, unsigned place, uint64_t variant,
                     const void *octets, size_t size);

// How many octets all events keep, with what describes them.
size_t event_text_octets(void);

#endif
