// SPDX-License-Identifier: BSD-2-Clause
// Batches for the parts of a sweep, with its options and its counters.
#ifndef IBTRAPD_IB_SWEEP_BATCH_H
#define IBTRAPD_IB_SWEEP_BATCH_H

#include "ib/sweep.h"

// NULL: out of memory. Free it with batch_free.
struct batch *sweep_batch_new(const struct sweep *sweep);

// Calls batch_run and adds the batch's counters to the sweep's.
bool sweep_batch_run(struct sweep *sweep, struct batch *batch, struct error *err);

#endif
