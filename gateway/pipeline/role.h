// Two gateways on one subnet, one set of events: with `active = "with-master-sm"` only the one
// whose port runs the master SM delivers. The election is the subnet managers' own.
#ifndef IBTRAPD_PIPELINE_ROLE_H
#define IBTRAPD_PIPELINE_ROLE_H

#include "conf/conf.h"
#include "ib/sa_client.h"
#include "pipeline/pipeline.h"

// As the port's own PortInfo tells.
enum pipeline_role role_of_port(const struct conf *conf, const struct sa_status *status);

// As a sweep found it: unknown when no subnet manager said that it is the master.
enum pipeline_role role_of_fabric(const struct conf *conf, const struct sa_status *status,
                                  const struct fabric *fabric);

// Why it is active or not: part of a sentence.
const char *role_words(const struct conf *conf, bool active);

#endif
