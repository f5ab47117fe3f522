// The alarms that are active, for one view: ascending by number.
#ifndef IBTRAPD_AGENT_SNAPSHOT_ALARMS_H
#define IBTRAPD_AGENT_SNAPSHOT_ALARMS_H

#include "agent/snapshot.h"

// An alarm's number is that of the event that raised it (snapshot_number). The texts live as long
// as the alarms.
struct snapshot_alarm {
    uint32_t number;
    int64_t sequence; // of the event that raised it
    enum severity severity;
    uint64_t node_guid, count;
    int64_t raised_us, last_us; // UTC
    bool acknowledged, shelved;
    const char *key, *event_id, *type, *text, *note;
};

// NULL: out of memory. Shelved is what is shelved beyond `now_us` (UTC).
struct snapshot_alarms *snapshot_alarms_take(struct journal *journal, int64_t now_us);
void snapshot_alarms_free(struct snapshot_alarms *alarms); // NULL is allowed

// Those of a view, taken when they are asked for first; NULL: out of memory.
const struct snapshot_alarms *snapshot_alarms_of(const struct agent_snapshot *snapshot);

size_t snapshot_alarms_count(const struct snapshot_alarms *alarms);
const struct snapshot_alarm *snapshot_alarms_at(const struct snapshot_alarms *alarms, size_t at);

#endif
