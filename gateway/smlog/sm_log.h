// SPDX-License-Identifier: BSD-2-Clause
// Reads the log of the subnet manager on this host and its list of unhealthy ports, in a thread of
// its own, each second.
#pragma once

#include "event/event_builder.h"
#include "smlog/unhealthy_list.h"

enum { SM_LOG_BATCH_MAX = 64 };

struct sm_log_options {
    // A file, or "journald" or "journald:NAMESPACE"; empty: no log. Copied, as `place`.
    const char *path;
    const char *unhealthy; // the file of unhealthy_list.h, which outlives the result; empty: none
    const char *place;     // of the last run; empty: the present end of the log
    // Makes events of the occurrences and keeps the place, in one commit. May wait. False: nothing
    // was done; the occurrences come again.
    bool (*put)(void *ctx, const struct event_builder_occurrence *all, size_t n, const char *place);
    // Makes the alarms those of the list. May wait. False: nothing was done.
    bool (*compare)(void *ctx, const struct unhealthy_list *list);
    uint16_t (*sm_lid)(void *ctx); // of the subnet manager's port; 0: unknown
    void *ctx;
    struct log *log;
};

struct sm_log;

// NULL with a sentence: threads are short.
struct sm_log *sm_log_start(const struct sm_log_options *options, struct error *err);
void sm_log_stop(struct sm_log *sm_log); // NULL is allowed; call it before `put` is in vain
