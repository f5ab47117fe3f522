// SPDX-License-Identifier: BSD-2-Clause
// An event: something that happened, identified, named and explained. All outputs show events.
#pragma once

#include "model/device_reading.h"
#include "model/link_reason.h"
#include "model/names.h"
#include "model/notice.h"
#include "model/severity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EVENT_UUID_SIZE = 16,
    EVENT_ID_SIZE = 37,  // a UUID as text and its NUL
    EVENT_RAW_MAX = 256, // octets: a whole MAD
    EVENT_TEXT_SIZE = 1024,
    EVENT_REASON_SIZE = 256,
    EVENT_KEY_SIZE = 128,
    EVENT_SUPPRESSED_SIZE = 64,
    EVENT_RULE_SIZE = 64,
    EVENT_FABRIC_SIZE = 64,
    EVENT_RATE_SIZE = 32,
    EVENT_DATES_SIZE = 192,
    EVENT_LINK_CAUSE_SIZE = 256,
    EVENT_MODULE_TEXT_SIZE = DEVICE_SERIAL_SIZE, // as MODULE_TEXT_SIZE
    EVENT_OTHER_NAMES_MAX = 4,
    EVENT_SYSTEM_SIZE = 65, // a host name has 64 octets at most; longer names are truncated
};

// Three reasons to suppress an event (policy/policy.h has all reasons).
#define EVENT_STANDBY        "standby"        // another gateway notifies the receivers
#define EVENT_MAINTENANCE    "maintenance"    // a maintenance window covers the nodes
#define EVENT_SHELVED        "shelved"        // somebody shelved the alarm
#define EVENT_DISABLED       "disabled"       // a policy disables the event
#define EVENT_DUPLICATE      "duplicate"      // receivers know what the event says
#define EVENT_NEVER_NOTIFIED "never-notified" // clears an alarm of which receivers do not know

// A node or port in an event, as far as known.
struct endpoint {
    // Of the port; of the node for a switch, and for a node as a whole. 0: unknown.
    uint64_t guid;
    uint64_t node_guid; // 0: unknown
    uint16_t lid;       // 0: unknown
    uint8_t type;       // enum fabric_type; 0: unknown
    uint8_t port;       // number; 0: unknown, none, or the port 0 of a switch
    uint8_t gid[ADDRESS_GID_SIZE];
    bool nameless;              // `name` says where the node hangs: the node has no name of its own
    char name[NAMES_NAME_SIZE]; // empty: unknown
    char system[EVENT_SYSTEM_SIZE]; // the host or box of the node (model/systems.h); empty: unknown
};

struct catalogue_entry;

// A name that a node or port of the event had lately, or a description that is no name.
struct event_other_name {
    uint64_t guid;
    char name[NAMES_NAME_SIZE];
};

// The former link of a node or port that moved.
struct event_former_link {
    uint64_t node_guid; // of the node at the other end; 0: nothing moved
    uint8_t type;       // enum fabric_type of that node
    uint8_t port;       // the subject's, to that node
};

// One place for each form of an event.
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
    EVENT_TEXT_SNMP, // the first notification of an event; the other notifications follow
    EVENT_TEXT_PLACES = EVENT_TEXT_SNMP + 4,
};

enum { EVENT_TEXT_SNMP_PLACES = EVENT_TEXT_PLACES - EVENT_TEXT_SNMP };

// 4 KiB for each of the 2,048 events that receivers share (journal/shared_events.h).
enum { EVENT_TEXT_OCTETS_MAX = 8 * 1024 * 1024 };

struct event_text;

// Immutable once passed on. Counted: take a reference to keep an event.
struct event {
    _Atomic unsigned references;
    // Texts made of the event for its receivers, see below. Texts are no part of the event: a copy
    // begins without texts. NULL: nothing yet.
    _Atomic(struct event_text *) texts[EVENT_TEXT_PLACES];
    bool for_several; // the event has several receivers: texts are kept. No part of the event
    bool sent_again;  // a copy for a receiver that had its turn before. No part of the event
    const struct catalogue_entry *type;
    enum severity severity; // see event_own_severity, or changed by a policy
    enum category category; // of the catalogue's row, or changed by a policy
    char id[EVENT_ID_SIZE]; // the same in every output
    int64_t time_us;        // UTC, microseconds since 1970
    uint64_t subnet_prefix;
    char fabric[EVENT_FABRIC_SIZE];      // the name of the gateway's fabric
    struct endpoint issuer, subject;     // the reporter; the node or port in question
    struct endpoint source, destination; // of an offending packet (traps 256 to 259)
    // A switch or router, 0: none. One of: the switch of a port in the Notice, the reporter of the
    // event, the subject of a change, or the switch where a change happened.
    uint64_t switch_guid;
    // The other end of the subject's link, now or before; or an I/O controller; or the former
    // master SM.
    struct endpoint peer;
    uint8_t uplink; // the port to the peer of a subject that is a whole node; 0: none, or unknown
    struct event_former_link former;
    struct notice notice; // zero: no Notice caused the event
    uint8_t raw[EVENT_RAW_MAX];
    size_t raw_size;   // octets of the Notice or the malformed MAD, as received
    char receiver[65]; // the receiver in an event about a receiver; empty: none
    uint64_t lost;     // how many events were lost, in an event about loss
    // How many nodes of other systems left together with the subject; of nodes-removed: how many
    // hosts and boxes left.
    uint64_t affected;
    // Of a node that came or went: how many nodes of its kind, switches or others, the system has;
    // 0: unknown. How many of these come or go by this event; 0: only the subject.
    uint16_t parts, parts_changed;
    // An event about the system tells of the subject, or the event is a trap that a sweep may
    // explain: only receivers of each part get the event, unless no sweep explains the trap.
    bool is_part;
    bool awaits_sweep; // policy suppresses the trap. No part of the event in the journal
    // Some adapters of a host left, and others may follow: policy holds the alarm down until then,
    // on policy's clock. 0: policy does not. No part of the event in the journal.
    int64_t hold_until_us;
    uint64_t sm_guid; // port of the subnet manager in question; 0: none
    uint8_t counter;  // enum counter, in an event about a counter
    uint64_t counter_old, counter_new;
    // Of an event about a counter that grows too often:
    uint64_t errors;                        // the growth in the window
    uint32_t window_min;                    // of the window, the watched minutes
    bool severe;                            // beyond the second limit: an error
    char error_rate[EVENT_RATE_SIZE];       // "1.1e-13 per bit", "36 per hour"; empty: unknown
    char error_rate_limit[EVENT_RATE_SIZE]; // in the same unit
    char link_rate[EVENT_RATE_SIZE];        // "4X EDR (100 Gb/s)"; empty: unknown
    // Of an event about a link that fails again and again (topology/link_history.h): the number of
    // occasions, the days, and the incidents on the occasions.
    uint32_t occasions, occasion_days, failures, flaps, error_alarms;
    // Of an event about a link that went down, as its ends tell (model/link_reason.h): the subject
    // is the own end.
    uint8_t blame, local_reason, remote_reason;
    bool found_late; // happened while the gateway was not running
    bool derived;    // no Notice was sent: counters or a sweep show it
    bool retold;     // a copy of the earlier event `related_id`, with the old time or a new time
    char related_id[EVENT_ID_SIZE]; // of the event explained by this event; empty: none
    char cause_id[EVENT_ID_SIZE];   // of the root cause; empty: none
    // Of the last event about the root cause, if this event is suppressed because of its cause; 0:
    // unknown.
    int64_t cause_number;
    bool apart; // receivers that do not get the event `cause_number` get this suppressed event
    char clears_id[EVENT_ID_SIZE]; // of the event that raised the alarm, if this event clears
                                   // an alarm; empty: none
    // Of an event that clears an alarm: how receivers were notified of the alarm. NULL: unknown.
    const struct catalogue_entry *cleared; // the row of the raising event
    enum severity cleared_severity;        // valid with `cleared`, like the next member
    enum category cleared_category;
    int64_t cleared_number; // of the first raising event, in this journal; 0: unknown
    // Of an event that raises or clears an alarm: the number of the last event before that told
    // receivers of the alarm, some or all. That event may have such a number, too. 0: none.
    int64_t told_number;
    int64_t number;                         // sequence number in the journal; 0: not assigned yet
    bool event_trap;                        // severe enough for gswEventTrapLevel of its switch
    bool test;                              // a test event: nothing happened
    char only_receiver[65];                 // of a test event: the only receiver; empty: all
    char suppressed[EVENT_SUPPRESSED_SIZE]; // the reason; empty: receivers get the event
    char rule[EVENT_RULE_SIZE]; // the last rule of the policy that changed the event; empty: none
    const struct catalogue_entry *summarised; // the kind of the summarised events; NULL: none
    uint64_t repeat_count;                    // suppressed events in the summary
    int64_t since_us;                         // UTC, of the first suppressed event; 0: none
    char alarm_key[EVENT_KEY_SIZE];           // empty unless the event raises or clears an alarm
    uint8_t other_name_count;                 // of `other_names`
    char text[EVENT_TEXT_SIZE];               // one English sentence; the first of the long texts
    char reason[EVENT_REASON_SIZE];
    char dates[EVENT_DATES_SIZE]; // of the last occasions of link errors, with the time of day
    char link_cause[EVENT_LINK_CAUSE_SIZE]; // "the cable was unplugged at leaf1"; empty: unknown
    char device_text[LINK_REASON_MESSAGE_SIZE]; // the sentence of a link's end; empty: none
    // Of an event about a cable or module; empty: it does not tell.
    char module_vendor[EVENT_MODULE_TEXT_SIZE], module_part[EVENT_MODULE_TEXT_SIZE];
    char module_serial[EVENT_MODULE_TEXT_SIZE];
    char former_serial[EVENT_MODULE_TEXT_SIZE]; // of the module before, if it was replaced
    struct event_other_name other_names[EVENT_OTHER_NAMES_MAX]; // filters match these names, too
};

// Writes a UUID as the identifier of an event.
void event_write_id(char out[EVENT_ID_SIZE], const uint8_t uuid[EVENT_UUID_SIZE]);

// A new event with one reference, the caller's. All is zero but for the severity and category of
// `type`, which may be NULL; of the long texts, only the first octet is zero.
struct event *event_make(const struct catalogue_entry *type);

// A copy with one reference, the caller's. Any thread.
struct event *event_copy(const struct event *event);

// The severity without any policy: of the catalogue's row, or, if the event is severe, an error.
enum severity event_own_severity(const struct event *event);

// Removes what policy decided about the event.
void event_unjudge(struct event *event);

// Adds another name of a node or port, unless the event has the name already, EVENT_OTHER_NAMES_MAX
// names, or the name is empty.
void event_add_other_name(struct event *event, uint64_t guid, const char *name);

// gswEventIndex, 1 to 2147483647: the last 31 bits of the sequence number.
uint32_t event_index(const struct event *event);

// gswEventRepeatCount, 1 to 2147483647: how often the event happened.
uint32_t event_times(const struct event *event);

// The type (enum fabric_type) of the node with a GUID in the event. 0: unknown.
uint8_t event_type_of(const struct event *event, uint64_t node_guid);

// Whether the event is about the gateway itself, not about the fabric.
bool event_is_own(const struct event *event);

// Fills in the severity and category of `cleared` from its row, if no category is known.
void event_complete_cleared(struct event *event);

// Whether the event raises or clears an alarm: the row's role, if the event has an alarm's key.
enum alarm_role event_alarm(const struct event *event);

// Any thread.
struct event *event_ref(struct event *event); // returns `event`
void event_unref(struct event *event);        // NULL is allowed

// Texts are octets made of an event for its receivers, for instance JSON. The event keeps its
// texts: receivers of the same form share a text, and the text is made once. Any thread, without
// locks.
//
// Only an event with several receivers and several references keeps texts: nobody changes the event
// any more. A copy begins without texts. The texts are freed with the event's last reference. All
// events together keep EVENT_TEXT_OCTETS_MAX octets. Beyond the bound, every receiver makes its own
// text.

// Immutable. The octets depend on the event and on the options of a receiver. `variant` stands for
// the options: event_text_find finds no other variant.
struct event_text {
    uint64_t variant;
    size_t size;
    uint64_t seal; // checked in builds with a sanitizer: the event has not changed since
    _Alignas(8) char octets[];
};

// Whether event_text_keep would keep a text at the place.
bool event_text_is_wanted(const struct event *event, unsigned place);

// The text at the place, valid while the caller holds the event. NULL: no text of the variant.
const struct event_text *event_text_find(const struct event *event, unsigned place,
                                         uint64_t variant);

// Keeps a copy of the octets, if the place is empty and the rules above allow a text.
void event_text_keep(const struct event *event, unsigned place, uint64_t variant,
                     const void *octets, size_t size);

// How many octets all events keep, with their heads.
size_t event_text_octets(void);
