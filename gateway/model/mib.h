// SPDX-License-Identifier: BSD-2-Clause
// Notifications and their objects, from the modules in mibs/, and the traps of the IBSWITCH-MIB for
// an event. The build makes the notifications (mib_modules.h, by mibs/generate.py: for instance
// mib_gswIBPortTrap, mib_gswIBPortIndex); nothing at run time reads a MIB file.
// Decides: Which traps of the IBSWITCH-MIB does an event send?
#pragma once

#include "base/text.h"
#include "mib_modules.h"
#include "model/field_id.h"

#include <stddef.h>
#include <stdint.h>

struct event;

enum {
    MIB_OID_MAX = 20,        // sub-identifiers of a name in mibs/
    MIB_INSTANCE_MAX = 17,   // sub-identifiers of an instance: a GswGlobalId and a port
    MIB_OBJECTS_MAX = 28,    // of one notification
    MIB_INDEX_MAX = 3,       // objects in the index of a table
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
    MIB_OCTETS,        // a number becomes big-endian octets of the fixed size
    MIB_BITS,          // a number; bit 0 is the first bit of the BITS
    MIB_DATE_AND_TIME, // SNMPv2-TC, 11 octets, UTC
    MIB_GLOBAL_ID,     // IBSWITCH-MIB GswGlobalId of the switch or router with that GUID
    MIB_TRUTH,         // SNMPv2-TC TruthValue of a flag
    MIB_DIGITS,        // a number as decimal digits
    MIB_DATE_TEXT,     // a date as text, UTC
    MIB_ASCII,         // SNMPv2-TC DisplayString: only ASCII, 255 octets at most
};

struct mib_object {
    const char *name;
    struct mib_oid oid; // without instance
    enum mib_syntax syntax;
    uint16_t size; // octets of a fixed size; 0: as many as the value has
    enum field source;
    const struct mib_object
        *index[MIB_INDEX_MAX]; // of its table; NULL ends the list; an empty list: a scalar
};

struct mib_notification {
    const char *name;
    struct mib_oid oid;
    const struct mib_object *objects[MIB_OBJECTS_MAX]; // in order; NULL ends the list
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

// Encodes the varbind of `object` for this event. Truncates octets beyond MIB_VALUE_MAX.
void mib_encode(const struct mib_object *object, const struct event *event,
                struct mib_varbind *out);

// Encodes a field's value in the syntax and size. Fills all of `out` but the OID.
void mib_encode_field(enum mib_syntax syntax, uint16_t size, enum field source,
                      const struct event *event, struct mib_varbind *out);

// SNMPv2-TC DateAndTime, in UTC.
void mib_put_date(uint8_t out[MIB_DATE_SIZE], int64_t utc_us);

// Writes a GswGlobalId: the GUID, seven zero octets, and the GswType: of a router, or of a
// switch for any other enum fabric_type. For GUID 0, all octets are zero.
void mib_put_global_id(uint8_t out[MIB_GLOBAL_ID_SIZE], uint64_t guid, uint8_t type);

// Adds an identifier of MIB_OID_MAX + MIB_INSTANCE_MAX numbers at most, with dots in between.
void mib_add_oid(struct text *t, const uint32_t *ids, size_t count);

// Objects that a receiver may ask for with every notification: of the event, its alarm and its
// node, and whether the Notice was derived or the event is a test. MIB_EXTRA is no notification
// itself, and has neither name nor OID.
extern const struct mib_notification MIB_EXTRA;

enum { MIB_GSW_TRAPS_MAX = 3 };

// Lists the traps of the IBSWITCH-MIB for the event, from its row, in the order of sending, without
// gswEventTrap. The traps are about an element (a switch or router), a port of an element, or a
// link between two elements. A moved element has two traps: of the former link, and of the new
// link. Returns the number of traps; 0 for an event without an element.
size_t mib_gsw_traps(const struct event *event,
                     const struct mib_notification *out[MIB_GSW_TRAPS_MAX]);
