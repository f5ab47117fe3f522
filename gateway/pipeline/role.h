// SPDX-License-Identifier: BSD-2-Clause
// Decides which of two gateways on one subnet notifies receivers: with `active = "with-master-sm"`,
// the gateway at the port of the master SM. The subnet managers elect the master. Pipeline's
// thread.
//
// Decides: When is a gateway the active one?
#pragma once

#include "conf/conf.h"
#include "ib/sa_client.h"
#include "pipeline/pipeline.h"

// What the last sweeps showed; zero at the start.
struct role {
    int64_t unmanaged_since; // when sweeps began to show no master; monotonic; 0: a master is there
    bool stands_in;          // this gateway is active without a master
    bool decided;            // a sweep decided: `last` holds until PortInfo names another SM
    enum pipeline_role last;
    uint16_t sm_lid;
};

// The role now. `fabric`, the result of a sweep, decides. If `fabric` is NULL, the last sweep
// decides until PortInfo of the own port names another SM; then PortInfo decides. Sweeps see a new
// master before the master writes its address into all ports.
//
// A sweep without a master leaves the role unknown: a handover may be under way. After the
// configured time without a master, the gateway at the port of the last master is active. If the
// port of the last master has left the fabric, each gateway is active.
enum pipeline_role role_decide(struct role *role, const struct conf *conf,
                               const struct sa_status *status, const struct fabric *fabric);

// Says why the gateway is active or not: part of a sentence; empty: the gateway is always active.
// `fabric`: the result of the last sweep, or NULL.
const char *role_words(const struct conf *conf, const struct sa_status *status,
                       const struct fabric *fabric, bool active);
