// The writer's WAL. It has one size, so that the sync of a commit writes pages and nothing else;
// and a thread of its own moves what it has into the file, so that a commit hardly ever waits for
// that.
#ifndef IBTRAPD_JOURNAL_WAL_H
#define IBTRAPD_JOURNAL_WAL_H

#include <stdbool.h>

struct sqlite3;

enum {
    WAL_STEP_PAGES = 250,  // when there are so many more, they are moved
    WAL_FULL_PAGES = 3072, // when there are so many, it is to begin anew
    WAL_BYTES = 16 << 20,  // holds what comes until it does
};

// Brings the WAL of the file at `path`, which is open, to WAL_BYTES, before anybody writes. Where
// there is no room on the disk, it grows as it is used.
void wal_reserve(const char *path);

struct wal;

// A thread with a connection of its own, to a file that the writer has open. NULL where that is not
// possible: then the writer does all of it.
struct wal *wal_start(const char *path);

// Before the writer closes: waits for what is under way. False: the thread has failed, as in
// wal_move. NULL is allowed.
bool wal_stop(struct wal *wal);

// Writer's thread, after a commit: the WAL has so many pages. True when the writer is to move what
// is left, with wal_move: the WAL begins anew only with a commit that finds all of it in the file.
bool wal_note(struct wal *wal, int pages);

// Moves what can be moved now. False: the disk failed, and what was moved before may be lost, too.
// All of the WAL has to be moved again then, as it is when the file is opened anew.
bool wal_move(struct sqlite3 *db);
bool wal_has_failed(struct wal *wal); // the thread met that; NULL is allowed

#endif
