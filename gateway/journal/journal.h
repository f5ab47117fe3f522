// SPDX-License-Identifier: BSD-2-Clause
// The journal: every event, in order, on disk before the subnet manager gets its acknowledgement
// and before a receiver gets the event.
//
// One thread at a time is the writer (the pipeline's threads take turns): it appends events and
// commits them. Another thread works with the file, the journal's own or one of the pipeline's; the
// writer waits for that thread for some seconds at most. Receivers read behind the writer; each
// has a cursor, which survives a restart. When the disk fails, the journal is degraded: events go
// through memory, with a bound, until the disk works again and the journal writes these events.
// Decides: Which events raise and clear alarms in the list?
// Decides: What happens to events while the disk hangs or fails? (write.c)
// Decides: Who is told when the journal loses events? (cursors.c)
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/histogram.h"
#include "base/log.h"
#include "base/random.h"
#include "model/alarm.h"
#include "model/device_reading.h"
#include "model/event.h"
#include "model/maintenance.h"
#include "model/node_numbers.h"
#include "model/setting.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    JOURNAL_MEMORY_MAX = 4096,   // newest events kept in memory while degraded
    JOURNAL_MEMORY_KEPT = 1024,  // newest events kept in memory otherwise
    JOURNAL_RECEIVERS_MAX = 512, // cursors, also of receivers that are gone
    JOURNAL_RECEIVER_NAME_SIZE = 65,
    // Of one alarm, back from the last: retention keeps so many, and so many judge a receiver's
    // events.
    JOURNAL_RAISES_MAX = 32,
    JOURNAL_LINKS_PAGE = 64,    // events of one journal_read_links_back
    JOURNAL_SNAPSHOTS_MAX = 32, // snapshots of the fabric kept in the file
    // A request to prune keeps events younger than this: they identify repeated Reports.
    JOURNAL_YOUNG_US = 10000000,
};

// Hears how opening the file goes on. The thread that opens the file calls `step` at the begin of
// each part, and about every millisecond while SQLite makes progress. `doing`: a part, for instance
// "counting its events"; valid during the call.
struct journal_watch {
    void (*step)(void *ctx, const char *doing); // NULL: nobody listens
    void *ctx;
};

// Changes of the journal's own state; the gateway makes an event of each.
// JOURNAL_DROPPING: the journal loses events that a receiver had yet to get.
// JOURNAL_DROPPING_ENDED: the loss is over, and every receiver is beyond the lost events.
enum journal_change {
    JOURNAL_DEGRADED,
    JOURNAL_HEALED,
    JOURNAL_DROPPING,
    JOURNAL_DROPPING_ENDED,
    JOURNAL_CHANGES,
};

struct journal_options {
    const char *directory;               // created if missing
    int64_t rows_max, bytes_max, age_us; // limits of retention
    // How long the writer waits for the disk before the journal is degraded. 0: five seconds. For
    // an attempt while degraded, the writer waits a tenth of the time; in journal_finish twice the
    // time; in journal_close four times the time.
    int64_t patience_us;
    // Reports a change; `count` is the number of events lost so far since JOURNAL_DROPPING. The
    // writer's thread or the journal's own thread calls the function, one call at a time.
    void (*notify)(void *ctx, enum journal_change change, const char *reason, uint64_t count);
    void *ctx;
    struct journal_watch watch; // of journal_open; `step` may be NULL
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

// Identifies the Report that caused an event, to recognise a repeat of the Report; zero: no Report.
struct journal_report {
    uint16_t lid;
    uint64_t tid, digest;
};

struct journal_status {
    bool durable;      // false: degraded
    char problem[512]; // why the journal is degraded; empty: not degraded
    char warning[512]; // a harm that the admin can still prevent; empty: none
    int64_t rows, bytes, first, last;
    int64_t pending;  // events in memory, not on disk yet
    bool pruning;     // a request to prune is not done yet
    uint64_t dropped; // events that expired before the last receiver had the event
    uint64_t commits;
    size_t alarms;                        // active ones
    size_t alarms_of[SEVERITY_DEBUG + 1]; // active ones by severity
    uint64_t alarms_missed;               // lost changes of alarms: no room
};

// A snapshot of the fabric.
struct journal_snapshot {
    int64_t number;  // as in ibtrapctl; 0: not in the file yet
    int64_t time_us; // UTC: when a sweep first found the fabric in this state
    uint64_t digest; // equal for equal snapshots
    uint32_t nodes, links;
};

struct journal_item {
    int64_t sequence;
    struct event *event; // a reference, the caller's; NULL: the record cannot be read
};

struct journal;

// Opens the journal of a directory. If a file cannot be opened or written, the journal is degraded:
// the status and the log give the reason, and the journal tries again. If a file is damaged, the
// journal renames the file, never deletes it, and begins a new file with the events that receivers
// have yet to get; JOURNAL_DROPPING reports the events that cannot be read. NULL with a sentence:
// another process uses the directory.
struct journal *journal_open(const struct journal_options *options, struct error *err);

// False: the disk hangs. Then the journal's memory and thread live on: end the process, or leave
// everything that the options point to. NULL is allowed.
bool journal_close(struct journal *journal);

// Calls `each` for the Reports committed since `since_us` (UTC), to recognise repeats.
void journal_each_recent_report(struct journal *journal, int64_t since_us,
                                void (*each)(void *ctx, const struct journal_report *report,
                                             int64_t utc_us),
                                void *ctx);

// Writer's thread. journal_append takes a reference, and returns the sequence number that it gives
// to the event. After journal_commit the appended events are on disk (degraded: in memory) and
// readable. The commit also saves cursors and, from time to time, deletes events beyond the limits
// of retention.
int64_t journal_append(struct journal *journal, struct event *event,
                       const struct journal_report *report);
void journal_commit(struct journal *journal);

// The same in two steps, so that another thread may become the writer while this thread works with
// the file. journal_begin_commit takes the file and notes what is to be written: all that the
// writer has appended and changed so far. After JOURNAL_TAKEN, journal_end_commit does the work, in
// the same thread, which need not be the writer any more. The thread may hang as long as the disk
// does.
enum journal_turn {
    JOURNAL_TAKEN, // the file is this thread's; call journal_end_commit
    JOURNAL_BUSY,  // other work with the file goes on, and `wait` is false
    JOURNAL_AWAY,  // the journal is degraded; call journal_commit
};
enum journal_turn journal_begin_commit(struct journal *journal, bool wait);
void journal_end_commit(struct journal *journal);
bool journal_has_work(struct journal *journal); // a commit would save something

// Writer's thread, before journal_close: a last commit. A degraded journal tries the file once
// more, and writes until the disk is full. False with a sentence: something is in memory only, and
// is lost.
bool journal_finish(struct journal *journal, struct error *err);

// Writer's thread. Copies the record for the next commit. The commit saves the record unless the
// newest snapshot has the same digest. The file keeps the newest JOURNAL_SNAPSHOTS_MAX snapshots,
// in a quarter of `bytes_max`; a degraded journal keeps the latest snapshot, in memory. Ignores
// `number`.
void journal_save_snapshot(struct journal *journal, const struct journal_snapshot *fabric,
                           const uint8_t *record, size_t size);

// Lists the snapshots, oldest first; the last may not be in the file yet. Returns their number. Any
// thread.
size_t journal_list_snapshots(struct journal *journal,
                              struct journal_snapshot out[JOURNAL_SNAPSHOTS_MAX + 1]);

// Reads the snapshot with the number; 0: the newest. The caller frees the record. NULL with a
// sentence: there is no such snapshot, or the file cannot be read. Any thread.
uint8_t *journal_read_snapshot(struct journal *journal, int64_t number,
                               struct journal_snapshot *out, size_t *size, struct error *err);

// Which alarms: the active alarms, or the open alarms, which also have the alarms that are over
// (`over`) while receivers do not know. journal_append raises or clears the alarm of an event,
// except of a test event. A key has one active alarm at most; alarms survive a restart.
enum journal_alarms { JOURNAL_ACTIVE_ALARMS, JOURNAL_OPEN_ALARMS };

// Calls `each` for the alarms in the order of raising; `each` must not call the journal. Any
// thread.
void journal_each_alarm(struct journal *journal, enum journal_alarms which,
                        void (*each)(void *ctx, const struct alarm *alarm), void *ctx);

// Reads the next page. Any thread.
void journal_read_alarms(struct journal *journal, enum journal_alarms which,
                         struct alarm_page *page);

void journal_count_alarms(const struct journal *journal, struct alarm_counts *out); // any thread

// Copies the most severe of the active alarms with that standing; of equals, the one with the most
// consequences, then the newest. False: there is none. Any thread.
bool journal_worst_alarm(const struct journal *journal, enum alarm_standing standing,
                         struct alarm *out);

bool journal_alarm_is_active(struct journal *journal, const char *key); // any thread

// Whether the alarms of the file are there, too: false until the file was read. Counts the changes
// of alarms, apart from those that the reading brings. Any thread.
bool journal_has_all_alarms(struct journal *journal, uint64_t *changes);

// Acknowledges or shelves an active alarm. Raising the alarm again changes neither. A clear ends
// the acknowledgement. A shelved alarm stays shelved until `until_us`, also if the alarm is raised
// again. `until_us` 0 ends the shelving. `who`: the user's name, truncated to ALARM_WHO_SIZE;
// NULL: takes the acknowledgement back.
// False: no active or shelved alarm has the key. Any thread.
bool journal_acknowledge_alarm(struct journal *journal, const char *key, const char *who,
                               const char *note);
bool journal_shelve_alarm(struct journal *journal, const char *key, int64_t until_us,
                          const char *who);

// Forgets the ends before `before_us` (UTC) that another gateway was to send, and ends the shelving
// of ended alarms if the time of the shelving is over. Writer's thread.
void journal_forget_ends(struct journal *journal, int64_t before_us);

// Sets the root cause of an active alarm, the identifier of the event that raised it, and the
// reason of suppression; either may be empty. An event about the alarm sets both, too. Any thread.
void journal_explain_alarm(struct journal *journal, const char *key, const char *cause_id,
                           const char *suppressed);

// If somebody set the clock, moves the ends of maintenance windows and shelvings: their lengths
// stay, as in policy. Call it before a window or a shelving begins. At a start, no end is further
// away than its length. Writer's thread.
void journal_follow_clock(struct journal *journal);

// Maintenance windows survive a restart, too. Setting a window deletes the windows that have ended.
// Saved by the next commit. Writer's thread.
bool journal_set_maintenance(struct journal *journal,
                             const struct maintenance_window *window);      // false: no room
bool journal_remove_maintenance(struct journal *journal, const char *name); // false: no such window

// Calls `each` for the windows; some may have ended. `each` must not call the journal. Any thread.
void journal_each_maintenance(struct journal *journal,
                              void (*each)(void *ctx, const struct maintenance_window *window),
                              void *ctx);

// Settings made by SNMP survive a restart, too. Applies all changes or none; saved by the next
// commit. Returns false if there is no room. Writer's thread.
bool journal_change_settings(struct journal *journal, const struct setting *changes, size_t n);
struct settings *journal_settings(struct journal *journal); // a reference, the caller's; any thread

// Node numbers survive a restart, too. journal_number_nodes gives numbers to the nodes without a
// number, as node_numbers_with does; false: the file has not been read yet. The next commit writes
// the numbers; from then on, journal_node_numbers has the numbers: a reference, the caller's. Any
// thread.
bool journal_number_nodes(struct journal *journal, const uint64_t *guids, size_t n);
struct node_numbers *journal_node_numbers(struct journal *journal);

// What is remembered of NVIDIA's devices survives a restart, too. journal_recall_device fills in
// the rest for a device, port and page; false: nothing is known. The next commit writes what
// journal_remember_device is told. Any thread.
bool journal_recall_device(struct journal *journal, struct device_memory *memory);
void journal_remember_device(struct journal *journal, const struct device_memory *memory);

// Call journal_resume_dropping when the listener is there, and again after journal_was_read_late:
// the function reports JOURNAL_DROPPING again if journal_open found a loss. `raised`: the alarm was
// raised before this start; the journal will report the end. Writer's thread.
void journal_resume_dropping(struct journal *journal, bool raised);

// Returns true once if the file could not be read at the start: after the commit that has read the
// file since. Alarms, maintenance windows and settings are then the ones of the file and of this
// run together. Writer's thread.
bool journal_was_read_late(struct journal *journal);

// Asks the writer to delete, with the next commits, the events that are older than `age_us` (at
// least JOURNAL_YOUNG_US) and that every receiver has. Any thread.
void journal_request_prune(struct journal *journal, int64_t age_us);

// Decides: Which events does the journal delete first? (retention.c)
// Retention by age deletes only events that every receiver has. Retention by rows and octets
// deletes further events, oldest first. None deletes the newest JOURNAL_MEMORY_KEPT events, nor the
// events by which open alarms were told, nor their last events.

// Registers a receiver by name and returns a handle, which is valid until the receiver is forgotten
// or gone; -1: there are too many receivers. A new receiver begins with the next event, a known
// receiver at its cursor. A receiver that was gone begins like a new receiver or, with its backlog,
// at its cursor; journal_former_cursor knows where a receiver that was gone had stopped. When there
// is no room, the journal forgets the receiver that has been gone for the longest time. Any thread,
// also for the next four functions.
int journal_receiver(struct journal *journal, const char *name);
int journal_receiver_with_backlog(struct journal *journal, const char *name);
int64_t journal_cursor(struct journal *journal, int receiver);
// The cursor that a receiver had when the receiver was gone, until journal_advance; otherwise as
// journal_cursor.
int64_t journal_former_cursor(struct journal *journal, int receiver);
// The receiver has every event up to `sequence`.
void journal_advance(struct journal *journal, int receiver, int64_t sequence);

// Notes the digest, not 0, of the filter by which the receiver judges events from now on.
// journal_filter_since returns the number of the last event before that filter was in force; 0: no
// earlier filter is known. Both survive a restart. Any thread.
void journal_note_filter(struct journal *journal, int receiver, uint64_t digest);
int64_t journal_filter_since(struct journal *journal, int receiver);

// The receiver may not know the events up to the number, which its cursor has passed: the receiver
// has another address, or an event was given up. Any thread.
void journal_note_unknown(struct journal *journal, int receiver, int64_t number);

// The receiver was told again of the open alarms with events up to the number, as its filter wants.
// Any thread.
void journal_note_told_again(struct journal *journal, int receiver, int64_t through);

// Whether the receiver may lack the event with the number, which told receivers of an alarm that
// was open since: the event is from before the filter was in force, before the receiver began or
// from before the number of journal_note_unknown, and was not told again since. Any thread.
bool journal_receiver_may_lack(struct journal *journal, int receiver, int64_t number);

// The receiver passed events that the journal lost. The end of the alarm JOURNAL_DROPPING says how
// many each receiver lacks; a restart keeps the numbers. Any thread.
void journal_note_lost(struct journal *journal, int receiver, int64_t count);

// Deletes the cursor of a receiver that has ended, in memory and file: if the receiver comes back,
// then as a new receiver. `only_gone`: unless the receiver is gone, nothing happens. False: nothing
// happened. Any thread.
bool journal_forget_receiver(struct journal *journal, const char *name, bool only_gone);

// Notes a number, even and not 0, for the section of the receiver without its name: a later start
// finds the receiver under another name. Less than 0: the receiver is not in line; with
// JOURNAL_ALL_ENDS the receiver lacks the ends of all alarms, too. Any thread.
enum { JOURNAL_ALL_ENDS = 1 };
void journal_note_section(struct journal *journal, int receiver, int64_t section);

// The number of the section alone; whether the receiver lacks the ends of all alarms.
static inline int64_t journal_section_number(int64_t section)
{
    return llabs(section) & ~(int64_t)JOURNAL_ALL_ENDS;
}

static inline bool journal_section_lacks_all_ends(int64_t section)
{
    return section < 0 && (llabs(section) & JOURNAL_ALL_ENDS) != 0;
}

// Asks the running receiver with the name to bring itself into line with all ends, and notes this
// as its section; then call journal_wake. False: no such receiver runs. The wish is open until the
// receiver notes that it begins. Any thread.
bool journal_ask_line(struct journal *journal, const char *name);
bool journal_is_asked_line(const struct journal *journal, int receiver);

// Gives the cursor of a receiver that has ended to the name `to`, and forgets an ended receiver of
// that name. False: `from` has no cursor, or a receiver `to` runs. Any thread.
bool journal_rename_receiver(struct journal *journal, const char *from, const char *to);

// If the file was unreadable when the receiver began, and has an earlier cursor once the file is
// readable, then the cursor moves backwards. Returns true once after such a move: discard the
// events read beyond the cursor. The cursor does not advance before this call. Call the function
// after the first read of the healed journal: an earlier call may return false too soon. Any
// thread.
bool journal_cursor_was_set_back(struct journal *journal, int receiver);

// Sets `after` and returns `last`: when its cursor moved backwards, the receiver had the events of
// this run after `after`, up to `last`. 0: the cursor did not move backwards. Any thread.
int64_t journal_had_through(struct journal *journal, int receiver, int64_t *after);

// The receivers for which `runs` returns false are gone from now on: the journal keeps no more
// events for a gone receiver, but keeps the cursor in case the receiver comes back. Before the
// first call, the journal keeps events for the receivers of all cursors that were not gone. `runs`
// must not call the journal. Any thread.
void journal_end_receivers(struct journal *journal, bool (*runs)(void *ctx, const char *name),
                           void *ctx);

// A receiver whose cursor the journal has.
struct journal_receiver_state {
    char name[JOURNAL_RECEIVER_NAME_SIZE];
    int64_t cursor;
    int64_t gone_us; // UTC: since when the receiver has been gone; 0: not gone
    int64_t section; // 0: not known
};

// Lists the receivers, in no order, and returns how many there are. Any thread.
size_t journal_list_receivers(struct journal *journal,
                              struct journal_receiver_state out[JOURNAL_RECEIVERS_MAX]);

// Waits until there is an event after `after`; true: there is one. Gives up after `timeout_us`, or
// when `enough` becomes true: set it, then call journal_wake. Any thread.
bool journal_wait(struct journal *journal, int64_t after, int64_t timeout_us,
                  const atomic_bool *enough);
void journal_wake(struct journal *journal);

// Reads the events after `after`, at most `n`, in order, and returns the number of events; 0: there
// are none, or the disk fails. If the first number is greater than after + 1, the events between
// have expired. Any thread.
size_t journal_read(struct journal *journal, int64_t after, struct journal_item *items, size_t n);

// Reads an event, also before its commit: a reference, the caller's. NULL: the event expired, or
// the disk fails or hangs. Waits for the disk as journal_commit does. Writer's thread.
struct event *journal_find(struct journal *journal, int64_t sequence);

// The same for any thread, and only committed events. journal_read_one also finds an event that
// retention has deleted and an open alarm needs.
struct event *journal_read_at(struct journal *journal, int64_t sequence);
struct event *journal_read_one(struct journal *journal, int64_t sequence);

// Reads the events before `before`, at most `n`, newest first, and returns the number of events; 0:
// there are none, or the disk fails. Any thread.
size_t journal_read_back(struct journal *journal, int64_t before, struct journal_item *items,
                         size_t n);

// The same for events that retention has deleted, and that open alarms, or receivers who have yet
// to get an end, need.
size_t journal_read_kept_back(struct journal *journal, int64_t before, struct journal_item *items,
                              size_t n);

// Reads the committed events before `before` about possible failures of links: of the types
// link-down, link-interrupted, port-removed, flapping, link-errors-raised, alarm-cleared and
// cable-replaced. Newest first, until the array is full. Returns the number of events; 0: there are
// none, or the disk fails or hangs. Writer's thread.
size_t journal_read_links_back(struct journal *journal, int64_t before,
                               struct journal_item items[JOURNAL_LINKS_PAGE]);

int64_t journal_last(struct journal *journal); // the last committed sequence number

// How many events have numbers between `after` and `before`, excluding both. A start that could not
// read the file took numbers far ahead of the numbers in the file; such a gap does not count. Any
// thread.
int64_t journal_between(struct journal *journal, int64_t after, int64_t before);

// The first event in memory: this event and all later events are readable without the disk.
int64_t journal_first_in_memory(struct journal *journal);
void journal_get_status(struct journal *journal, struct journal_status *out); // any thread

// How long commits to disk took; valid until journal_close. Any thread.
const struct histogram *journal_commit_times(const struct journal *journal);
