// SPDX-License-Identifier: BSD-2-Clause
// The frame of the parts of a sweep. A part has a batch of requests, which ends after the time
// limit of a part. The part chooses nodes and attributes, and takes the answers.
#pragma once

#include "ib/sweep.h"

struct sweep_part {
    struct sweep *sweep;
    struct fabric_builder *builder;  // NULL: the part adds nothing to a fabric
    struct sweep_branches *branches; // for MAD_CLASS_SMP_DIRECT
    bool is_optional;                // the sweep is complete without the part
    void *own;                       // the part's own
    struct requests *batch;
    bool ended; // after sweep_part_end: by requests_end, or at the time limit
};

struct sweep_query;

// Takes the answer to a query, or the end of its attempts.
typedef void sweep_take(struct sweep_part *part, const struct sweep_query *query,
                        const struct request_answer *answer);

struct sweep_query {
    sweep_take *take;
    uint64_t guid;     // of the port that answers: for its M_Key, or for a GRH
    uint32_t at;       // MAD_CLASS_SMP_DIRECT: the branch; else the part's, a node for instance
    uint32_t modifier; // MAD_CLASS_PERF: the port whose counters are read
    uint16_t attribute;
    uint16_t lid; // of the port that answers; not for MAD_CLASS_SA and MAD_CLASS_SMP_DIRECT
    uint8_t mgmt_class;
    uint8_t port; // the part's; MAD_CLASS_VENDOR: whose register is read; 0: the device's
    uint8_t page; // MAD_CLASS_VENDOR: enum register_page; REGISTER_PAGES: GeneralInfo
    bool next;    // ask before all queries that wait
};

void sweep_part_begin(struct sweep_part *part); // makes the batch
void sweep_part_ask(struct sweep_part *part, const struct sweep_query *query);

// Runs the batch, frees it, and adds its counters to the sweep's. The sweep is not complete if the
// batch of a part was ended, unless the part is optional.
bool sweep_part_end(struct sweep_part *part, struct error *err);

// A whole part: begins, calls `ask` with the part for each port of the builder, and ends.
bool sweep_part_run(struct sweep_part *part,
                    void (*ask)(void *part, uint32_t node, struct fabric_port *port),
                    struct error *err);

// Ends the silence of ports whose links were found from the other end. Counts the ports whose links
// the SA hides. The sweep is not complete if another port is silent, or a port is not known.
void sweep_check_silence(struct sweep *sweep, struct fabric_builder *builder);

// The M_Key for the port with this GUID; 0: none.
uint64_t sweep_part_mkey(const struct sweep_part *part, uint64_t guid);

// The node with this GUID in the fabric before the sweep; NULL: the fabric had no such node.
// Queries about known nodes come first, because other nodes may use up the time.
const struct fabric_node *sweep_part_known(const struct sweep_part *part, uint64_t guid);
