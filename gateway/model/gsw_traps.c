// SPDX-License-Identifier: BSD-2-Clause
#include "model/gsw_traps.h"

#include "model/catalogue.h"
#include "model/fabric.h"

// Whether the row's gswTopoComTrap is about a link, not about an element that comes or goes.
static bool is_about_link(const struct catalogue_entry *type)
{
    return type->gsw == &mib_gswTopoComTrap &&
           (type->switch_reason == mib_gswTopoComSwitchStatus_link_added ||
            type->switch_reason == mib_gswTopoComSwitchStatus_link_deleted);
}

static bool gsw_traps_tells(const struct event *event)
{
    const bool between =
        fabric_is_element(event->subject.type) && fabric_is_element(event->peer.type);
    return event->type->gsw && (between || !is_about_link(event->type));
}

static bool tells_former(const struct event *event)
{
    return event->type->former && fabric_is_element(event->subject.type) &&
           fabric_is_element(event->former.type);
}

size_t gsw_traps(const struct event *event, const struct mib_notification *out[GSW_TRAPS_MAX])
{
    const struct catalogue_entry *type = event->type;
    size_t n = 0;
    if (event->switch_guid == 0)
        return 0;
    if (tells_former(event))
        out[n++] = type->former;
    if (gsw_traps_tells(event))
        out[n++] = type->gsw;
    if (type->topo && (n > 0 || !type->between_switches))
        out[n++] = type->topo;
    return n;
}
