// SPDX-License-Identifier: BSD-2-Clause
// An active alarm: an event raised it, and no event has cleared it yet.
#ifndef IBTRAPD_MODEL_ALARM_H
#define IBTRAPD_MODEL_ALARM_H

#include "model/event.h"
#include "model/severity.h"

enum { ALARM_TYPE_SIZE = 64, ALARM_NOTE_SIZE = 256 };

struct alarm {
    char key[EVENT_KEY_SIZE];
    // The event that raised it first.
    int64_t event_sequence; // its number in the journal
    char event_id[EVENT_ID_SIZE];
    int64_t raised_us; // UTC
    // The event that raised it last.
    char type[ALARM_TYPE_SIZE]; // its catalogue row's name
    enum severity severity;
    uint64_t node_guid; // 0: none
    char text[EVENT_TEXT_SIZE];
    int64_t last_us; // UTC
    uint64_t count;  // how often it was raised since it became active
    // The last event about it that receivers got; empty: they got none.
    char notified_id[EVENT_ID_SIZE];
    // Changes by operators.
    int64_t acknowledged_us; // UTC; 0: not acknowledged
    char note[ALARM_NOTE_SIZE];
    int64_t shelved_until_us; // UTC; 0: not shelved
};

#endif
