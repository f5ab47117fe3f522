// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/role.h"

#include "base/clock.h"

static bool role_is_masters_port(const struct sa_status *status)
{
    return status->port.lid != 0 && status->port.lid == status->port.sm_lid;
}

static enum pipeline_role role_keep(struct role *role, const struct sa_status *status, bool active)
{
    role->decided = true;
    role->last = active ? PIPELINE_ACTIVE : PIPELINE_STANDBY;
    role->sm_lid = status->port.sm_lid;
    return role->last;
}

static enum pipeline_role role_without_master(struct role *role, const struct conf *conf,
                                              const struct sa_status *status,
                                              const struct fabric *fabric)
{
    if (role->unmanaged_since == 0)
        role->unmanaged_since = status->now;
    if (status->now - role->unmanaged_since < conf->fabric.without_sm_s * CLOCK_US_PER_S)
        return PIPELINE_UNKNOWN;
    role->stands_in = role_is_masters_port(status) || status->port.sm_lid == 0 ||
                      fabric_find_lid(fabric, status->port.sm_lid) == FABRIC_NONE;
    return role_keep(role, status, role->stands_in);
}

static enum pipeline_role role_by_port(struct role *role, const struct sa_status *status)
{
    role->decided = role->decided && role->sm_lid == status->port.sm_lid;
    if (role->decided)
        return role->last;
    return role->stands_in || role_is_masters_port(status) ? PIPELINE_ACTIVE : PIPELINE_STANDBY;
}

enum pipeline_role role_decide(struct role *role, const struct conf *conf,
                               const struct sa_status *status, const struct fabric *fabric)
{
    if (!conf->fabric.with_master_sm)
        return PIPELINE_ACTIVE;
    if (!fabric)
        return role_by_port(role, status);
    const uint32_t master = fabric_master(fabric);
    if (master == FABRIC_NONE)
        return role_without_master(role, conf, status, fabric);
    *role = (struct role){0};
    return role_keep(role, status, fabric->sms[master].guid == status->id.guid);
}

const char *role_words(const struct conf *conf, const struct sa_status *status,
                       const struct fabric *fabric, bool active)
{
    if (!conf->fabric.with_master_sm)
        return "";
    if (fabric && fabric_master(fabric) == FABRIC_NONE) {
        if (!active)
            return "there is no master subnet manager, and the last one did not run at this port";
        return role_is_masters_port(status)
                   ? "there is no master subnet manager, and the last one ran at this port"
                   : "there is no master subnet manager, and the port of the last one has left the "
                     "fabric";
    }
    return active ? "the master subnet manager runs at this port"
                  : "the master subnet manager does not run at this port";
}
