// SPDX-License-Identifier: BSD-2-Clause
// A program that reads the journal's file in one transaction without end, such as a forgotten shell
// of SQLite: the WAL cannot begin anew, and grows. Nothing but the end of that transaction bounds
// it, so the admin hears of it.
#include "journal/journal_private.h"

#include "journal/wal.h"

#include <stdio.h>

static void held_wal_warn(struct journal *j, const char *warning)
{
    pthread_mutex_lock(&j->lock);
    snprintf(j->status.warning, sizeof j->status.warning, "%s", warning);
    pthread_mutex_unlock(&j->lock);
}

static void held_wal_tell(struct journal *j, int64_t held)
{
    char warning[sizeof j->status.warning];
    snprintf(warning, sizeof warning,
             "another program reads the journal's file without end: the WAL, %s-wal, has to keep "
             "%lld MiB for it, and grows until it fills the disk; "
             "'lslocks -o COMMAND,PID,PATH | grep journal.db-shm' as root names that program; end "
             "it",
             j->path, (long long)(held >> 20));
    held_wal_warn(j, warning);
    log_write(j->options.log, LOG_LEVEL_WARNING, "%s", warning);
}

void journal_watch_wal(struct journal *journal)
{
    int64_t held = store_wal_held(journal->writer);
    // Once it is as large as the WAL should be, and each time that it has doubled.
    if (held >= WAL_BYTES && held >= 2 * journal->held_told) {
        held_wal_tell(journal, held);
        journal->held_told = held;
    } else if (held < WAL_BYTES && journal->held_told > 0) {
        held_wal_warn(journal, "");
        log_write(journal->options.log, LOG_LEVEL_INFO,
                  "no other program keeps the WAL of the journal from beginning anew any more");
        journal->held_told = 0;
    }
    if (journal->held_told > 0)
        store_retry_wal(journal->writer);
}
