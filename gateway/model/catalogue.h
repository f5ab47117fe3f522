// SPDX-License-Identifier: BSD-2-Clause
// The one table of events. Decoder dispatch, SNMP encoding, syslog MSGID, `ibtrapctl catalogue` and
// the tests against the MIB modules come from the table: to add an event, add a row to
// catalogue.def.
// Decides: Which events are there, and which row does a Notice get?
#pragma once

#include "base/text.h"
#include "model/field_id.h"
#include "model/severity.h"

#include <stdbool.h>
#include <stdint.h>

struct mib_notification;
struct notice;

enum { CATALOGUE_FIELDS_MAX = 16 };

enum catalogue_event {
#define EVENT(event, ...) event,
#include "model/catalogue.def"
    CATALOGUE_COUNT,
};

// The origin of the row's events (event/event_builder.h).
enum catalogue_origin {
    CATALOGUE_FROM_NOTICE =
        1, // a Notice: of the row's trap, of a vendor's trap, or of an unknown trap
    CATALOGUE_FROM_MALFORMED, // a MAD, but not a valid Report
    // Sweeps and readings: the first is CATALOGUE_FROM_CHANGE, the last CATALOGUE_FROM_LINK_RECORD.
    CATALOGUE_FROM_CHANGE,      // a change between two snapshots of the fabric
    CATALOGUE_FROM_EXPECTATION, // a difference from the expected topology
    CATALOGUE_FROM_COUNTER,     // a counter that crossed its threshold
    CATALOGUE_FROM_CONGESTION,  // a port that waits too long, or no longer
    CATALOGUE_FROM_ERROR_RATE,  // a counter that grows too often, or no longer
    CATALOGUE_FROM_REGISTER,    // what a device of NVIDIA tells of itself, or of a module
    CATALOGUE_FROM_LINK_RECORD, // a link that fails again and again, or no longer
    CATALOGUE_FROM_OCCURRENCE,  // a message about the gateway itself
    CATALOGUE_FROM_SWEEP, // what a sweep, or the subnet manager, met without a change of the fabric
    CATALOGUE_FROM_EVENTS, // events summarised by policy
    CATALOGUE_FROM_ALARM,  // the end of an alarm without its event's counterpart
};

// The subject of the row's events.
enum catalogue_subject {
    CATALOGUE_ABOUT_ISSUER,  // of the Notice, here and below
    CATALOGUE_ABOUT_GID1,    // the port with that GID
    CATALOGUE_ABOUT_LID,     // the port with LIDADDR or LIDADDR1
    CATALOGUE_ABOUT_SWITCH,  // the switch with SWLIDADDR
    CATALOGUE_ABOUT_NODE,    // no Notice: the builder's caller gives the node or port
    CATALOGUE_ABOUT_NO_NODE, // no node: a multicast group, the gateway itself
};

// The special contents of a row's test event (event/test_event.h).
struct catalogue_test {
    uint8_t subject;                 // enum fabric_type of a made-up subject; 0: a switch
    bool peer_is_controller;         // its peer is an I/O controller
    const char *reason;              // part of the sentence; NULL: "this is a test"
    enum catalogue_event summarised; // or cleared; of CATALOGUE_FROM_EVENTS, CATALOGUE_FROM_ALARM
    uint64_t lost;                   // events lost
};

struct catalogue_entry {
    const char *name; // the identifier, in words
    uint16_t trap;    // generic trap number; 0: none
    const char *title;
    enum category category;
    enum severity severity; // default
    enum alarm_role alarm;  // see event_alarm
    enum catalogue_origin origin;
    enum catalogue_subject subject;
    const char *text;   // template of the sentence, see event/template.h
    const char *remedy; // what the administrator does, in one or two sentences
    enum field
        fields[CATALOGUE_FIELDS_MAX]; // read from the event's origin; FIELD_NONE ends the list
    struct catalogue_test test;
    const struct mib_notification *sma;    // IB-SMA-MIB; NULL: none
    const struct mib_notification *gsw;    // IBSWITCH-MIB; NULL: none
    uint8_t switch_reason;                 // the change reason, or switch status, in `gsw`
    const struct mib_notification *former; // IBSWITCH-MIB, about the former link of a moved node
    const struct mib_notification *topo;   // IBSWITCH-MIB, gswIBTopoTrap; NULL: none
    uint8_t topo_reason;                   // the change reason in `topo`
    bool between_switches;                 // `topo` follows only `gsw` or `former`; see model/mib.h
    bool follows_sm;    // an alarm about the silent master subnet manager is the root cause
    bool own_says_more; // `own` is sent beside traps of the IBSWITCH-MIB, too
    const struct mib_notification *own; // IBTRAPD-MIB, where the IB-SMA-MIB has none
};

// The row; valid for ever.
const struct catalogue_entry *catalogue_get(enum catalogue_event event);

enum catalogue_event catalogue_event_of(const struct catalogue_entry *entry); // its row's number

// Whether the row lists the field.
bool catalogue_has_field(const struct catalogue_entry *entry, enum field field);

// Whether events of the row summarise others.
bool catalogue_is_summary(const struct catalogue_entry *entry);

// Whether events of the row are about the gateway itself, not about the fabric.
bool catalogue_is_own(const struct catalogue_entry *entry);

// The row with that identifier, or NULL.
const struct catalogue_entry *catalogue_find(const char *name);

// What to do about an event with that identifier; "" for an unknown identifier.
const char *catalogue_remedy(const char *name);

// Adds a hint about an unknown identifier: "; did you mean 'link-down'?". If no identifier is near,
// the hint tells where identifiers are listed.
void catalogue_add_hint(const char *name, struct text *t);

// The row of a Notice, by its generic trap number; otherwise vendor-trap or unknown-trap.
const struct catalogue_entry *catalogue_of_notice(const struct notice *notice);
