// The one table of events. Decoder dispatch, SNMP encoding, syslog MSGID, `ibtrapctl catalogue` and
// the tests against the MIB modules come from it: to add an event is to add a row to catalogue.def.
#ifndef IBTRAPD_MODEL_CATALOGUE_H
#define IBTRAPD_MODEL_CATALOGUE_H

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

// What an event of the row is made from (event/event_builder.h).
enum catalogue_origin {
    CATALOGUE_FROM_NOTICE = 1, // a Notice: of the row's trap, a vendor's, or of no trap we know
    CATALOGUE_FROM_MALFORMED,  // a MAD that is no proper Report
    CATALOGUE_FROM_CHANGE,     // a change between two snapshots of the fabric
    CATALOGUE_FROM_COUNTER,    // a counter that crossed its threshold
    CATALOGUE_FROM_OCCURRENCE, // something that the gateway itself has to say
    CATALOGUE_FROM_EVENTS,     // other events, which policy sums up
};

// Whom an event of the row is about.
enum catalogue_subject {
    CATALOGUE_ABOUT_ISSUER,  // of the Notice, here and below
    CATALOGUE_ABOUT_GID1,    // the port with that GID
    CATALOGUE_ABOUT_LID,     // the port with LIDADDR or LIDADDR1
    CATALOGUE_ABOUT_SWITCH,  // the switch with SWLIDADDR
    CATALOGUE_ABOUT_NODE,    // no Notice: the node or port that the builder is given
    CATALOGUE_ABOUT_NO_NODE, // no node: a multicast group, the gateway itself
};

// How the test event of a row differs from others (event/test_event.h).
struct catalogue_test {
    uint8_t subject;                 // enum fabric_type of a made-up subject; 0: a switch
    bool peer_is_controller;         // its peer is an I/O controller in it
    const char *reason;              // part of the sentence; NULL: that this is a test
    enum catalogue_event summarised; // of CATALOGUE_FROM_EVENTS
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
    const char *text;                        // template of the sentence, see event/template.h
    enum field fields[CATALOGUE_FIELDS_MAX]; // that the event's cause decodes into; FIELD_NONE ends
    struct catalogue_test test;
    const struct mib_notification *sma;  // IB-SMA-MIB; NULL: none
    const struct mib_notification *gsw;  // IBSWITCH-MIB; NULL: none
    uint8_t switch_reason;               // the change reason, or switch status, in it
    const struct mib_notification *topo; // IBSWITCH-MIB, gswIBTopoTrap; NULL: none
    uint8_t topo_reason;                 // the change reason in it
    bool between_switches;               // the IBSWITCH-MIB has it only when both ends are switches
    const struct mib_notification *own;  // IBTRAPD-MIB, where the IB-SMA-MIB has none
};

// The row; valid for ever.
const struct catalogue_entry *catalogue_get(enum catalogue_event event);

enum catalogue_event catalogue_event_of(const struct catalogue_entry *entry); // its row's number

// Whether the row lists the field.
bool catalogue_has_field(const struct catalogue_entry *entry, enum field field);

// Whether events of the row sum up others.
bool catalogue_is_summary(const struct catalogue_entry *entry);

// Whether they tell of the gateway itself, not of the fabric.
bool catalogue_is_own(const struct catalogue_entry *entry);

// The row with that identifier, or NULL.
const struct catalogue_entry *catalogue_find(const char *name);

// The row of a notice: of its generic trap number, or vendor-trap, or unknown-trap.
const struct catalogue_entry *catalogue_of_notice(const struct notice *notice);

#endif
