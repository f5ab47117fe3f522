// SPDX-License-Identifier: BSD-2-Clause
// The MADs of reads on demand (ib/demand.h). Pure functions.
#ifndef IBTRAPD_IB_DEMAND_MAD_H
#define IBTRAPD_IB_DEMAND_MAD_H

#include "ib/mad_io.h"
#include "model/demand.h"

enum mad_agent demand_mad_agent(const struct demand_key *key);

// Writes the MAD_SIZE octets of the request, with TransactionID zero. `mkey` goes with an SMP; 0:
// none.
void demand_mad_make(const struct demand_key *key, uint64_t mkey, uint8_t *out);

// Whether the MAD is an answer to such a request, of whatever status.
bool demand_mad_fits(const struct demand_key *key, const uint8_t *mad, size_t size);

// The content of an answer that fits: one reference, the caller's. Returns NULL if the answer's
// status is an error, or if the answer is malformed.
struct demand_answer *demand_mad_read(const struct demand_key *key, const uint8_t *mad,
                                      size_t size);

#endif
