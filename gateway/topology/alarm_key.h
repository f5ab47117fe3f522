// SPDX-License-Identifier: BSD-2-Clause
// The keys of the alarms about the fabric. A key names a place, and a snapshot shows whether the
// alarm about the place still holds. The keys of alarms about the gateway are no keys of this kind.
// Pure.
//
// Decides: What is the key of an alarm, and which node, port or link does the key name?
#pragma once

#include "model/catalogue.h"
#include "model/counter.h"
#include "model/event.h"

// The place. GUIDs are written as 0x%016x, ports in decimal.
enum alarm_key_kind {
    ALARM_KEY_NODE,          // node GUID: node removed, added
    ALARM_KEY_PORT,          // port GUID/PORT: a further port of a CA or router removed, added
    ALARM_KEY_LINK,          // link GUID/PORT-GUID/PORT: link down, up; the smaller GUID first
    ALARM_KEY_RATE,          // rate link GUID/PORT-GUID/PORT: link degraded, restored
    ALARM_KEY_SM,            // sm GUID, of the port: subnet manager vanished, appeared
    ALARM_KEY_IO_UNIT,       // iou GUID: I/O unit removed, added
    ALARM_KEY_IO_CONTROLLER, // ioc GUID: I/O controller removed, added
    ALARM_KEY_KINDS,
};

// What the alarm says about the place.
enum alarm_key_about {
    ALARM_ABOUT_PLACE,      // the key is the place alone
    ALARM_ABOUT_GROWTH,     // counter NAME GUID/PORT: a threshold
    ALARM_ABOUT_ERRORS,     // errors NAME, and a link, or a port without a known neighbour
    ALARM_ABOUT_WAIT,       // congestion GUID/PORT
    ALARM_ABOUT_UNRELIABLE, // unreliable, and a link
    ALARM_ABOUT_INACTIVE,   // inactive, and a link
    ALARM_ABOUT_PLANES,     // planes, and the port of the first plane
    ALARM_ABOUT_TOGETHER,   // together, and the first node of many
    ALARM_ABOUT_EXPECTED,   // the name of the event (expectation.h), and a node or link
    ALARM_ABOUT_DEVICE,     // the name of the event (device_rules.h), and a node or port
    ALARM_ABOUTS,
};

struct alarm_key {
    enum alarm_key_kind kind;
    // Of a node; of a port: the node and the port's number; of a link or its rate: both
    // ends, the smaller GUID first; of a subnet manager: its port; of an I/O controller: its own.
    uint64_t guid, peer_guid;
    uint8_t port, peer_port;
    enum alarm_key_about about;
    enum counter counter;       // of growth, errors and wait
    enum catalogue_event event; // of ALARM_ABOUT_EXPECTED and ALARM_ABOUT_DEVICE
};

// Writes the key; brings the ends of a link into their order.
void alarm_key_write(char out[EVENT_KEY_SIZE], const struct alarm_key *key);

// Reads what alarm_key_write writes, and nothing else. Returns false for another key, and leaves
// `out` undefined.
bool alarm_key_parse(const char *text, struct alarm_key *out);

// Does the same for keys that are a place alone.
bool alarm_key_read(const char *text, struct alarm_key *out);
