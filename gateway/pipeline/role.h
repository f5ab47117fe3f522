// SPDX-License-Identifier: BSD-2-Clause
// Decides which of two gateways on one subnet notifies receivers: with `active = "with-master-sm"`,
// the one whose port runs the master SM. The subnet managers elect the master. Pipeline's thread.
#ifndef IBTRAPD_PIPELINE_ROLE_H
#define IBTRAPD_PIPELINE_ROLE_H

#include "conf/conf.h"
#include "ib/sa_client.h"
#include "pipeline/pipeline.h"

// What the last sweeps showed; zero at the start.
struct role {
    int64_t unmanaged_since; // when they began to show no master; monotonic; 0: they show one
    bool stands_in;          // this gateway is active without one
    bool decided; // a sweep decided: `last` holds until PortInfo has another SM than then
    enum pipeline_role last;
    uint16_t sm_lid;
};

// The role now. `fabric` is the result of a sweep, which decides, or NULL: then PortInfo of the own
// port does, once it names another SM than at that sweep: a new master is seen by sweeps before it
// writes itself into all ports.
//
// A sweep without a master leaves the role unknown: a handover may be under way. If that lasts for
// the configured time, there is no subnet manager. Then the gateway at the port of the last master
// is active. If that port has left the fabric, each gateway is.
enum pipeline_role role_decide(struct role *role, const struct conf *conf,
                               const struct sa_status *status, const struct fabric *fabric);

// Says why the gateway is active or not: part of a sentence; empty: it always is. `fabric`: the
// result of the last sweep, or NULL.
const char *role_words(const struct conf *conf, const struct sa_status *status,
                       const struct fabric *fabric, bool active);

#endif
