// SPDX-License-Identifier: BSD-2-Clause
// An alarm in some hundred octets of memory instead of nearly 2,000: a text has no unused octets,
// and a UUID has 16 octets.
#pragma once

#include "model/alarm.h"

struct compact_alarm {
    int64_t event_sequence, raised_us, last_us, last_sequence, told_sequence;
    int64_t acknowledged_us, shelved_until_us, shelved_for_us;
    uint64_t count, node_guid;
    const char *type; // the name in the catalogue; NULL: not in the catalogue
    char *texts;      // the key comes first
    enum severity severity;
    enum category category;
    enum alarm_notified notified;
    bool over;
};

// Packs the alarm. Replaces the content of `compact`; zero a new compact alarm first.
void compact_alarm_pack(struct compact_alarm *compact, const struct alarm *alarm);

// Fills all of `out`.
void compact_alarm_unpack(const struct compact_alarm *compact, struct alarm *out);

const char *compact_alarm_key(const struct compact_alarm *compact);
// Reads the identifier of the root cause.
void compact_alarm_cause(const struct compact_alarm *compact, char out[EVENT_ID_SIZE]);
void compact_alarm_clear(struct compact_alarm *compact);
