// SPDX-License-Identifier: BSD-2-Clause
// The active alarms, copied from the journal for one snapshot: ascending by number.
#ifndef IBTRAPD_AGENT_SNAPSHOT_ALARMS_H
#define IBTRAPD_AGENT_SNAPSHOT_ALARMS_H

#include "agent/event_number.h"
#include "journal/journal.h"

// Its texts live as long as the struct snapshot_alarms.
struct snapshot_alarm {
    int64_t sequence; // of the event that raised it
    uint32_t number;  // event_number of `sequence`
    enum severity severity;
    uint64_t node_guid, count;
    int64_t raised_us, last_us; // UTC
    bool acknowledged, shelved;
    const char *key, *event_id, *type, *text, *note;
};

enum { SNAPSHOT_ALARMS_MAX = 65536 };

struct snapshot_alarms;

// Copies the active alarms, of more than SNAPSHOT_ALARMS_MAX those that were raised first: some
// 20 MB. An alarm counts as shelved if it is shelved beyond `now_us` (UTC).
struct snapshot_alarms *snapshot_alarms_take(struct journal *journal, int64_t now_us);
void snapshot_alarms_free(struct snapshot_alarms *alarms); // NULL is allowed

size_t snapshot_alarms_count(const struct snapshot_alarms *alarms);
const struct snapshot_alarm *snapshot_alarms_at(const struct snapshot_alarms *alarms, size_t at);

#endif
