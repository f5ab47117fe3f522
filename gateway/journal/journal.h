// The journal: every event, in order, on disk before the subnet manager or a receiver hears of it.
//
// One thread, the pipeline's, writes: append, append, commit. Receivers read behind it, each with a
// cursor that survives. When the disk fails, the flow goes on in memory, with a bound, until it
// works again; what was kept in memory is then written.
#ifndef IBTRAPD_JOURNAL_JOURNAL_H
#define IBTRAPD_JOURNAL_JOURNAL_H

#include "base/clock.h"
#include "base/error.h"
#include "base/histogram.h"
#include "base/log.h"
#include "journal/maintenance_window.h"
#include "model/alarm.h"
#include "model/event.h"
#include "model/setting.h"

#include <stdatomic.h>

enum {
    JOURNAL_MEMORY_MAX = 4096,  // events kept in memory while the disk fails: those lately appended
    JOURNAL_MEMORY_KEPT = 1024, // of them when they are on disk
    JOURNAL_RECEIVERS_MAX = 256, // those of earlier configurations included
    JOURNAL_SNAPSHOTS_MAX = 32,  // snapshots of the fabric that are kept in the file
    JOURNAL_YOUNG_US =
        10000000, // nobody who asks to prune gets at what is younger: repeats are told by it
};

// What the journal reports of itself; the pipeline makes events of it.
enum journal_change { JOURNAL_DEGRADED, JOURNAL_HEALED, JOURNAL_DROPPING };

struct journal_options {
    const char *directory;               // made if it is missing
    int64_t rows_max, bytes_max, age_us; // what is kept
    // Called in the writer's thread, from journal_commit.
    void (*notify)(void *ctx, enum journal_change change, const char *reason, uint64_t count);
    void *ctx;
    const struct clock *clock;
    struct log *log;
};

// The Report that caused an event, as repeats are told by; all zero when none did.
struct journal_report {
    uint16_t lid;
    uint64_t tid, digest;
};

struct journal_status {
    bool durable;      // false: in memory only
    char problem[512]; // why not; empty: all is well
    int64_t rows, bytes, first, last;
    int64_t pending;  // events in memory that are not on disk
    uint64_t dropped; // events that were lost from the journal before every receiver had them
    uint64_t commits;
    size_t alarms;          // active ones
    uint64_t alarms_missed; // raised or cleared when there was no room for more
};

// A snapshot of the fabric.
struct journal_snapshot {
    int64_t number;  // as people ask for it; 0: not in the file yet
    int64_t time_us; // UTC: when the fabric was first seen like this
    uint64_t digest; // tells whether two are the same
    uint32_t nodes, links;
};

struct journal_item {
    int64_t sequence;
    struct event *event; // a reference, the caller's; NULL: the record cannot be read
};

struct journal;

// A journal that cannot be opened or written is no error: it is degraded, says why in its status
// and log, and tries again. A corrupt file is set aside beside the new one, never deleted. NULL
// with a sentence when another process uses the directory, or memory is short.
struct journal *journal_open(const struct journal_options *options, struct error *err);
void journal_close(struct journal *journal); // NULL is allowed

// The Reports of the last seconds before the start, so that their repeats can be told.
void journal_each_recent_report(struct journal *journal, int64_t since_us,
                                void (*each)(void *ctx, const struct journal_report *report,
                                             int64_t utc_us),
                                void *ctx);

// Writer's thread. Appends keep a reference and return the sequence number, which the event gets,
// too; after commit the events are readable, on disk or, when degraded, in memory. Commit also
// saves cursors and, now and then, drops what is too old or too much.
int64_t journal_append(struct journal *journal, struct event *event,
                       const struct journal_report *report);
void journal_commit(struct journal *journal);
bool journal_has_work(struct journal *journal); // something that a commit would save

// Writer's thread. Copies the record, to be saved with the next commit, unless the newest snapshot
// has the same digest. The newest are kept, as many as JOURNAL_SNAPSHOTS_MAX, in a quarter of
// `bytes_max`. While degraded there is one in memory: the latest. `number` is ignored.
void journal_save_snapshot(struct journal *journal, const struct journal_snapshot *fabric,
                           const uint8_t *record, size_t size);

// The kept snapshots, oldest first; one that is not in the file yet is the last. Returns how many.
// Any thread.
size_t journal_list_snapshots(struct journal *journal,
                              struct journal_snapshot out[JOURNAL_SNAPSHOTS_MAX + 1]);

// A snapshot by number, or, for 0, the newest. The record is the caller's, made with malloc. NULL
// with a sentence when there is none of that number, or it cannot be read. Any thread.
uint8_t *journal_read_snapshot(struct journal *journal, int64_t number,
                               struct journal_snapshot *out, size_t *size, struct error *err);

// An event that raises an alarm, or clears one, and is no test, does so when it is appended: there
// is one active alarm a key, and it survives restarts. Any thread: the active alarms in the order
// in which they were raised; `each` must not call the journal.
void journal_each_alarm(struct journal *journal, void (*each)(void *ctx, const struct alarm *alarm),
                        void *ctx);

// Any thread. False when no such alarm is active. A raise after that changes neither; a clear ends
// both.
bool journal_acknowledge_alarm(struct journal *journal, const char *key, const char *note);
bool journal_shelve_alarm(struct journal *journal, const char *key,
                          int64_t until_us); // 0: no longer

// Maintenance windows, which survive restarts too. Writer's thread; saved with the next commit.
// Windows that ended are forgotten when one is set.
bool journal_set_maintenance(struct journal *journal,
                             const struct journal_maintenance *window);     // false: no room
bool journal_remove_maintenance(struct journal *journal, const char *name); // false: none such

// Any thread; those that ended may be among them. `each` must not call the journal.
void journal_each_maintenance(struct journal *journal,
                              void (*each)(void *ctx, const struct journal_maintenance *window),
                              void *ctx);

// What was set by SNMP, which survives restarts too. Writer's thread; all or none, saved with the
// next commit. False: no room, or no memory.
bool journal_change_settings(struct journal *journal, const struct setting *changes, size_t n);
struct settings *journal_settings(struct journal *journal); // a reference, the caller's; any thread

// Asks the writer to drop, with its next commits, what is older (than JOURNAL_YOUNG_US in any case)
// and what every receiver has. Any thread.
void journal_request_prune(struct journal *journal, int64_t age_us);

// Receivers; any thread. A new one begins with the events that come; a known one where it left off.
// The returned number stands for it; -1 when there are too many.
int journal_receiver(struct journal *journal, const char *name);
int64_t journal_cursor(struct journal *journal, int receiver);
void journal_advance(struct journal *journal, int receiver,
                     int64_t sequence); // it has all up to there

// The receiver of that name, which has ended, is gone for good: its cursor is forgotten, in memory
// and file. Any thread.
void journal_forget_receiver(struct journal *journal, const char *name);

// True, once, when the cursor was set back: the file could not be read when the receiver began, and
// now it tells where the receiver had left off. What was read beyond the cursor is to be forgotten.
// Until this was asked the cursor stays there. Asked after an event of the healed journal was read,
// it is true.
bool journal_cursor_was_set_back(struct journal *journal, int receiver);

// What the receiver had of this run when it was set back: the numbers behind `after`, up to the
// result; 0: it was not set back. Any thread.
int64_t journal_had_through(struct journal *journal, int receiver, int64_t *after);

// Nothing is kept any longer for the receivers for which `runs` says no. Their cursors stay, for
// when they come again. Any thread; `runs` calls nothing of the journal.
void journal_end_receivers(struct journal *journal, bool (*runs)(void *ctx, const char *name),
                           void *ctx);

// Waits until there is an event after `after`: for `timeout_us` at most, or until `enough`, which
// whoever sets it tells by journal_wake. True: there is one. Any thread.
bool journal_wait(struct journal *journal, int64_t after, int64_t timeout_us,
                  const atomic_bool *enough);
void journal_wake(struct journal *journal);

// Events after `after`, `n` at most, in order; none: there is none, or not now, as the disk fails.
// Any thread. A first sequence number beyond after + 1 means that the events between are gone.
size_t journal_read(struct journal *journal, int64_t after, struct journal_item *items, size_t n);

// Events before `before`, `n` at most, the newest first; none: there is none, or the disk fails.
// Any thread.
size_t journal_read_back(struct journal *journal, int64_t before, struct journal_item *items,
                         size_t n);

int64_t journal_last(struct journal *journal); // the last committed sequence number

// How many events had numbers between these two. Those of a start that could not read the file are
// far ahead of what the file has; that gap does not count. Any thread.
int64_t journal_between(struct journal *journal, int64_t after, int64_t before);

// From this number on events are in memory, and can be read while the disk cannot.
int64_t journal_first_in_memory(struct journal *journal);
void journal_get_status(struct journal *journal, struct journal_status *out); // any thread

// How long commits to disk took. Any thread, while the journal lives.
const struct histogram *journal_commit_times(const struct journal *journal);

#endif
