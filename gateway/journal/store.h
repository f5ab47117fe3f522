// The journal's file: SQLite in WAL mode with synchronous=FULL, so that what is committed survives
// a power failure. One connection is one thread's at a time.
#ifndef IBTRAPD_JOURNAL_STORE_H
#define IBTRAPD_JOURNAL_STORE_H

#include "base/error.h"
#include "journal/maintenance_window.h"
#include "model/alarm.h"
#include "model/setting.h"

#include <stddef.h>
#include <stdint.h>

enum { STORE_SCHEMA_VERSION = 4, STORE_NAME_MAX = 64 };

// Events have numbers from 1 to this, which no journal reaches: what has another is damaged.
#define STORE_SEQUENCE_MAX (INT64_C(1) << 53)

enum store_result {
    STORE_OK,
    STORE_FAILED,       // not now: disk full, read-only, I/O error, locked
    STORE_CORRUPT,      // never again: the file is damaged or is no database
    STORE_FILE_MISSING, // never again: it is not where it was
};

// A row of the event table.
struct store_row {
    int64_t sequence;
    const char *id, *type;
    int64_t time_us;
    int severity;
    uint64_t node_guid;
    uint16_t report_lid; // of the Report that caused it; 0: none did
    uint64_t report_tid, report_digest;
    const uint8_t *record;
    size_t record_size;
};

// A snapshot of the fabric.
struct store_snapshot {
    int64_t number; // they rise; given by the file
    int64_t time_us;
    uint64_t digest;
    uint32_t nodes, links;
    const uint8_t *record; // NULL in a list
    size_t record_size;
};

struct store_size {
    int64_t first, last; // sequence numbers of events, 0 when there is none
    int64_t rows;        // as counted when this connection was opened, and what it changed since
    int64_t oldest_us;   // time of the first
    int64_t bytes;       // that the file uses
    int64_t snapshots,
        snapshot_bytes; // kept snapshots of the fabric, and what of `bytes` they take
};

struct store;

// Opens or makes the file, brings an older schema up to date, and refuses a newer one. For a
// second, reading connection say `read_only`.
enum store_result store_open(const char *path, bool read_only, struct store **out,
                             struct error *err);
void store_close(struct store *store); // NULL is allowed

// For a process that only looks at the file, whether ibtrapd runs or not: it needs no right to
// write where the file is, and leaves nothing there. STORE_FAILED, with what to do, when there is
// no journal or it may not be read.
enum store_result store_examine(const char *path, struct store **out, struct error *err);

// What was read of it holds. False with a sentence: ibtrapd did not run when it was opened, and has
// begun to write meanwhile.
bool store_stood_still(struct store *store, struct error *err);

// The file at the path is another one now, or none: what is written is nobody's any more.
bool store_has_moved(struct store *store);

// A transaction. After a failure within it, the rest does nothing and commit tells the first error:
// nothing of it is kept.
void store_begin(struct store *store);
void store_add_event(struct store *store, const struct store_row *row);
void store_set_cursor(struct store *store, const char *receiver, int64_t sequence);
void store_delete_cursor(struct store *store, const char *receiver);
int64_t store_delete_through(struct store *store, int64_t sequence, int64_t rows_max); // how many
void store_set_alarm(struct store *store, const struct alarm *alarm);
void store_delete_alarm(struct store *store, const char *key);
void store_delete_windows(struct store *store); // all
void store_add_window(struct store *store, const struct journal_maintenance *window);
void store_delete_settings(struct store *store); // all
void store_add_setting(struct store *store, const struct setting *setting);

// Adds a snapshot, unless the newest has the same digest, and deletes the oldest until there are
// `keep` at most and, but for the newest, `bytes_max` octets of them.
void store_add_snapshot(struct store *store, const struct store_snapshot *snapshot, int64_t keep,
                        int64_t bytes_max);
enum store_result store_commit(struct store *store, struct error *err);

// After each commit, once nobody waits for it any more: sees to it that what the WAL has goes into
// the file; without this it grows. STORE_FAILED: close all connections to the file, so that all of
// the WAL is moved when it is opened.
enum store_result store_move_wal(struct store *store, struct error *err);

// Rows with sequence > `after`, ascending, `limit` at most; what they point to is valid during the
// call of `each` only. `each` returns false to stop.
enum store_result store_read(struct store *store, int64_t after, size_t limit,
                             bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                             struct error *err);

// Likewise rows with sequence < `before`, descending.
enum store_result store_read_back(struct store *store, int64_t before, size_t limit,
                                  bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                                  struct error *err);

// The Reports of the rows since `since_us`, for finding repeats after a restart.
enum store_result store_read_since(struct store *store, int64_t since_us,
                                   bool (*each)(void *ctx, const struct store_row *row), void *ctx,
                                   struct error *err);

// The cursors of all receivers that ever had one. STORE_CORRUPT where one has no name, or is no
// number of an event and not 0.
enum store_result store_read_cursors(struct store *store,
                                     void (*each)(void *ctx, const char *receiver,
                                                  int64_t sequence),
                                     void *ctx, struct error *err);

// The active alarms, by the number of the event that raised each.
enum store_result store_read_alarms(struct store *store,
                                    void (*each)(void *ctx, const struct alarm *alarm), void *ctx,
                                    struct error *err);
enum store_result store_count_alarms(struct store *store, int64_t *out, struct error *err);

// The maintenance windows.
enum store_result store_read_windows(struct store *store,
                                     void (*each)(void *ctx,
                                                  const struct journal_maintenance *window),
                                     void *ctx, struct error *err);

// What was set by SNMP.
enum store_result store_read_settings(struct store *store,
                                      void (*each)(void *ctx, const struct setting *setting),
                                      void *ctx, struct error *err);

// The kept snapshots without their records, oldest first; and one with its record, by number or,
// for 0, the newest: `each` is not called when there is none.
enum store_result store_list_snapshots(struct store *store,
                                       void (*each)(void *ctx,
                                                    const struct store_snapshot *snapshot),
                                       void *ctx, struct error *err);
enum store_result store_read_snapshot(struct store *store, int64_t number,
                                      void (*each)(void *ctx,
                                                   const struct store_snapshot *snapshot),
                                      void *ctx, struct error *err);

// STORE_CORRUPT where the numbers of events cannot be.
enum store_result store_get_size(struct store *store, struct store_size *out, struct error *err);

// The first sequence number whose event is younger than `time_us`, or last + 1.
enum store_result store_first_since(struct store *store, int64_t time_us, int64_t *out,
                                    struct error *err);

// SQLite's own check of the whole file: STORE_OK, or STORE_CORRUPT with its first finding.
enum store_result store_check(struct store *store, struct error *err);

#endif
