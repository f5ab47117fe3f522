// SPDX-License-Identifier: BSD-2-Clause
// The number of an event or alarm in the tables and in notifications: an index of 31 bits.
#ifndef IBTRAPD_AGENT_EVENT_NUMBER_H
#define IBTRAPD_AGENT_EVENT_NUMBER_H

#include <stdint.h>

enum { EVENT_NUMBER_MAX = INT32_MAX };

// The number is the event's number in the journal, until that exceeds EVENT_NUMBER_MAX. From then
// on the tables show the events since the last multiple of 2^31 only.
static inline uint32_t event_number(int64_t sequence)
{
    return (uint32_t)sequence & EVENT_NUMBER_MAX;
}

#endif
