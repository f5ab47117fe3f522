// SPDX-License-Identifier: BSD-2-Clause
// Names of numbers in management datagrams.
#ifndef IBTRAPD_MODEL_WORDS_H
#define IBTRAPD_MODEL_WORDS_H

#include "base/text.h"

#include <stdint.h>

// "SubnSet" and the like (IBA 14.2.2), or NULL.
const char *words_smp_method(uint8_t method);

// "PortInfo" and the like (IBA 14.2.5), or NULL.
const char *words_smp_attribute(uint16_t attribute);

// "host", "switch" or "router" for an enum fabric_type; empty: unknown.
const char *words_node_type(uint8_t type);

// "down", "initialize", "armed" or "active" for PortInfo.PortState (IBA 14.2.5.6); else "unknown".
const char *words_port_state(unsigned state);

// Adds "NodeDescription, LinkWidthEnabled" for the change flags of a trap 144 (IBA 14.2.5.1).
void words_add_change_flags(struct text *t, uint16_t flags);

#endif
