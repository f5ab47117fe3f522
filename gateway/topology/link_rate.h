// SPDX-License-Identifier: BSD-2-Clause
// The rate of a link, and the best rate that both of its ends support and are set to. Pure.
//
// Decides: When does a link run below its rate?
#pragma once

#include "model/fabric.h"

struct link_rate {
    bool known;    // both ends answered, and the link runs
    bool degraded; // the rate is known, and below the best
    uint8_t width, best_width;
    uint16_t speed, best_speed;
};

// Of the link between two ports of the fabric.
struct link_rate link_rate_of(const struct fabric *fabric, uint32_t port, uint32_t peer);

// Adds "4X EDR (100 Gb/s)", and for a degraded link " instead of 4X HDR (200 Gb/s)".
void link_rate_describe(struct text *text, const struct link_rate *rate);
