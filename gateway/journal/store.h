// SPDX-License-Identifier: BSD-2-Clause
// The journal's file: an SQLite database in WAL mode with synchronous=FULL; commits survive a power
// failure. One thread at a time uses a connection.
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "journal/journal.h"
#include "model/alarm.h"
#include "model/device_reading.h"
#include "model/node_numbers.h"
#include "model/setting.h"

#include <stddef.h>
#include <stdint.h>

enum { STORE_SCHEMA_VERSION = 15, STORE_NAME_MAX = 64 };

// The largest sequence number, which no journal reaches: a row with another number is damaged.
#define STORE_SEQUENCE_MAX (INT64_C(1) << 53)

// Up to which event a receiver has every event.
struct store_cursor {
    char receiver[STORE_NAME_MAX + 1];
    int64_t sequence;
    int64_t gone_us;      // UTC: since when the receiver has been gone; 0: not gone
    int64_t section;      // stands for the section of the configuration; 0: not known
    uint64_t filter;      // digest of the filter; 0: unknown
    int64_t filter_since; // the last event before the filter was in force; 0: no earlier filter
                          // is known
    int64_t began;        // the last event that the receiver may not know; 0: none
    int64_t lost;         // events that the receiver lacks, while the journal loses events
    int64_t told_again;   // the receiver was told again of the alarms that were open then, with
                          // events up to this number; 0: never with this filter
};

enum store_result {
    STORE_OK,
    STORE_FAILED,       // temporary: disk full, read-only, I/O error, locked
    STORE_CORRUPT,      // permanent: the file is damaged or is no database
    STORE_FILE_MISSING, // permanent: the file was removed or replaced
};

// The tables beside the table of events, and the type of a row.
// Decides: What does each table of the journal's file have?
enum store_table {
    STORE_CURSORS,      // struct store_cursor
    STORE_ALARMS,       // struct alarm
    STORE_WINDOWS,      // struct maintenance_window
    STORE_SETTINGS,     // struct setting
    STORE_NODE_NUMBERS, // struct node_number
    STORE_DEVICES,      // struct device_memory
    STORE_TABLES,
};

enum { STORE_ROWS_MAX = 16 }; // added by one statement

// A row of the event table.
struct store_row {
    int64_t sequence;
    const char *id, *type;
    int64_t time_us;
    int severity;
    uint64_t node_guid;
    uint16_t report_lid; // sender of the Report that caused the event; 0: no Report
    uint64_t report_tid, report_digest;
    const uint8_t *record;
    size_t record_size;
};

// A snapshot of the fabric.
struct store_snapshot {
    struct journal_snapshot meta; // the file assigns the number, ascending
    const uint8_t *record;        // NULL in a list
    size_t size;                  // of the record
};

struct store_size {
    int64_t first, last; // sequence numbers of events, 0 when there is none
    int64_t rows;        // counted when this connection was opened; follows its own changes
    int64_t oldest_us;   // time of the first event
    int64_t bytes;       // used in the file
    int64_t snapshots,
        snapshot_bytes; // number of snapshots of the fabric, and their part of `bytes`
};

struct store;

// Opens or creates the file, upgrades an older schema, and refuses a newer one. `read_only` opens a
// second connection for reading.
enum store_result store_open(const char *path, bool read_only, struct store **out,
                             struct error *err);
void store_close(struct store *store); // NULL is allowed

// As store_open to write; until store_end_watch, `watch` hears of the work with the connection,
// this call included. `watch` outlives store_end_watch.
enum store_result store_open_watched(const char *path, const struct journal_watch *watch,
                                     struct store **out, struct error *err);
void store_end_watch(struct store *store);

// Opens a damaged file for reading. A read that needs a damaged page fails.
enum store_result store_open_damaged(const char *path, struct store **out, struct error *err);

// Opens the file for a process that only reads, whether ibtrapd runs or not. Needs no permission to
// write in the directory, and leaves nothing there. STORE_FAILED, with advice: there is no journal,
// or the process may not read the journal.
enum store_result store_examine(const char *path, struct store **out, struct error *err);

// Whether the rows read through store_examine are consistent. False with a sentence: ibtrapd was
// started and has written since the file was opened.
bool store_stood_still(struct store *store, struct error *err);

// Whether the path now names another file, or none: writes to this connection would be lost.
bool store_has_moved(struct store *store);

// The random number in the file, made when the file was made or upgraded. Another number: another
// file, also if the file system gives the new file the inode of a removed file.
enum store_result store_identity(struct store *store, int64_t *out, struct error *err);

// A transaction. After a failure, the remaining calls do nothing, and store_commit returns the
// first error: no part of the transaction is kept.
void store_begin(struct store *store);

// Adds up to STORE_ROWS_MAX rows. STORE_ROWS_MAX rows are added by one statement of SQLite, which
// costs less. A row may be there already. If the number has another event, the transaction fails as
// STORE_CORRUPT.
void store_add_events(struct store *store, const struct store_row rows[], size_t count);
int64_t store_delete_through(struct store *store, int64_t sequence,
                             int64_t rows_max); // returns how many

// Keeps a copy of the event for the alarm with the key.
void store_keep_event(struct store *store, const struct store_row *row, const char *key);

// Drops the copies for the key with numbers less than `before`.
void store_drop_kept_of(struct store *store, const char *key, int64_t before);

// Drops the copies of alarms that are not open any more and that were noted as such before the
// number `first`. `last` is the number of the last event of the file.
void store_drop_kept(struct store *store, int64_t first, int64_t last);

// How many events have numbers from `after` + 1 to `through`, without the events about lost events.
int64_t store_count_wanted(struct store *store, int64_t after, int64_t through);

// A row is a struct of the type that enum store_table names. store_set_row replaces the row of the
// same key.
void store_set_row(struct store *store, enum store_table table, const void *row);
void store_delete_row(struct store *store, enum store_table table, const void *row); // by its key
void store_delete_rows(struct store *store, enum store_table table);                 // all

// Adds a snapshot, unless the newest has the same digest. Then deletes the oldest snapshots until
// at most `keep` remain, in at most `bytes_max` octets; the newest always stays.
void store_add_snapshot(struct store *store, const struct store_snapshot *snapshot, int64_t keep,
                        int64_t bytes_max);
enum store_result store_commit(struct store *store, struct error *err);

// Moves all of the WAL into the file; then the file alone has everything.
enum store_result store_finish(struct store *store, struct error *err);

// Of a store for writing: logs the moves of the WAL. `log` outlives the store.
void store_set_log(struct store *store, struct log *log);

// Moves pages of the WAL into the file, to bound the WAL. Call the function after each commit, when
// no caller waits for the commit any more. STORE_FAILED: close all connections to the file; the
// next opening moves all of the WAL.
enum store_result store_move_wal(struct store *store, struct error *err);

// Octets of the WAL that had to stay, because another connection reads an earlier state of the
// file. store_retry_wal tries again soon, also without a commit.
int64_t store_wal_held(struct store *store);
void store_retry_wal(struct store *store);

// The ways to read events.
enum store_order {
    STORE_AFTER,  // with numbers greater than `from`, ascending
    STORE_BEFORE, // with numbers less than `from`, descending
    // The same for events that may be about the failure of a link: of the types link-down,
    // link-interrupted, port-removed, flapping, link-errors-raised and alarm-cleared.
    STORE_LINKS_BEFORE,
    // The same as STORE_AFTER for the events that store_keep_event kept. Such a row has the number,
    // the record and, as `id`, the key of the alarm alone.
    STORE_KEPT_AFTER,
    STORE_KEPT_BEFORE, // likewise, as STORE_BEFORE
    STORE_SINCE,       // not older than `from` (UTC), ascending by number
};

// Calls `each` for rows, at most `limit`. A row and its pointers are valid during the call only.
// `each` returns false to stop. STORE_CORRUPT, too: the numbers are out of order, as on a damaged
// page; a reader could loop for ever.
enum store_result store_read(struct store *store, enum store_order order, int64_t from,
                             size_t limit, bool (*each)(void *ctx, const struct store_row *row),
                             void *ctx, struct error *err);

// How many events have numbers from `after` + 1 to `through`, according to the index of times
// alone.
enum store_result store_count_indexed(struct store *store, int64_t after, int64_t through,
                                      int64_t *out, struct error *err);

// Calls `each` for the rows of the table: alarms by the number of the event that raised the alarm,
// windows in the order of setting, node numbers ascending. An invalid node number becomes 0;
// settings that this version would not write are left out. Of a damaged file, `each` gets the node
// numbers before the damage, then the numbers behind the damage from the greatest number on.
// STORE_CORRUPT, too: a cursor has no name, an impossible number, or an impossible `gone_us`.
enum store_result store_read_rows(struct store *store, enum store_table table,
                                  void (*each)(void *ctx, const void *row), void *ctx,
                                  struct error *err);
size_t store_row_size(enum store_table table);
enum store_result store_count_alarms(struct store *store, int64_t *out, struct error *err);

// Calls `each` for the snapshot with the number (0: the newest) and its record, or not at all if
// there is no such snapshot. STORE_ALL_SNAPSHOTS: for every snapshot, oldest first, without its
// record.
enum { STORE_ALL_SNAPSHOTS = -1 };
enum store_result store_read_snapshots(struct store *store, int64_t number,
                                       void (*each)(void *ctx,
                                                    const struct store_snapshot *snapshot),
                                       void *ctx, struct error *err);

// STORE_CORRUPT: the sequence numbers are impossible.
enum store_result store_get_size(struct store *store, struct store_size *out, struct error *err);

// The first sequence number whose event is not older than `time_us` (UTC); 0: there is none.
enum store_result store_first_since(struct store *store, int64_t time_us, int64_t *out,
                                    struct error *err);

// After STORE_FAILED or STORE_CORRUPT: whether the disk does not read a part of the file or of the
// WAL. After some failed reads SQLite calls the file damaged; this function finds the failed reads,
// and may read all of the file.
bool store_disk_failed(struct store *store, enum store_result result);

// SQLite's integrity check of the whole file: STORE_OK, or STORE_CORRUPT with its first finding.
enum store_result store_check(struct store *store, struct error *err);
