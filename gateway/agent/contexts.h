// SPDX-License-Identifier: BSD-2-Clause
// The SNMP contexts of end ports: each switch, and if wanted each port of a host or router, is a
// device of its own in the context that its port GUID names. When its port leaves the fabric, a
// context stays without instances, because snmpd does not answer at all in an unknown context. When
// there are CONTEXTS_MAX contexts, a context whose port has been gone for a day makes room for a
// new context. For one thread.
// Decides: Which ports have an SNMP context of their own, and how long does a context stay?
#pragma once

#include "base/clock.h"
#include "model/choices.h"
#include "model/fabric.h"

enum {
    CONTEXTS_MAX = 4096,     // further ports have no context
    CONTEXTS_NAME_SIZE = 17, // 16 hexadecimal digits and a NUL
};

// The master agent keeps the name of each context for ever. So contexts make room slowly: a port
// with ever new GUIDs must not fill the memory of the master agent.
#define CONTEXTS_KEEP_US (INT64_C(86400) * CLOCK_US_PER_S)

struct contexts;
struct contexts *contexts_new(enum contexts_of of);
void contexts_free(struct contexts *contexts); // NULL is allowed

// Adds the contexts of new end ports, and notes which ports changed their state by the time `at`,
// in monotonic microseconds. Returns false if a port has no context, because there are CONTEXTS_MAX
// contexts and none can make room. Switches come before other end ports.
bool contexts_update(struct contexts *contexts, const struct fabric *fabric, int64_t at);

// Contexts have numbers from 0, in the order of their coming. A context that replaces another
// context has the number of the other context.
size_t contexts_count(const struct contexts *contexts);
uint64_t contexts_guid(const struct contexts *contexts, size_t at);

// How often a context has replaced another context.
uint64_t contexts_replaced(const struct contexts *contexts);

bool contexts_has(const struct contexts *contexts, uint64_t guid);

// The name of the context of a port GUID, and the port GUID of a name. contexts_read_name returns
// false for another name.
void contexts_name(uint64_t guid, char out[CONTEXTS_NAME_SIZE]);
bool contexts_read_name(const char *name, uint64_t *guid);

// When a port of the context's node last changed its state; 0: never since the node came.
int64_t contexts_changed_at(const struct contexts *contexts, uint64_t guid, uint8_t port);
