// SPDX-License-Identifier: BSD-2-Clause
// The numbers of events.
#include "journal/journal_private.h"

// A gap of at least this size between two numbers is no loss of events: it comes from a start that
// could not read the file.
#define JUMP (INT64_C(1) << 25)

int64_t journal_last(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t last = journal->committed;
    pthread_mutex_unlock(&journal->lock);
    return last;
}

int64_t journal_first_in_memory(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    int64_t first = journal->first_kept;
    pthread_mutex_unlock(&journal->lock);
    return first;
}

int64_t journal_gap(int64_t after, int64_t before)
{
    int64_t n = before - after - 1;
    return n > 0 && n < JUMP ? n : 0;
}

int64_t journal_between(struct journal *journal, int64_t after, int64_t before)
{
    pthread_mutex_lock(&journal->lock);
    int64_t begun = journal->begun_after, in_file = journal->file_last;
    pthread_mutex_unlock(&journal->lock);
    int64_t first = after;
    if (after < begun && begun < before) // as many as without the gap
        first = begun - (in_file > after ? in_file - after : 0);
    return journal_gap(first, before);
}
