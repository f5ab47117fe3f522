// SPDX-License-Identifier: BSD-2-Clause
// Batches for the parts of a sweep, with its options and its counters.
#ifndef IBTRAPD_IB_SWEEP_BATCH_H
#define IBTRAPD_IB_SWEEP_BATCH_H

#include "ib/sweep.h"

// A batch that ends after the time limit of a part. Free it with batch_free.
struct batch *sweep_batch_new(const struct sweep *sweep);

// Calls batch_run and adds the batch's counters to the sweep's. The sweep is not complete if the
// batch was ended.
bool sweep_batch_run(struct sweep *sweep, struct batch *batch, struct error *err);

// Whether the fabric had a node with that GUID before the sweep. Queries about such nodes come
// first, so that others do not use up the time.
bool sweep_batch_knows(const struct sweep *sweep, uint64_t guid);

#endif
