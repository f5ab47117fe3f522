// SPDX-License-Identifier: BSD-2-Clause
// Functions that fill the value of a column, whose type table.c has set.
#ifndef IBTRAPD_AGENT_PUT_H
#define IBTRAPD_AGENT_PUT_H

#include "agent/snapshot.h"
#include "agentx/value.h"
#include "model/mib.h"

// All but put_known return true always, so that a getter can end with a call. Octets beyond
// AGENTX_OCTETS_MAX, or beyond `most`, are cut off; a text is cut between characters.
bool put_number(struct agentx_value *out, int64_t number); // for a Counter64: the same 64 bits
bool put_gauge(struct agentx_value *out, uint64_t number); // 2^32 - 1 for any greater number
bool put_octets(struct agentx_value *out, const void *octets, size_t size);
bool put_text(struct agentx_value *out, const char *text, size_t most); // UTF-8
bool put_known(struct agentx_value *out, unsigned number); // false for 0: the number is not known
bool put_big_endian(struct agentx_value *out, uint32_t number, size_t size); // its last octets
bool put_guid(struct agentx_value *out, uint64_t guid);                      // eight octets
bool put_truth(struct agentx_value *out, bool truth);                        // SNMPv2-TC TruthValue
bool put_date(struct agentx_value *out, int64_t utc_us); // SNMPv2-TC DateAndTime, UTC
// SNMPv2-TC TimeStamp: the master agent's sysUpTime at the monotonic time `at`; 0 when `at` was
// before the master agent's start, or is 0.
bool put_time_stamp(struct agentx_value *out, const struct agent_snapshot *snapshot, int64_t at);
// A field of an event, as model/mib.h encodes it.
bool put_field(struct agentx_value *out, const struct event *event, enum mib_syntax syntax,
               uint16_t size, enum field source);

#endif
