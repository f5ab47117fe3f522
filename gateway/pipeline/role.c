// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/role.h"

enum pipeline_role role_of_port(const struct conf *conf, const struct sa_status *status)
{
    if (!conf->fabric.with_master_sm)
        return PIPELINE_ACTIVE;
    bool own = status->port.lid != 0 && status->port.lid == status->port.sm_lid;
    return own ? PIPELINE_ACTIVE : PIPELINE_STANDBY;
}

enum pipeline_role role_of_fabric(const struct conf *conf, const struct sa_status *status,
                                  const struct fabric *fabric)
{
    if (!conf->fabric.with_master_sm)
        return PIPELINE_ACTIVE;
    uint32_t master = fabric_master(fabric);
    if (master == FABRIC_NONE)
        return PIPELINE_UNKNOWN;
    return fabric->sms[master].guid == status->id.guid ? PIPELINE_ACTIVE : PIPELINE_STANDBY;
}

const char *role_words(const struct conf *conf, bool active)
{
    if (!conf->fabric.with_master_sm)
        return "";
    return active ? "the master subnet manager runs at this port"
                  : "the master subnet manager does not run at this port";
}
