// SPDX-License-Identifier: BSD-2-Clause
/* Gives the nodes of the simulator LEDs, which it does not know: LedInfo, and IsLEDInfoSupported in
 * each PortInfo.
 *
 * The LED of a port is a file in the directory that SIM_LEDS names, whose name is the port's LID
 * and which has 1 or 0; without the file the LED is off. A file that says "stuck" is an LED that
 * stays off. Without SIM_LEDS there are none.
 *
 * A request for LedInfo goes to the simulator as one for NodeInfo, so that a node answers only if
 * it is there; its answer becomes the one to LedInfo. */

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LED_UMAD_LID = 28, LED_UMAD_HEADER = 64 };
enum { LED_METHOD = 3, LED_TID = 12, LED_ATTRIBUTE = 16, LED_DATA = 64, LED_CAPABILITIES = 86 };
enum { LED_GET = 1, LED_SET = 2, LED_NODE_INFO = 0x11, LED_PORT_INFO = 0x15, LED_INFO = 0x31 };
enum { LEDS_PENDING = 256 };

static struct sim_led {
    uint8_t tid[4];
    unsigned lid;
    bool sets, on;
} sim_leds[LEDS_PENDING]; /* requests, by the last octet of their TransactionID */

static inline bool sim_led_path(char *path, size_t size, unsigned lid)
{
    const char *directory = getenv("SIM_LEDS");

    return directory && snprintf(path, size, "%s/%u", directory, lid) < (int)size;
}

/* Switches or reads it. */
static inline bool sim_led_state(const struct sim_led *led)
{
    char path[512], text[8] = "";
    FILE *file = sim_led_path(path, sizeof path, led->lid) ? fopen(path, "r") : NULL;

    if (file) {
        if (!fgets(text, sizeof text, file))
            text[0] = '\0';
        fclose(file);
    }
    if (strncmp(text, "stuck", 5) == 0)
        return false;
    if (!led->sets)
        return text[0] == '1';
    file = fopen(path, "w");
    if (file) {
        fputs(led->on ? "1" : "0", file);
        fclose(file);
    }
    return led->on;
}

/* Before a MAD is sent; `umad` is a copy. */
static inline void sim_led_ask(uint8_t *umad)
{
    uint8_t *mad = umad + LED_UMAD_HEADER;
    struct sim_led *led = &sim_leds[mad[LED_TID + 3] % LEDS_PENDING];

    if (!getenv("SIM_LEDS") || mad[1] != 1 || mad[LED_ATTRIBUTE + 1] != LED_INFO ||
        mad[LED_ATTRIBUTE] != 0)
        return;
    memcpy(led->tid, mad + LED_TID, sizeof led->tid);
    led->lid = (unsigned)umad[LED_UMAD_LID] << 8 | umad[LED_UMAD_LID + 1];
    led->sets = mad[LED_METHOD] == LED_SET;
    led->on = mad[LED_DATA] & 0x80;
    mad[LED_METHOD] = LED_GET;
    mad[LED_ATTRIBUTE + 1] = LED_NODE_INFO;
}

/* After a MAD was received. */
static inline void sim_led_answer(uint8_t *mad)
{
    struct sim_led *led = &sim_leds[mad[LED_TID + 3] % LEDS_PENDING];

    if (!getenv("SIM_LEDS") || (mad[1] != 1 && mad[1] != 0x81) || mad[LED_ATTRIBUTE] != 0)
        return;
    if (mad[LED_ATTRIBUTE + 1] == LED_PORT_INFO)
        mad[LED_CAPABILITIES] |= 2; /* bit 9 of CapabilityMask */
    if (mad[LED_ATTRIBUTE + 1] != LED_NODE_INFO || led->lid == 0 || mad[1] != 1 ||
        memcmp(led->tid, mad + LED_TID, sizeof led->tid) != 0)
        return;
    mad[LED_ATTRIBUTE + 1] = LED_INFO;
    memset(mad + LED_DATA, 0, 64);
    mad[LED_DATA] = sim_led_state(led) ? 0x80 : 0;
    led->lid = 0;
}
