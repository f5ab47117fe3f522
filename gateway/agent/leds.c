// SPDX-License-Identifier: BSD-2-Clause
#include "agent/leds.h"

#include <string.h>

enum { HAS_LED_INFO = 1 << 9, LED_MASK = 0x80 }; // of CapabilityMask; the first bit of LedInfo

enum led_state { LED_UNTOUCHED, LED_ASKED, LED_DONE, LED_FAILED };

bool leds_has(const struct fabric_port *port)
{
    return port->capabilities & HAS_LED_INFO;
}

uint32_t leds_port(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *of = &fabric->nodes[node];
    for (uint32_t i = of->first_port; i < of->first_port + of->ports; i++) {
        const bool answers = of->type != FABRIC_SWITCH || fabric->ports[i].number == 0;
        if (answers && leds_has(&fabric->ports[i]))
            return i;
    }
    return FABRIC_NONE;
}

bool leds_read(struct look *look, uint32_t port, bool *on)
{
    const uint8_t *data = look_smp(look, port, DEMAND_LED_INFO, 0);
    if (data)
        *on = data[0] & LED_MASK;
    return data != NULL;
}

bool leds_add(struct leds *leds, const struct look *look, uint32_t port, bool on, bool before)
{
    struct led led = {.on = on, .before = before};
    const uint32_t node = fabric_node_of_port(look->fabric, port);
    if (!look_smp_key(look, port, DEMAND_LED_INFO, 0, &led.key))
        return false;
    for (size_t i = 0; i < leds->count; i++) {
        if (leds->all[i].key.guid == led.key.guid)
            return false;
    }
    led.key.sets = 1;
    led.node = look->fabric->nodes[node].guid;
    leds->all[leds->count++] = led;
    return true;
}

static void leds_begin(struct led *led, const struct snapshot_demand *demand, bool on)
{
    led->key.record[0] = on ? LED_MASK : 0;
    demand->drop(demand->reads, &led->key); // the answer to an earlier Set
    led->state = LED_ASKED;
}

// Goes on with an LED. Returns the ticket of the answer; 0: the LED is done, or has failed.
static int64_t leds_go_on(struct led *led, const struct snapshot_demand *demand)
{
    struct demand_answer *answer = NULL;
    int64_t ticket = 0;
    if (led->state != LED_ASKED)
        return 0;
    const enum demand_state state = demand->ask(demand->reads, &led->key, &answer, &ticket);
    if (state == DEMAND_LATER)
        return ticket;
    const bool done = state == DEMAND_HERE && ((demand_answer_at(answer, 0)[0] & LED_MASK) ==
                                               (led->key.record[0] & LED_MASK));
    led->state = done ? LED_DONE : LED_FAILED;
    demand_answer_unref(answer);
    return 0;
}

enum agentx_error leds_switch(struct leds *leds, const struct snapshot_demand *demand, bool back,
                              int64_t *ticket)
{
    bool failed = false;
    *ticket = 0;
    for (size_t i = 0; i < leds->count; i++) {
        struct led *led = &leds->all[i];
        if (leds->back != back || led->state == LED_UNTOUCHED)
            leds_begin(led, demand, back ? led->before : led->on);
        const int64_t later = leds_go_on(led, demand);
        *ticket = *ticket ? *ticket : later;
        failed = failed || led->state == LED_FAILED;
    }
    leds->back = back;
    if (failed) {
        *ticket = 0;
        if (!back)
            leds_restore(leds, demand);
    }
    return !failed && *ticket == 0 ? AGENTX_NO_ERROR
           : back                  ? AGENTX_UNDO_FAILED
                                   : AGENTX_COMMIT_FAILED;
}

void leds_restore(struct leds *leds, const struct snapshot_demand *demand)
{
    for (size_t i = 0; i < leds->count; i++) {
        struct led *led = &leds->all[i];
        if (led->state == LED_UNTOUCHED || led->before == led->on)
            continue;
        leds_begin(led, demand, led->before);
        leds_go_on(led, demand);
        led->state = LED_UNTOUCHED;
    }
}
