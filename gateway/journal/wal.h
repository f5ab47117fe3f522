// SPDX-License-Identifier: BSD-2-Clause
// The write-ahead log (WAL) of the journal's file. The WAL has a fixed size: the sync of a commit
// writes pages only. A thread moves the pages into the file (a checkpoint): a commit seldom waits
// for a move.
#pragma once

#include "base/log.h"

#include <stdbool.h>

struct sqlite3;

enum {
    WAL_STEP_PAGES = 250,  // new pages until the thread moves pages
    WAL_FULL_PAGES = 3072, // pages after which the WAL has to begin anew
    WAL_BYTES = 16 << 20,  // its size: room for all pages until the WAL begins anew
    WAL_PAGE_BYTES = 4096,
};

// Extends the WAL of the open file at `path` to WAL_BYTES, before the first write. If the disk has
// no room, the WAL grows with its use.
void wal_reserve(const char *path);

struct wal;

// Starts the thread, which has a connection of its own to a file that the writer has open. If the
// thread cannot start, the writer moves all pages. The other functions are for the writer's thread.
struct wal *wal_start(const char *path);
void wal_set_log(struct wal *wal, struct log *log); // `log` outlives the WAL

// Stops the thread, before the writer closes the file; waits for work under way. False: the thread
// has failed, as in wal_move. NULL is allowed.
bool wal_stop(struct wal *wal);

// Call wal_note after a commit: the WAL has `pages` pages. True: the writer has to call wal_move,
// because the WAL begins anew only with a commit that finds all pages of the WAL in the file.
bool wal_note(struct wal *wal, int pages);

// Moves the pages that no reader holds. False: the disk failed, and pages moved before may be lost,
// too. Then all of the WAL has to be moved again: open the file anew.
bool wal_move(struct wal *wal, struct sqlite3 *db);

// How many pages the last move had to leave, because a connection, for instance of another program,
// reads an earlier state of the file. The WAL cannot begin anew until the end of that reading.
int wal_left(struct wal *wal);

void wal_retry(struct wal *wal);      // lets the thread try once more, unless the thread is at work
bool wal_has_failed(struct wal *wal); // in the thread
