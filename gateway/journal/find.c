// SPDX-License-Identifier: BSD-2-Clause
// Reading events for the writer, which waits for the disk as it does for a commit.
#include "journal/journal_private.h"

#include <string.h>

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

void journal_drop_found_links(struct journal *journal)
{
    for (size_t i = 0; i < journal->found_link_count; i++)
        event_unref(journal->found_links[i].event);
    journal->found_link_count = 0;
}

// In the file's thread.
static void find_links_for_writer(void *ctx, int64_t before)
{
    struct journal *j = ctx;
    journal_drop_found_links(j);
    j->found_link_count = journal_find_links_in_file(j, before, j->found_links, JOURNAL_LINKS_PAGE);
}

size_t journal_read_links_back(struct journal *journal, int64_t before,
                               struct journal_item items[JOURNAL_LINKS_PAGE])
{
    if (!journal_run(journal, find_links_for_writer, before))
        return 0;
    const size_t count = journal->found_link_count;
    memcpy(items, journal->found_links, count * sizeof *items);
    journal->found_link_count = 0;
    return count;
}
