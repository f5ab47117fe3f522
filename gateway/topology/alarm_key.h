// SPDX-License-Identifier: BSD-2-Clause
// The keys of the alarms that sweeps raise. A key names its subject, so that a snapshot shows
// whether the alarm still holds. change.h lists the keys. Pure.
#ifndef IBTRAPD_TOPOLOGY_ALARM_KEY_H
#define IBTRAPD_TOPOLOGY_ALARM_KEY_H

#include "model/event.h"

enum alarm_key_kind {
    ALARM_KEY_NODE,
    ALARM_KEY_PORT,
    ALARM_KEY_LINK,
    ALARM_KEY_RATE,
    ALARM_KEY_SM,
    ALARM_KEY_IO_UNIT,
    ALARM_KEY_IO_CONTROLLER,
    ALARM_KEY_KINDS,
};

struct alarm_key {
    enum alarm_key_kind kind;
    // Of a node; of a port: the node and the port's number; of a link or its rate: both
    // ends, the smaller GUID first; of a subnet manager: its port; of an I/O controller: its own.
    uint64_t guid, peer_guid;
    uint8_t port, peer_port;
};

// Writes the key; brings the ends of a link into their order.
void alarm_key_write(char out[EVENT_KEY_SIZE], const struct alarm_key *key);

// False: it is the key of another alarm, and `out` is undefined.
bool alarm_key_read(const char *text, struct alarm_key *out);

#endif
