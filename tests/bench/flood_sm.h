// SPDX-License-Identifier: BSD-2-Clause
// A port and a subnet manager in the benchmark's own process, instead of libibumad's. The subnet
// manager confirms subscriptions and answers queries. Then the subnet manager pushes Reports of
// trap 64 (a port came into service), at a rate or at the SA client's pace, like a new master for
// every port.
#pragma once

#include "ib/mad_io.h"

// Reports are about these ports in turn: as many as there are unicast LIDs.
enum { FLOOD_SM_PORTS = 49151 };
#define FLOOD_SM_GUID UINT64_C(0x0002c9f000000000) // of the first port; the others follow

struct flood_sm;

// Makes one for up to `reports` Reports in all. NULL: out of memory.
struct flood_sm *flood_sm_new(uint32_t reports);
void flood_sm_free(struct flood_sm *sm);

struct mad_opener flood_sm_opener(struct flood_sm *sm);

// Whether every subscription was requested and confirmed.
bool flood_sm_is_subscribed(struct flood_sm *sm);

// Pushes all Reports: `rate` a second (0: at the pace of acceptance), at most `window` of them
// unanswered. Call it once.
void flood_sm_start(struct flood_sm *sm, double rate, uint32_t window);

uint32_t flood_sm_acknowledged(struct flood_sm *sm);

// When a Report was given to the SA client, and when its ReportResp came: UTC nanoseconds; 0: not
// yet.
int64_t flood_sm_read_ns(const struct flood_sm *sm, uint32_t report);
int64_t flood_sm_answered_ns(const struct flood_sm *sm, uint32_t report);
