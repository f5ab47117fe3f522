// SPDX-License-Identifier: BSD-2-Clause
// Reads OpenSM's messages in systemd's journal, with the contract of log_tail.h. The place is the
// cursor of the last message. A build without libsystemd has no journal: journal_tail_new returns
// NULL.
#pragma once

#include "base/log.h"

struct journal_tail;

// `name`: the namespace of the journal; empty: the journal of the system.
struct journal_tail *journal_tail_new(const char *name, const char *place, struct log *log);
void journal_tail_free(struct journal_tail *tail); // NULL is allowed
bool journal_tail_round(struct journal_tail *tail, bool (*each)(void *ctx, const char *line),
                        void *ctx);
void journal_tail_place(const struct journal_tail *tail, char *out, size_t size);
