// SPDX-License-Identifier: BSD-2-Clause
// The parts of a sweep. Each blocks the sweeper's thread until it is done, and adds to a builder.
// False with a sentence: the port is gone, memory is short, or the sweep was stopped. A node or
// port that does not answer is no error: it is missing from the builder, and `complete` becomes
// false if that can hide a part of the fabric.
#ifndef IBTRAPD_IB_SWEEP_H
#define IBTRAPD_IB_SWEEP_H

#include "base/random.h"
#include "ib/batch.h"
#include "model/counter.h"
#include "model/fabric.h"
#include "model/fabric_builder.h"

struct sweep {
    struct batch_options batch;
    const struct random *random;
    struct mad_port port; // the own port, as the SA client read it last: LID, SM's LID and SL
    uint64_t mkey;        // 0: none
    bool complete;        // true at first
    struct batch_counters counters; // sums over all parts
};

// Finds nodes, ports and links by directed-route SMPs, from the own port on (IBA 14.2). Marks
// silent ports.
bool sweep_smp(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// Finds them by three queries to the SA, for NodeRecords, PortInfoRecords and LinkRecords
// (IBA 15.2.5).
bool sweep_sa(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// Reads the SMInfo of every port with IsSM. If it does not answer, the port has IsSM, but there is
// no fabric_sm for it.
bool sweep_subnet_managers(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// Reads IOUnitInfo and IOControllerProfiles of every port with IsDeviceManagement (IBA 16.3). Marks
// a node as unit_silent if its unit did not answer every query.
bool sweep_io_units(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// The nodes whose counters are read.
struct sweep_choice {
    bool switches_only;
    const uint64_t *guids; // only these nodes; NULL: all
    size_t count;
};

// Reads the counters of the chosen nodes' active ports; where GUIDs are given, of all ports that
// are not down, as a link that came up a moment ago is not active yet: PortCounters, and
// PortCountersExtended where the port has it (for the traffic or for all counters). Free `out` with
// free(3). Never resets a counter.
bool sweep_counters(struct sweep *sweep, const struct fabric *fabric,
                    const struct sweep_choice *choice, struct counter_reading **out,
                    struct error *err);

#endif
