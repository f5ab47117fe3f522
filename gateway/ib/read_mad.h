// SPDX-License-Identifier: BSD-2-Clause
// The MADs of reads on demand (ib/reads.h). Pure functions.
#ifndef IBTRAPD_IB_READ_MAD_H
#define IBTRAPD_IB_READ_MAD_H

#include "ib/mad_io.h"
#include "model/demand.h"

enum mad_agent read_mad_agent(const struct demand_key *key);

// Writes the MAD_SIZE octets of the request, with TransactionID zero. `mkey` goes with an SMP; 0:
// none.
void read_mad_make(const struct demand_key *key, uint64_t mkey, uint8_t *out);

// The content of an answer that fits: one reference, the caller's. Returns NULL if the answer's
// status is an error, or if the answer is malformed.
struct demand_answer *read_mad_read(const struct demand_key *key, const uint8_t *mad, size_t size);

#endif
