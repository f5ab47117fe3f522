// SPDX-License-Identifier: BSD-2-Clause
// The LEDs by which a node calls for attention (IBA 14.2.5.15, LedInfo): read on demand, and
// switched by Sets.
#ifndef IBTRAPD_AGENT_LEDS_H
#define IBTRAPD_AGENT_LEDS_H

#include "agent/look.h"
#include "agentx/options.h"

// Whether an end port has one, by its CapabilityMask.
bool leds_has(const struct fabric_port *port);

// The end port of a node that has one: port 0 of a switch, else the first one. Returns its index in
// the fabric; FABRIC_NONE: there is none.
uint32_t leds_port(const struct fabric *fabric, uint32_t node);

// Reads the LED. Returns false if there is no answer, or the answer comes later, as in look.h.
bool leds_read(struct look *look, uint32_t port, bool *on);

// An LED that a Set switches.
struct led {
    struct demand_key key; // of the Set
    uint64_t node;         // GUID
    bool on, before;
    uint8_t state; // enum led_state, of leds.c
};

// Those of one Set. Zeroed: there are none.
struct leds {
    struct led all[AGENTX_SET_MAX];
    size_t count; // less than AGENTX_SET_MAX when leds_add is called
    bool back;    // they are being switched back
};

// Adds the LED of that port. False: it is there already, or nobody answers for it.
bool leds_add(struct leds *leds, const struct look *look, uint32_t port, bool on, bool before);

// Switches all, or with `back` all back, and compares the answers. AGENTX_NO_ERROR: it is done.
// Else, if `ticket` is set, call it again once that is ready; if it is 0, a node did not do so, and
// nobody waits for those that are switched back for it.
enum agentx_error leds_switch(struct leds *leds, const struct snapshot_demand *demand, bool back,
                              int64_t *ticket);

// Switches back what leds_switch has begun, without waiting.
void leds_restore(struct leds *leds, const struct snapshot_demand *demand);

#endif
