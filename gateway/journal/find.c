// SPDX-License-Identifier: BSD-2-Clause
// Reading one event for the writer, which waits for the disk as it does for a commit.
#include "journal/journal_private.h"

// In the file's thread.
static void find_for_writer(void *ctx, int64_t sequence)
{
    struct journal *j = ctx;
    event_unref(j->found); // one for which the writer did not wait
    j->found = journal_find_in_file(j, sequence);
}

struct event *journal_find(struct journal *journal, int64_t sequence)
{
    struct event *event = NULL;
    if (!journal_find_in_memory(journal, sequence, &event) &&
        journal_run(journal, find_for_writer, sequence)) {
        event = journal->found;
        journal->found = NULL;
    }
    return event;
}
