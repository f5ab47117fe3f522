// What the files of the journal share; nobody else includes this. The lock is taken before those of
// the alarms, the windows and the settings; the reader's is never taken beside it.
#ifndef IBTRAPD_JOURNAL_JOURNAL_PRIVATE_H
#define IBTRAPD_JOURNAL_JOURNAL_PRIVATE_H

#include "journal/journal.h"

#include "journal/alarms.h"
#include "journal/maintenance_windows.h"
#include "journal/packed.h"
#include "journal/setting_rows.h"
#include "journal/store.h"

#include <pthread.h>
#include <stdatomic.h>

// One of the two is there.
struct entry {
    struct event *event;
    struct packed *packed;
    struct journal_report report;
};

struct cursor {
    char name[STORE_NAME_MAX + 1];
    int64_t sequence, saved;
    bool active;         // a receiver of this run
    bool forgotten;      // to be deleted from the file; then the place is free
    bool provisional;    // begun while the file could not be read
    bool set_back;       // and then it told another place
    int64_t had_through; // of this run, when it was set back
};

// The snapshot that waits for the next commit.
struct waiting_fabric {
    struct journal_snapshot meta;
    uint8_t *record; // NULL: none waits
    size_t size;
};

struct journal {
    struct journal_options options;
    char path[256];
    struct alarms *alarms;               // has its own lock
    struct maintenance_windows *windows; // likewise
    struct setting_rows *settings;       // likewise

    // The writer's own.
    struct store *writer; // NULL while degraded
    int lock_fd;          // of the directory's lock; -1: not taken yet
    bool locked_out;      // another process has it
    bool unread;     // the file was not read since the start; numbers do not go on after its own
    bool begun_anew; // the file was set aside
    int64_t retry_at, prune_at, status_at, pack_at;
    int64_t packed_through, to_pack_through; // events in memory
    struct log_limit alarms_limit;
    bool fabric_saved; // in this file, with `fabric_digest`
    uint64_t fabric_digest;

    atomic_int_fast64_t asked_age_us; // 0: nobody asked to prune
    struct histogram commit_times;

    pthread_mutex_t lock;
    pthread_cond_t grown;
    // Sequence numbers: memory holds first_kept..appended; committed ones are readable, stored ones
    // are on disk.
    struct entry memory[JOURNAL_MEMORY_MAX];
    int64_t first_kept, appended, committed, stored;
    int64_t begun_after; // the number before the first of this run
    int64_t file_last;   // the last of the file before; 0 while it was not read
    struct cursor cursors[JOURNAL_RECEIVERS_MAX];
    size_t cursor_count;
    struct journal_status status;
    int64_t looked_at;            // `stored` when the file's size was taken for the status
    struct waiting_fabric fabric; // the writer may read it without the lock

    pthread_mutex_t reader_lock;
    struct store *reader;             // opened when somebody reads what memory no longer has
    atomic_bool reader_found_corrupt; // the writer has to set the file aside
};

static inline struct entry *journal_slot(struct journal *j, int64_t sequence)
{
    return &j->memory[sequence % JOURNAL_MEMORY_MAX];
}

void journal_release(const struct entry *entry); // what it has

// The file (file.c). The writer's thread only.

// Opens it, or says why not, in the log and the status. At most once a second.
bool journal_open_file(struct journal *journal);

// It could not be written, for the reason in `err`: it is closed, and set aside when it is damaged.
void journal_lose_file(struct journal *journal, enum store_result result, struct error *err);

// It was written.
void journal_file_works(struct journal *journal);

// Cursors (cursors.c).

enum store_result journal_load_cursors(struct journal *journal, struct error *err);

// With the lock held, after a commit in which it was saved so, or forgotten.
void journal_cursor_committed(struct cursor *cursor, int64_t saved, bool forget);

// Of the receivers that are there; the last committed sequence number without any.
int64_t journal_least_cursor(struct journal *journal);

// Snapshots of the fabric (fabrics.c). The writer's thread only.

void journal_add_snapshot(struct journal *journal); // the one that waits, to the transaction
void journal_snapshot_committed(struct journal *journal);

// What they may take of the file; the newest may be larger.
int64_t journal_snapshot_bytes_max(const struct journal *journal);

// Reading (read.c).

// Makes `reader` usable, for one thread at a time until journal_end_reading.
enum store_result journal_begin_reading(struct journal *journal, struct error *err);
void journal_end_reading(struct journal *journal, enum store_result result);

void journal_drop_reader(struct journal *journal); // with its lock held
void journal_close_reader(struct journal *journal);

#endif
