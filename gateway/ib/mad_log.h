// SPDX-License-Identifier: BSD-2-Clause
// Writes MADs to the debug log: one line for each MAD sent or received, which names peer, method,
// attribute and TransactionID and, for an answer, its status and duration. Never writes M_Keys and
// SA keys.
#ifndef IBTRAPD_IB_MAD_LOG_H
#define IBTRAPD_IB_MAD_LOG_H

#include "base/clock.h"
#include "base/log.h"
#include "ib/mad_io.h"

#include <stdatomic.h>

enum { MAD_LOG_SENT_MAX = 512 };

// The times at which the last few hundred requests were sent, by TransactionID. Filled in only
// while the folder's level is debug.
struct mad_log {
    struct log *log; // NULL: none
    const struct clock *clock;
    struct {
        _Atomic uint32_t tid;
        _Atomic int64_t at; // monotonic microseconds; 0: none
    } sent[MAD_LOG_SENT_MAX];
};

void mad_log_init(struct mad_log *mad_log, struct log *log, const struct clock *clock);

// `mad` has MAD_SIZE octets. `error`: why it was not sent; NULL: it was sent. Any thread.
void mad_log_sent(struct mad_log *mad_log, const struct mad_address *to, const uint8_t *mad,
                  const char *error);
void mad_log_received(struct mad_log *mad_log, const struct mad_received *in); // any thread

#endif
