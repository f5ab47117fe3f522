// SPDX-License-Identifier: BSD-2-Clause
// Who wants to hear what is done with the journal's file while that takes its time.
#ifndef IBTRAPD_JOURNAL_WATCH_H
#define IBTRAPD_JOURNAL_WATCH_H

// `step` is called at the begin of each part, and about every millisecond in which SQLite makes
// progress, in the thread that opens the file. `doing`: such as "counting its events"; valid during
// the call.
struct journal_watch {
    void (*step)(void *ctx, const char *doing); // NULL: nobody listens
    void *ctx;
};

#endif
