// Notifications and their objects, as the modules in mibs/ define them. OIDs are resolved here
// once; nothing at run time reads a MIB file.
#ifndef IBTRAPD_MODEL_MIB_H
#define IBTRAPD_MODEL_MIB_H

#include "base/text.h"
#include "model/field_id.h"

#include <stddef.h>
#include <stdint.h>

struct event;

enum {
    MIB_OID_MAX = 20,        // sub-identifiers of a name in mibs/
    MIB_INSTANCE_MAX = 17,   // of an instance: a GswGlobalId and a port
    MIB_OBJECTS_MAX = 24,    // of one notification
    MIB_GLOBAL_ID_SIZE = 16, // octets of a GswGlobalId
    MIB_VALUE_MAX = 1024,    // octets of a varbind's value
    MIB_DATE_SIZE = 11,      // octets of a DateAndTime with its time zone
};

struct mib_oid {
    uint32_t ids[MIB_OID_MAX];
    uint8_t length;
};

enum mib_syntax {
    MIB_INTEGER32, // enumerations too
    MIB_UNSIGNED32,
    MIB_OCTETS,        // a number fills the size from the right, big-endian
    MIB_BITS,          // a number whose bit 0 is the first of the BITS
    MIB_DATE_AND_TIME, // SNMPv2-TC, 11 octets, UTC
    MIB_GLOBAL_ID,     // IBSWITCH-MIB GswGlobalId of the switch with that GUID; zeroes for 0
    MIB_TRUTH,         // SNMPv2-TC TruthValue of a flag
    MIB_DIGITS,        // a number as a text of decimal digits
    MIB_DATE_TEXT,     // as people read it, UTC
    MIB_ASCII, // SNMPv2-TC DisplayString: a text without what ASCII lacks, 255 octets at most
};

struct mib_object {
    const char *name;
    struct mib_oid oid; // without instance
    enum mib_syntax syntax;
    uint16_t size; // octets when fixed, 0 when the value's own length counts
    enum field source;
};

// How a notification's varbinds are told apart by row.
enum mib_index {
    MIB_SCALARS,         // instance .0
    MIB_BY_SWITCH,       // GswGlobalId: 16 sub-identifiers
    MIB_BY_SWITCH_PORT,  // and the port
    MIB_BY_SWITCH_EVENT, // and the event's index
    MIB_BY_SWITCH_LINK,  // and the port of its link; 0 where the switch as a whole is meant
};

struct mib_notification {
    const char *name;
    struct mib_oid oid;
    enum mib_index index;
    const struct mib_object *objects[MIB_OBJECTS_MAX]; // in order; NULL ends
};

// One encoded varbind.
struct mib_varbind {
    uint32_t oid[MIB_OID_MAX + MIB_INSTANCE_MAX];
    size_t oid_length;
    enum mib_syntax syntax; // MIB_INTEGER32, MIB_UNSIGNED32, or MIB_OCTETS for everything else
    uint32_t number;
    uint8_t octets[MIB_VALUE_MAX];
    size_t size;
};

// The varbind of `object` for this event under `notification`. Octets beyond MIB_VALUE_MAX are cut.
void mib_encode(const struct mib_notification *notification, const struct mib_object *object,
                const struct event *event, struct mib_varbind *out);

// The value alone of a field, as an object of that syntax and size has it: fills all of `out` but
// the OID.
void mib_encode_field(enum mib_syntax syntax, uint16_t size, enum field source,
                      const struct event *event, struct mib_varbind *out);

// SNMPv2-TC DateAndTime, in UTC.
void mib_put_date(uint8_t out[MIB_DATE_SIZE], int64_t utc_us);

// Adds the identifier as numbers with dots between them, MIB_OID_MAX + MIB_INSTANCE_MAX at most.
void mib_add_oid(struct text *t, const uint32_t *ids, size_t count);

extern const struct mib_notification MIB_SMA_PORT_LINK_STATE_CHANGE, MIB_SMA_LINK_INTEGRITY,
    MIB_SMA_EXCESS_BUFF_OVERRUN, MIB_SMA_FLOW_CONTROL, MIB_SMA_CAPABILITY_MASK,
    MIB_SMA_SYS_IMAGE_GUID, MIB_SMA_BAD_MKEY, MIB_SMA_BAD_PKEY, MIB_SMA_BAD_QKEY,
    MIB_SMA_BAD_PKEY_AT_SWITCH;

extern const struct mib_notification MIB_GSW_PORT_TRAP, MIB_GSW_SWITCH_TRAP, MIB_GSW_TOPO_COM_TRAP,
    MIB_GSW_IB_TOPO_TRAP, MIB_GSW_EVENT_TRAP;

extern const struct mib_notification MIB_OWN_GID_IN_SERVICE, MIB_OWN_GID_OUT_OF_SERVICE,
    MIB_OWN_MCAST_GROUP_CREATED, MIB_OWN_MCAST_GROUP_DELETED, MIB_OWN_UNPATH, MIB_OWN_REPATH,
    MIB_OWN_VENDOR_TRAP, MIB_OWN_UNKNOWN_TRAP, MIB_OWN_MALFORMED_MAD, MIB_OWN_GATEWAY_STARTED,
    MIB_OWN_GATEWAY_STOPPED, MIB_OWN_SUBSCRIPTION_LOST, MIB_OWN_SUBSCRIPTION_RESTORED,
    MIB_OWN_RECEIVER_FAILING, MIB_OWN_RECEIVER_BACK, MIB_OWN_JOURNAL_DROPPING,
    MIB_OWN_JOURNAL_DEGRADED, MIB_OWN_JOURNAL_HEALED, MIB_OWN_STORM_SUMMARY, MIB_OWN_EVENT_REPEATED,
    MIB_OWN_FLAPPING, MIB_OWN_SETTLED, MIB_OWN_HEARTBEAT, MIB_OWN_SETTING_CHANGED;

extern const struct mib_notification MIB_OWN_SWITCH_ADDED, MIB_OWN_SWITCH_REMOVED,
    MIB_OWN_SWITCH_MOVED, MIB_OWN_HOST_ADDED, MIB_OWN_HOST_REMOVED, MIB_OWN_HOST_MOVED,
    MIB_OWN_ROUTER_ADDED, MIB_OWN_ROUTER_REMOVED, MIB_OWN_ROUTER_MOVED, MIB_OWN_PORT_ADDED,
    MIB_OWN_PORT_REMOVED, MIB_OWN_PORT_MOVED, MIB_OWN_LINK_ADDED, MIB_OWN_LINK_REMOVED,
    MIB_OWN_LINK_MOVED, MIB_OWN_LINK_DEGRADED, MIB_OWN_LINK_RESTORED, MIB_OWN_NODE_RENAMED,
    MIB_OWN_LID_CHANGED, MIB_OWN_SM_APPEARED, MIB_OWN_SM_VANISHED, MIB_OWN_SM_FAILED_OVER,
    MIB_OWN_SM_UNREACHABLE, MIB_OWN_SM_BACK, MIB_OWN_IO_UNIT_ADDED, MIB_OWN_IO_UNIT_REMOVED,
    MIB_OWN_IO_CONTROLLER_ADDED, MIB_OWN_IO_CONTROLLER_REMOVED, MIB_OWN_THRESHOLD_REACHED,
    MIB_OWN_THRESHOLD_CLEARED;

// What a receiver may ask to have appended to the notifications of the other MIBs: the objects that
// every notification of the IBTRAPD-MIB begins with, and whether the notice was derived. Itself no
// notification: without name and OID.
extern const struct mib_notification MIB_EXTRA;

#endif
