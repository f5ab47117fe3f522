// SPDX-License-Identifier: BSD-2-Clause
// What the receivers of the test got: files, and sockets for syslog by UDP. For one thread.
#pragma once

#include "wanted.h"

// The GUID of the first probe; those of the next follow.
#define EARS_FIRST_GUID UINT64_C(0x5eed000000000000)

struct ears;

// Opens the sockets, and sets places->ports. Up to `probes_max` probes.
struct ears *ears_open(struct wanted_places *places, size_t probes_max);
void ears_close(struct ears *ears);

// Reads what has arrived.
void ears_listen(struct ears *ears);

// How often the receiver at that place got the probe, and with which severity at last.
unsigned ears_count(const struct ears *ears, size_t place, size_t probe);
unsigned ears_severity(const struct ears *ears, size_t place, size_t probe);
