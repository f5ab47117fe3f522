// The one table of events. Decoder dispatch, SNMP encoding, syslog MSGID, `ibtrapctl catalogue` and
// the tests against the MIB modules come from it: to add an event is to add a row.
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
    CATALOGUE_GID_IN_SERVICE,
    CATALOGUE_GID_OUT_OF_SERVICE,
    CATALOGUE_MCAST_GROUP_CREATED,
    CATALOGUE_MCAST_GROUP_DELETED,
    CATALOGUE_PATH_REMOVED,
    CATALOGUE_PATH_RESTORED,
    CATALOGUE_LINK_STATE_CHANGE,
    CATALOGUE_LINK_INTEGRITY_THRESHOLD,
    CATALOGUE_BUFFER_OVERRUN_THRESHOLD,
    CATALOGUE_FLOW_CONTROL_TIMEOUT,
    CATALOGUE_CAPABILITY_CHANGE,
    CATALOGUE_SYSTEM_IMAGE_GUID_CHANGE,
    CATALOGUE_BAD_MKEY,
    CATALOGUE_BAD_PKEY,
    CATALOGUE_BAD_QKEY,
    CATALOGUE_BAD_PKEY_AT_SWITCH,
    CATALOGUE_VENDOR_TRAP,
    CATALOGUE_UNKNOWN_TRAP,
    CATALOGUE_MALFORMED_MAD,
    CATALOGUE_GATEWAY_STARTED,
    CATALOGUE_GATEWAY_STOPPED,
    CATALOGUE_SUBSCRIPTION_LOST,
    CATALOGUE_SUBSCRIPTION_RESTORED,
    CATALOGUE_RECEIVER_FAILING,
    CATALOGUE_RECEIVER_BACK,
    CATALOGUE_JOURNAL_DROPPING,
    CATALOGUE_JOURNAL_DEGRADED,
    CATALOGUE_JOURNAL_HEALED,
    CATALOGUE_SWITCH_ADDED,
    CATALOGUE_SWITCH_REMOVED,
    CATALOGUE_SWITCH_MOVED,
    CATALOGUE_HOST_ADDED,
    CATALOGUE_HOST_REMOVED,
    CATALOGUE_HOST_MOVED,
    CATALOGUE_ROUTER_ADDED,
    CATALOGUE_ROUTER_REMOVED,
    CATALOGUE_ROUTER_MOVED,
    CATALOGUE_PORT_ADDED,
    CATALOGUE_PORT_REMOVED,
    CATALOGUE_PORT_MOVED,
    CATALOGUE_LINK_UP,
    CATALOGUE_LINK_DOWN,
    CATALOGUE_LINK_MOVED,
    CATALOGUE_LINK_DEGRADED,
    CATALOGUE_LINK_RESTORED,
    CATALOGUE_NODE_RENAMED,
    CATALOGUE_LID_CHANGED,
    CATALOGUE_SM_APPEARED,
    CATALOGUE_SM_VANISHED,
    CATALOGUE_SM_FAILED_OVER,
    CATALOGUE_SM_UNREACHABLE,
    CATALOGUE_SM_BACK,
    CATALOGUE_IO_UNIT_ADDED,
    CATALOGUE_IO_UNIT_REMOVED,
    CATALOGUE_IO_CONTROLLER_ADDED,
    CATALOGUE_IO_CONTROLLER_REMOVED,
    CATALOGUE_THRESHOLD_REACHED,
    CATALOGUE_THRESHOLD_CLEARED,
    CATALOGUE_STORM_SUMMARY,
    CATALOGUE_EVENT_REPEATED,
    CATALOGUE_FLAPPING,
    CATALOGUE_SETTLED,
    CATALOGUE_HEARTBEAT,
    CATALOGUE_SETTING_CHANGED,
    CATALOGUE_COUNT,
};

// Whom a notice is about.
enum catalogue_subject {
    CATALOGUE_ABOUT_ISSUER,
    CATALOGUE_ABOUT_GID1,   // the port with that GID
    CATALOGUE_ABOUT_LID,    // the port with LIDADDR or LIDADDR1
    CATALOGUE_ABOUT_SWITCH, // the switch with SWLIDADDR
    CATALOGUE_ABOUT_CHANGE, // no notice: what a sweep, a counter or the subnet manager's silence is
                            // about
    CATALOGUE_ABOUT_NO_NODE, // no node: a multicast group, the gateway itself
};

struct catalogue_entry {
    const char *name; // the identifier, in words
    uint16_t trap;    // generic trap number; 0: another cause
    const char *title;
    enum category category;
    enum severity severity; // default
    enum alarm_role alarm;  // see event_alarm
    enum catalogue_subject subject;
    const char *text;                        // template of the sentence, see event/template.h
    enum field fields[CATALOGUE_FIELDS_MAX]; // that the event's cause decodes into; FIELD_NONE ends
    const struct mib_notification *sma;      // IB-SMA-MIB; NULL: none
    const struct mib_notification *gsw;      // IBSWITCH-MIB; NULL: none
    uint8_t switch_reason;                   // the change reason, or switch status, in it
    const struct mib_notification *topo;     // IBSWITCH-MIB, gswIBTopoTrap; NULL: none
    uint8_t topo_reason;                     // the change reason in it
    bool between_switches;              // the IBSWITCH-MIB has it only when both ends are switches
    const struct mib_notification *own; // IBTRAPD-MIB, where the IB-SMA-MIB has none
};

// The row; valid for ever.
const struct catalogue_entry *catalogue_get(enum catalogue_event event);

enum catalogue_event catalogue_event_of(const struct catalogue_entry *entry); // its row's number

// Whether events of the row sum up others.
bool catalogue_is_summary(const struct catalogue_entry *entry);

// Whether they tell of the gateway itself, not of the fabric.
bool catalogue_is_own(const struct catalogue_entry *entry);

// The row with that identifier, or NULL.
const struct catalogue_entry *catalogue_find(const char *name);

// The row of a notice: of its generic trap number, or vendor-trap, or unknown-trap.
const struct catalogue_entry *catalogue_of_notice(const struct notice *notice);

#endif
