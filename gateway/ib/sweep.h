// The parts of a look at the fabric. Each blocks the sweeper's thread until it is done, and
// fills a builder; false with a sentence when the port is gone, memory is short or it was stopped.
// What does not answer is no error: it is missing, and `complete` becomes false where that can hide
// something.
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
    struct mad_port port; // the own port, as the SA agent last saw it: LID, SM's LID and SL
    uint64_t mkey;        // 0: none
    bool complete;        // in: true
    struct batch_counters counters; // added up
};

// Nodes, ports and links by directed-route SMPs, from the own port on (IBA 14.2). Marks ports as
// silent.
bool sweep_smp(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// The same from the SA's NodeRecords, PortInfoRecords and LinkRecords (IBA 15.2.5): three
// questions.
bool sweep_sa(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// SMInfo of every port with IsSM. One that does not answer stays without (its port still has IsSM).
bool sweep_subnet_managers(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// IOUnitInfo and IOControllerProfiles of every port with IsDeviceManagement (IBA 16.3). A node
// whose unit does not answer for all of it is marked.
bool sweep_io_units(struct sweep *sweep, struct fabric_builder *builder, struct error *err);

// PortCounters, and PortCountersExtended where the port has them (for the traffic alone, or for
// all), of the fabric's active ports: of all, or of switches only. `out` is made with malloc. Never
// resets a counter.
bool sweep_counters(struct sweep *sweep, const struct fabric *fabric, bool switches_only,
                    struct counter_reading **out, struct error *err);

#endif
