// SPDX-License-Identifier: BSD-2-Clause
// The SNMP contexts of end ports: each switch, and if wanted each port of a host or router, is a
// device of its own in the context that its port GUID names. A context stays when its port leaves
// the fabric, and then has no instances: snmpd would not answer at all in a context that it does
// not know. Only when there are CONTEXTS_MAX, one whose port has been gone for a day makes room for
// a new one. For one thread.
#ifndef IBTRAPD_AGENT_CONTEXTS_H
#define IBTRAPD_AGENT_CONTEXTS_H

#include "base/clock.h"
#include "model/fabric.h"

enum contexts_of { CONTEXTS_OFF, CONTEXTS_SWITCHES, CONTEXTS_ALL };

enum {
    CONTEXTS_MAX = 4096,     // those of further ports are missing
    CONTEXTS_NAME_SIZE = 17, // 16 hexadecimal digits and a NUL
};

// A port that made up another GUID each time would fill the master agent's memory, which keeps the
// name of each context: so they make room slowly.
#define CONTEXTS_KEEP_US (INT64_C(86400) * CLOCK_US_PER_S)

struct contexts;
struct contexts *contexts_new(enum contexts_of of);
void contexts_free(struct contexts *contexts); // NULL is allowed

// Adds the contexts of end ports that are new, and notes which ports changed their state. `at`:
// when that was, in monotonic microseconds. Returns false if a port has no context,
// because there are CONTEXTS_MAX contexts and none can make room. Switches come before other end
// ports.
bool contexts_update(struct contexts *contexts, const struct fabric *fabric, int64_t at);

// In the order in which they came, from 0; who takes the place of another has that one's.
size_t contexts_count(const struct contexts *contexts);
uint64_t contexts_guid(const struct contexts *contexts, size_t at);

// How often one has taken the place of another.
uint64_t contexts_replaced(const struct contexts *contexts);

bool contexts_has(const struct contexts *contexts, uint64_t guid);

// The name of the context of that port GUID, and the port GUID of a context of that name. False:
// it is no such name.
void contexts_name(uint64_t guid, char out[CONTEXTS_NAME_SIZE]);
bool contexts_read_name(const char *name, uint64_t *guid);

// When a port of that context's node was last seen to change its state; 0: not since it came.
int64_t contexts_changed_at(const struct contexts *contexts, uint64_t guid, uint8_t port);

#endif
