// SPDX-License-Identifier: BSD-2-Clause
// The receivers whose cursors a journal has, one after the other.
#pragma once

#include "journal/journal.h"

static inline void journal_each_receiver(struct journal *journal,
                                         void (*each)(void *ctx,
                                                      const struct journal_receiver_state *state),
                                         void *ctx)
{
    struct journal_receiver_state all[JOURNAL_RECEIVERS_MAX];
    const size_t n = journal_list_receivers(journal, all);
    for (size_t i = 0; i < n; i++)
        each(ctx, &all[i]);
}
