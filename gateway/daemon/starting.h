// SPDX-License-Identifier: BSD-2-Clause
// A start that takes long: an upgrade may read all of a large journal to make an index. While that
// makes progress, the service manager gives it more time, and it and the log say what is done. Main
// thread.
#ifndef IBTRAPD_DAEMON_STARTING_H
#define IBTRAPD_DAEMON_STARTING_H

#include "base/clock.h"
#include "base/log.h"
#include "base/notify.h"

enum {
    STARTING_MORE_S = 300, // a start without a step in this time has failed
    STARTING_TELL_S = 1,   // between two messages to the service manager
    STARTING_QUIET_S = 2,  // a start that takes no longer says nothing
    STARTING_LOG_S = 60,   // between two lines in the log
};

struct starting {
    struct notify notify;
    const struct clock *clock;
    struct log *log;
    int64_t begun_us, told_us, logged_us; // 0: not yet
};

// `socket` is $NOTIFY_SOCKET. Clock and log outlive it.
void starting_begin(struct starting *starting, const char *socket, const struct clock *clock,
                    struct log *log);

// A step of a struct journal_watch, whose ctx is the struct starting.
void starting_step(void *ctx, const char *doing);

void starting_end(struct starting *starting);

#endif
