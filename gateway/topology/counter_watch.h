// SPDX-License-Identifier: BSD-2-Clause
// Watches the counters of ports over the counter readings, and says which alarms about the counters
// stand. There are three kinds of alarms, which alarm_key.h names:
// - growth: a counter grew by its threshold or more from one reading to the next;
// - errors: a counter grows too often on a link, measured over a short and a long sliding window;
// - wait: a port had data and could not send for too much of the time, over the same windows.
// A counter that does not grow takes no memory. Pure.
//
// PortXmitWait counts ticks. A tick has the number of a lane's symbol times that the port's
// PortSamplesControl says, or one symbol time. A symbol time is ten bits.
//
// Decides: When does a link count too many errors, and when does a link-errors alarm end?
// Decides: When does a port wait too long before it can send?
// Decides: When has a counter reached its threshold?
#pragma once

#include "model/fabric.h"
#include "topology/accumulated.h"
#include "topology/counter_rates.h"

enum {
    COUNTER_WATCH_ERRORS_MAX = 128 << 10, // counters with errors: 20 MB
    COUNTER_WATCH_WAITS_MAX = 256 << 10,  // ports that wait: 40 MB
};

struct counter_watch;

struct counter_watch *counter_watch_new(const struct counter_watch_limits *limits);
void counter_watch_free(struct counter_watch *watch); // NULL is allowed

// Uses these limits from the next reading on. When a window has another length, all windows begin
// anew, and no alarm of a window ends before a long window is over.
void counter_watch_change(struct counter_watch *watch, const struct counter_watch_limits *limits);

// Restores an alarm from before a restart. A threshold is cleared at the second reading of the port
// at the earliest, the other alarms when a long window is over. Does nothing with a key of another
// alarm, or if there is no room.
void counter_watch_restore(struct counter_watch *watch, const struct alarm_key *key);

// A reading, and what the reading is compared with.
struct counter_watch_reading {
    const struct accumulated_counters *before; // without the reading; NULL: it is the first
    const struct counter_reading *reading;
    const struct fabric *fabric; // NULL: not known
    int64_t now_us;              // a monotonic clock's, never less than at the update before
};

// Adds a reading, and returns a statement for each alarm that begins or ends: first growth, then
// errors, then wait. The list lives until the next update.
// - A value that fell was reset: the value counts from zero. A full counter does not grow, and its
//   alarm stays.
// - Growth counts evenly over the time since the update before. If the last reading lacked the
//   port, its growth does not count for the windows, as nobody knows the time of the growth. If the
//   port changed between native and 64-bit counters, its growth does not count either.
// - LocalLinkIntegrityErrors and ExcessiveBufferOverrunErrors become derived events of the traps
//   129 and 130 at each reading in which the counters reach their thresholds. Their alarms never
//   end.
// - An alarm gets worse once: from a warning to an error.
// - A window that was watched for a part only has to have as many errors as a whole window.
// - A port that has another neighbour than before begins anew, and its alarm about errors ends.
// - A port that left the readings has no errors and does not wait: its alarms end as the windows go
//   on, the alarm of a full counter after a long window. Its thresholds are cleared after
//   ACCUMULATED_KEEP_US.
const struct counter_statement *counter_watch_update(struct counter_watch *watch,
                                                     const struct counter_watch_reading *reading,
                                                     size_t *count);

// Whether the alarm stands, at one end of its link at least. A restored alarm may stand no more: a
// port keeps the alarm of one neighbour. Call counter_watch_has_alarm after an update.
bool counter_watch_has_alarm(const struct counter_watch *watch, const struct alarm_key *key);

// Asks for each standing alarm whether others know the alarm. If not, somebody cleared the alarm,
// and the counter begins anew. Call counter_watch_review between two updates.
void counter_watch_review(struct counter_watch *watch,
                          bool (*stands)(void *ctx, const struct alarm_key *key), void *ctx);

// The windows of a counter at the last update.
struct counter_measure {
    uint64_t node_guid;
    uint8_t port;
    enum counter counter;
    bool unknown;                     // the counter is full
    double per_second[ERROR_WINDOWS]; // errors; of wait: the share of the time
    double per_bit[ERROR_WINDOWS];    // 0: no known rate of the link, or no errors
};

// The counters that are watched for ALARM_ABOUT_ERRORS or ALARM_ABOUT_WAIT, ascending by node, port
// and counter. Call counter_watch_at between an update and the next restoring of an alarm.
size_t counter_watch_count(const struct counter_watch *watch, enum alarm_key_about about);
struct counter_measure counter_watch_at(const struct counter_watch *watch,
                                        enum alarm_key_about about, size_t at);

// The errors of a counter in that window at the last update; 0 also if the counter is not watched.
uint64_t counter_watch_errors(const struct counter_watch *watch, uint64_t node_guid, uint8_t port,
                              enum counter counter, enum error_window window);

// How many times a counter grew or a port waited and was not watched, for want of room.
uint64_t counter_watch_overflowed(const struct counter_watch *watch, enum alarm_key_about about);
