// MADs in the debug log: one line for each that goes out or comes in, with what tells it from
// others and, for an answer, how long it took. No keys: M_Keys and SA keys are never written.
#ifndef IBTRAPD_IB_MAD_LOG_H
#define IBTRAPD_IB_MAD_LOG_H

#include "base/clock.h"
#include "base/log.h"
#include "ib/mad_io.h"

#include <stdatomic.h>

enum { MAD_LOG_SENT_MAX = 512 };

// When requests were sent, by TransactionID; what is older than the last few hundred is forgotten.
// Filled in only while the folder's level is debug.
struct mad_log {
    struct log *log; // NULL: none
    const struct clock *clock;
    struct {
        _Atomic uint32_t tid;
        _Atomic int64_t at; // monotonic microseconds; 0: none
    } sent[MAD_LOG_SENT_MAX];
};

void mad_log_init(struct mad_log *mad_log, struct log *log, const struct clock *clock);

// `mad` has MAD_SIZE octets; `error` is NULL, or why it was not sent. Any thread.
void mad_log_sent(struct mad_log *mad_log, const struct mad_address *to, const uint8_t *mad,
                  const char *error);
void mad_log_received(struct mad_log *mad_log, const struct mad_received *in); // any thread

#endif
