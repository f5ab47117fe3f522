// SPDX-License-Identifier: BSD-2-Clause
// Decides which of two gateways on one subnet notifies receivers: with `active = "with-master-sm"`,
// the one whose port runs the master SM. The subnet managers elect the master.
#ifndef IBTRAPD_PIPELINE_ROLE_H
#define IBTRAPD_PIPELINE_ROLE_H

#include "conf/conf.h"
#include "ib/sa_client.h"
#include "pipeline/pipeline.h"

// The role by the PortInfo of the gateway's own port.
enum pipeline_role role_of_port(const struct conf *conf, const struct sa_status *status);

// The role by a sweep's result: unknown when no subnet manager says that it is the master.
enum pipeline_role role_of_fabric(const struct conf *conf, const struct sa_status *status,
                                  const struct fabric *fabric);

// Says why the gateway is active or not: part of a sentence.
const char *role_words(const struct conf *conf, bool active);

#endif
