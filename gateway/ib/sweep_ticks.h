// SPDX-License-Identifier: BSD-2-Clause
// What the ports said of the ticks of their PortXmitWait (PortSamplesControl, IBA 16.1.3.2), kept
// from one reading to the next: a port is asked once for each rate of its link. Sweeper's thread.
#ifndef IBTRAPD_IB_SWEEP_TICKS_H
#define IBTRAPD_IB_SWEEP_TICKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWEEP_TICKS_TRIES = 3 }; // readings in which a port may leave the query unanswered

struct sweep_tick {
    uint64_t node_guid;
    uint16_t tick;  // as in struct counter_sample
    uint16_t speed; // of the link when it was asked, as is the next
    uint8_t port, width;
    uint8_t unanswered; // readings in a row; SWEEP_TICKS_TRIES: it is not asked any more
    bool known;         // it answered; `tick` 0: that it does not say
};

struct sweep_ticks;

struct sweep_ticks *sweep_ticks_new(void);
void sweep_ticks_free(struct sweep_ticks *ticks); // NULL is allowed

// Fills in the rest of `one`, whose node, port, speed and width are set, from the last reading.
// Leaves it as it is if that one did not have the port with that link rate. `ticks` may be NULL.
void sweep_ticks_recall(const struct sweep_ticks *ticks, struct sweep_tick *one);

// Keeps these for the next reading, instead of those before: ascending by node and port. Takes over
// the array, which is free(3)d later.
void sweep_ticks_keep(struct sweep_ticks *ticks, struct sweep_tick *all, size_t count);

#endif
