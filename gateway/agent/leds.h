// SPDX-License-Identifier: BSD-2-Clause
// The LEDs by which a node calls for attention (IBA 14.2.5.15, LedInfo): read on demand, and
// switched by Sets.
#pragma once

#include "agent/look.h"
#include "agentx/options.h"

// Whether an end port has an LED, by its CapabilityMask.
bool leds_has(const struct fabric_port *port);

// Returns the index of the node's end port with an LED: port 0 of a switch, else the first port
// with an LED. FABRIC_NONE: no port has an LED.
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

// The LEDs of one Set. Zeroed: the Set has no LED.
struct leds {
    struct led all[AGENTX_SET_MAX];
    size_t count; // less than AGENTX_SET_MAX when leds_add is called
    bool back;    // the LEDs are being switched back
};

// Adds the LED of the port. Returns false if the Set has the LED already, or nobody answers for the
// port.
bool leds_add(struct leds *leds, const struct look *look, uint32_t port, bool on, bool before);

// Switches all LEDs, or with `back` switches all back, and compares the answers. Returns
// AGENTX_NO_ERROR when all is done. Returns an error with a ticket if answers are missing: call
// leds_switch again once the ticket is ready. Returns an error without a ticket if a node refused:
// then the other LEDs are switched back, and nobody waits for their answers.
enum agentx_error leds_switch(struct leds *leds, const struct snapshot_demand *demand, bool back,
                              int64_t *ticket);

// Switches the LEDs of an unfinished leds_switch back, without waiting.
void leds_restore(struct leds *leds, const struct snapshot_demand *demand);
