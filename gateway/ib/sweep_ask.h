// SPDX-License-Identifier: BSD-2-Clause
// The frame of the parts of a sweep. A part has a batch of requests, which ends after the time
// limit of a part. A part that asks ports by LID only chooses ports and attributes, and takes the
// answers.
#ifndef IBTRAPD_IB_SWEEP_ASK_H
#define IBTRAPD_IB_SWEEP_ASK_H

#include "ib/sweep.h"

struct sweep_part {
    struct sweep *sweep;
    struct fabric_builder *builder; // NULL: the part adds nothing to a fabric
    struct requests *batch;
    void *own;  // the part's own
    bool ended; // after sweep_part_end: by requests_end, or at the time limit
};

struct sweep_query;

// Gets the attribute in the answer. `data` is NULL if the query was given up, or if the answer has
// no such attribute or an error as its status.
typedef void sweep_take(struct sweep_part *part, const struct sweep_query *query,
                        const uint8_t *data, const struct request_answer *answer);

struct sweep_query {
    sweep_take *take;
    uint64_t guid; // of the port that answers: for its M_Key, or for a GRH
    uint32_t at;   // the part's: a node by the builder's number, for instance
    uint32_t modifier;
    uint16_t attribute;
    uint16_t lid;       // of the port that answers
    uint8_t mgmt_class; // MAD_CLASS_SMP_LID, MAD_CLASS_PERF or MAD_CLASS_DM
    uint8_t port;       // MAD_CLASS_PERF: whose counters are read; else the part's
};

void sweep_part_begin(struct sweep_part *part); // makes the batch
void sweep_part_ask(struct sweep_part *part, const struct sweep_query *query, bool next);

// Runs the batch, frees it, and adds its counters to the sweep's. The sweep is not complete if the
// batch was ended.
bool sweep_part_end(struct sweep_part *part, struct error *err);

// Whether the fabric had a node with this GUID before the sweep. Queries about known nodes come
// first, because other nodes may use up the time.
bool sweep_part_knows(const struct sweep_part *part, uint64_t guid);

#endif
