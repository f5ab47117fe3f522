// SPDX-License-Identifier: BSD-2-Clause
// Shared by the files of journal/ only. Order of locks: `notify_lock` or `reader_lock`, then
// `lock`, then the locks of alarms, windows, settings, node numbers and shared events.
#pragma once

#include "journal/journal.h"

#include "journal/disk.h"
#include "journal/mirror.h"
#include "journal/shared_events.h"
#include "journal/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

struct packed; // immutable

// An event in memory, and the event in the form that the file has. Memory drops the former first,
// once the receivers that keep up have read it.
struct entry {
    struct event *event; // NULL: dropped
    struct packed *packed;
    struct journal_report report;
};

struct cursor {
    struct store_cursor row;         // for the file; without a name the place is free
    bool active;                     // a receiver of this run
    bool backlog;                    // was gone, and goes on at its cursor
    bool provisional;                // begun before the file could be read
    char former[STORE_NAME_MAX + 1]; // the name at that time; empty: the same
    bool set_back;                   // the file, once readable, had an earlier cursor
    int64_t had_through;             // last event of this run before the cursor was set back
    atomic_bool asked;               // to be brought into line (journal_ask_line)
};

enum { JOURNAL_MIRRORS = STORE_TABLES };

// A snapshot that the next commit saves, or a snapshot that was read.
struct waiting_fabric {
    struct journal_snapshot meta;
    uint8_t *record; // NULL: there is none
    size_t size;
};

// The disk does not read events that some receiver has yet to get.
struct unreadable {
    int64_t after;       // the first event of the attempts has a greater number
    int64_t since, last; // monotonic: the first and the last failed attempt; 0: none
};

// Events that a receiver had yet to get are being lost.
struct dropping {
    bool active;
    uint64_t lost;    // so far
    int64_t through;  // the last number among them
    int64_t quiet_at; // monotonic: the end of the loss, unless more events are lost
    char reason[256]; // of the first loss
};

// What a transaction writes, noted when the transaction begins.
struct commit_plan {
    int64_t first, last; // events
    struct waiting_fabric fabric;
    size_t octets;  // of the events' records
    size_t cursors; // that the transaction wrote
};

struct journal {
    struct journal_options options;
    char path[256];
    struct mirror *mirrors[JOURNAL_MIRRORS]; // by enum store_table

    struct disk *disk; // says whose turn it is; before, journal_open has the file

    // Only the thread whose turn it is uses the members, except the atomic members.
    struct store *_Atomic writer; // NULL while degraded
    int lock_fd;                  // of the directory's lock; -1: not taken yet
    bool locked_out;              // another process has it
    bool unread;     // the file was not read since the start; numbers do not continue those in it
    bool begun_anew; // the old file was renamed, and a new one begun
    bool runs;       // journal_open has ended
    bool condemned;  // the file is damaged: a new file has to take its place
    char why[256];   // the reason
    bool replaced;   // the file was removed, or another file was moved into its place
    struct store *orphan;         // the open file, removed from its path
    bool cursors_lost;            // cursors could not be read at the start
    unsigned rescue_attempts;     // failed ones in a row
    dev_t device;                 // of the file
    ino_t inode;                  // 0: not known
    atomic_int_fast64_t identity; // store_identity, checked by readers; 0: not known
    int64_t retry_at, status_at;
    atomic_int_fast64_t prune_at;
    int64_t held_told; // octets of the WAL held at the last warning; 0: no warning
    struct commit_plan plan;
    struct entry writing[JOURNAL_MEMORY_MAX]; // references to the events of the plan
    // The cursors of the file and those of the transaction, in the places of `cursors`; and the
    // places of the transaction: how many, and the next.
    struct store_cursor in_file[JOURNAL_RECEIVERS_MAX], written[JOURNAL_RECEIVERS_MAX];
    size_t written_count, written_next;

    // The last wish of the writer from the file: the file's thread sets the members, and the writer
    // takes them after the end of the work. NULL: none.
    struct event *found;
    struct journal_item found_links[JOURNAL_LINKS_PAGE];
    size_t found_link_count;

    struct log_limit alarms_limit; // used by the writer only
    int64_t clock_offset;          // UTC less monotonic time, which ends follow; the writer only

    atomic_int_fast64_t asked_age_us; // of a request to prune; 0: there is none
    struct histogram commit_times;

    // Held from a change of the state until `notify` has reported the change: reports come one at a
    // time, in the order of the changes.
    pthread_mutex_t notify_lock;

    pthread_mutex_t lock;
    pthread_cond_t grown;
    // Sequence numbers: memory holds first_kept..appended; committed ones are readable, stored ones
    // are on disk.
    struct entry memory[JOURNAL_MEMORY_MAX];
    int64_t first_kept, appended, committed, stored;
    int64_t dropped_through, to_drop_through; // events of which memory keeps the packed form
    int64_t drop_at;
    int64_t begun_after; // the number before the first of this run
    int64_t file_last;   // the last number in the file before; 0: the file was not read yet
    bool read_late;      // the file has been read since, unknown to the writer
    struct cursor cursors[JOURNAL_RECEIVERS_MAX];
    size_t cursor_count;
    struct mirror cursor_mirror; // of the cursors; has `lock`
    atomic_bool has_several;     // several receivers run: events are for_several (model/event.h)
    bool receivers_known;        // false: every cursor that is not gone has a receiver
    struct journal_status status;
    int64_t counted_through; // `stored` when the file's size was taken for the status
    struct waiting_fabric fabric;
    const uint8_t *fabric_writing; // its record, if a transaction has it; else NULL
    bool fabric_saved;             // in this file, with `fabric_digest`
    uint64_t fabric_digest;
    struct dropping dropping;
    bool listener_heard; // of a loss that journal_open found
    int64_t missing;     // events that a receiver had yet to get, and the file lacked when it was
                         // read; until the listener is there

    struct shared_events shared; // has its own lock

    pthread_mutex_t reader_lock;
    struct store *reader;             // opened for the first read of events no longer in memory
    atomic_bool reader_found_corrupt; // makes the writer replace the file
    struct unreadable unreadable;
    atomic_bool reader_gave_up; // the same, after a long time of attempts
    struct log_limit reader_limit;
};

// Packed events (read.c): an event in memory in the form of the file, some hundred octets instead
// of more than 3,000.

struct packed *packed_new(const struct event *event); // a reference
struct packed *packed_ref(struct packed *packed);     // another reference
void packed_unref(struct packed *packed);             // NULL is allowed

// Fills the columns of the event, which point into `packed`.
void packed_fill_row(const struct packed *packed, struct store_row *row);

static inline struct entry *journal_slot(struct journal *j, int64_t sequence)
{
    return &j->memory[sequence % JOURNAL_MEMORY_MAX];
}

static inline void journal_release(const struct entry *entry) // its references
{
    event_unref(entry->event);
    packed_unref(entry->packed);
}

// The file (file.c). For the file's thread only, also the following functions unless a function
// says otherwise.

// Opens the file, or gives the reason of the failure in log and status. Tries once a second at
// most.
bool journal_open_file(struct journal *journal);

// A write failed, as `err` says: closes the file, and renames a damaged file.
void journal_lose_file(struct journal *journal, enum store_result result, struct error *err);

// The file does not work, for the given reason: the journal is degraded. Without a reason: the file
// works. Any thread.
void journal_set_problem(struct journal *journal, const char *problem);

// Mirrored tables. The file that keeps a table also has the functions of journal.h for the table.
// A mirror has a lock of its own; `directory`, of the journal, and `clock` stay the caller's.

struct mirror *alarms_new(const struct random *random, const struct clock *clock);
struct mirror *maintenance_windows_new(const struct clock *clock);
struct mirror *snmp_settings_new(const char *directory);
struct mirror *node_number_rows_new(void);
struct mirror *device_rows_new(void);

// Alarms at most, with the cleared alarms that are still in the file; further ones are refused.
enum { ALARMS_MAX = 524288 };

// Raises or clears the alarm of an event. Returns false if there is no room. Writer's thread.
bool alarms_apply(struct journal *journal, const struct event *event, int64_t sequence);

// Moves all ends of shelvings, or of windows, by a step of the clock.
void alarms_move_ends(const struct journal *journal, int64_t step_us);
void maintenance_windows_move_ends(const struct journal *journal, int64_t step_us);

// The end of a window or a shelving, which the file has, and which has a length (0: not known). The
// clock may have been wrong: the end is `length_us` away at most, and a year.
int64_t maintenance_windows_end(const struct clock *clock, int64_t until_us, int64_t length_us);

// Notes in an event that raises or clears an alarm what the journal knows of the alarm: the number
// of the event that raised the open alarm first, and of the event that told receivers last.
void alarms_note_past(const struct journal *journal, struct event *event);

// An open alarm of which an event may be between two numbers.
struct alarm_events {
    char key[EVENT_KEY_SIZE];
    int64_t first, last, told; // the first raising event; the last event; as struct alarm has it
};

// Fills in at most `n` of the open alarms with a first event after `after` and up to `through`, and
// a last event from `since` on, in the order of the first events. Returns the number of alarms.
size_t alarms_list_events(const struct journal *journal, int64_t after, int64_t through,
                          int64_t since, struct alarm_events *out, size_t n);

// How many are active; `of` gets how many of each severity, and may be NULL.
size_t alarms_count(const struct journal *journal, size_t of[SEVERITY_DEBUG + 1]);

// Saves the communities between mirror_plan and the transaction: then a commit has all settings.
// After a crash in between, the file has the communities of a change whose other settings are lost.
// Returns false with a sentence if the disk failed. The file's thread.
bool journal_save_communities(struct journal *journal, struct error *err);

// Rescue (rescue.c).
// Decides: When is the journal's file replaced by a new one?
// In three cases: the file is damaged, or gives the numbers of new events to other events; for half
// a minute the disk does not read events that a receiver has yet to get; the file was removed, or
// another file was moved into its place.

// Marks everything in memory as unsaved: the next commit writes everything to a new file.
void journal_begin_file(struct journal *journal);

// Builds a new file with the events that receivers have yet to get, from the readable part of the
// old file (NULL: there is none), and with everything in memory except the events. Counts and
// reports the lost events. False with a sentence: not now, for instance without room. Call
// journal_finish_rescue next.
bool journal_rescue(struct journal *journal, struct store *from, struct error *err);

// Renames the old file and puts the new file in its place, if a rescue of this run or an earlier
// run has built a new file. False with a sentence: try again. Only the reader may have a connection
// to the old file.
bool journal_finish_rescue(struct journal *journal, struct error *err);

// Numbers (file.c, cursors.c). The first event of a run follows the greatest number of an event or
// a cursor in the file. Without a readable file, the first number comes from the time of day.
// Decides: How are events numbered after a start?

// How many events have numbers between `after` and `before`, excluding both. A gap from a start
// that could not read the file does not count.
int64_t journal_gap(int64_t after, int64_t before);

// Cursors (cursors.c).

void journal_init_cursors(struct journal *journal); // their mirror

// The least cursor of the receivers for which the journal keeps events, `most` at most; and the
// receiver's name, or "". `name` may be NULL.
int64_t journal_least_cursor(struct journal *journal, int64_t most, char name[STORE_NAME_MAX + 1]);

// Copies of events (kept_events.c).

// Keeps the events of `from` with numbers from `first` to `end` that open alarms need, in a
// transaction of `to`.
void journal_keep_told(struct journal *journal, struct store *from, struct store *to, int64_t first,
                       int64_t end);

// Keeps what a receiver needs that has the events up to `had`, of the events from `first` to `end`:
// those by which the alarms were told that were open then, and the last end behind `had` of each
// alarm, with the events by which the alarm was told.
void journal_keep_as_of(struct store *store, int64_t had, int64_t first, int64_t end);

// Retention (retention.c).

// Deletes events beyond the limits, and ends the alarm about lost events.
void journal_prune(struct journal *journal);

// Losses (cursors.c).

// Events up to `through` are lost, among them `count` events that some receiver had yet to get; -1:
// nobody knows how many. Counts the events, and reports the first loss. The reason is part of a
// sentence.
void journal_lose_events(struct journal *journal, int64_t count, int64_t through,
                         const char *reason);

// Reports the end of a loss, after a pause, once every receiver is beyond the lost events.
void journal_end_dropping(struct journal *journal);

// The WAL (file.c).

// After a move of the WAL: tells the admin, in log and status, of a program that reads the file
// without end and makes the WAL grow; and of the end of that reading.
void journal_watch_wal(struct journal *journal);

// The octets that snapshots may take of the file; the newest may be larger.
static inline int64_t journal_snapshot_bytes_max(const struct journal *journal)
{
    return journal->options.bytes_max / 4;
}

// Reading (read.c).

// Read an event: a reference, the caller's. NULL: the event expired, or cannot be read.
// journal_find_in_memory also finds an event before its commit; false: memory does not have the
// event. Any thread.
struct event *journal_find_in_file(struct journal *journal, int64_t sequence);
size_t journal_find_links_in_file(struct journal *journal, int64_t before,
                                  struct journal_item *items, size_t n);
void journal_drop_found_links(struct journal *journal); // that the writer did not take
bool journal_find_in_memory(struct journal *journal, int64_t sequence, struct event **out);

void journal_drop_reader(struct journal *journal); // with its lock held
void journal_close_reader(struct journal *journal);
