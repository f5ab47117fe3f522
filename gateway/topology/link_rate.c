// SPDX-License-Identifier: BSD-2-Clause
#include "topology/link_rate.h"

// The widths that the port supports and is set to. A port with a setting below its best width is
// not degraded. `width_enabled` 0: the width was never set.
static uint8_t link_rate_wanted_width(const struct fabric_port *port)
{
    uint8_t both = port->width_supported & port->width_enabled;
    return both ? both : port->width_supported;
}

static uint16_t link_rate_wanted_speed(const struct fabric_port *port)
{
    uint16_t both = port->speed_supported & port->speed_enabled;
    return both ? both : port->speed_supported;
}

struct link_rate link_rate_of(const struct fabric *fabric, uint32_t port, uint32_t peer)
{
    const struct fabric_port *a = &fabric->ports[port], *b = &fabric->ports[peer];
    struct link_rate rate = {
        .width = a->width_active,
        .best_width = fabric_best_width(link_rate_wanted_width(a), link_rate_wanted_width(b)),
        .speed = a->speed_active,
        .best_speed = fabric_best_speed(link_rate_wanted_speed(a), link_rate_wanted_speed(b)),
    };
    rate.known = a->known && b->known && rate.width != 0 && rate.speed != 0;
    rate.degraded = rate.known && (fabric_lanes(rate.width) < fabric_lanes(rate.best_width) ||
                                   fabric_is_slower(rate.speed, rate.best_speed));
    return rate;
}

void link_rate_describe(struct text *text, const struct link_rate *rate)
{
    fabric_add_rate(text, rate->width, rate->speed);
    if (!rate->degraded)
        return;
    text_add(text, " instead of ");
    fabric_add_rate(text, rate->best_width, rate->best_speed);
}
