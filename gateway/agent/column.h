// SPDX-License-Identifier: BSD-2-Clause
// How columns show what their rows have: functions to fill a value, whose type table.c has set, and
// getters of many columns. `field` of struct table_column says which part of the row a shared
// getter shows, and how.
#pragma once

#include "agent/table.h"
#include "model/mib.h"

#include <stddef.h>

// Functions that fill a value. All but put_known return true always: a getter can end with a call.
// Octets beyond AGENTX_OCTETS_MAX, or beyond `most`, are cut off; a text is cut between characters.
bool put_number(struct agentx_value *out, int64_t number); // for a Counter64: the same 64 bits
bool put_gauge(struct agentx_value *out, uint64_t number); // 2^32 - 1 for any greater number
bool put_octets(struct agentx_value *out, const void *octets, size_t size);
bool put_text(struct agentx_value *out, const char *text, size_t most); // UTF-8
bool put_known(struct agentx_value *out, uint64_t number); // false for 0: the number is not known
bool put_big_endian(struct agentx_value *out, uint64_t number, size_t size); // its last octets
bool put_guid(struct agentx_value *out, uint64_t guid);                      // eight octets
bool put_truth(struct agentx_value *out, bool truth);                        // SNMPv2-TC TruthValue
bool put_oid(struct agentx_value *out, const uint32_t *ids, size_t length);  // appends to the OID
// SNMPv2-TC TimeStamp: the master agent's sysUpTime at the monotonic time `at`; 0 when `at` was
// before the master agent's start, or is 0.
bool put_time_stamp(struct agentx_value *out, const struct look *look, int64_t at);
// A field of an event, encoded by model/mib.h.
bool put_field(struct agentx_value *out, const struct event *event, enum mib_syntax syntax,
               uint16_t size, enum field source);

// How a field is shown.
enum field_form {
    FIELD_NUMBER,     // no instance outside `least` to `most`
    FIELD_LABEL,      // numbers outside `least` to `most` are reserved: `most` + 1
    FIELD_NEXT_LABEL, // FIELD_LABEL plus one: for labels that count from 1
    FIELD_FROM_ZERO,  // FIELD_NUMBER minus one: for a list that counts from 0
    FIELD_TRUTH,      // TruthValue
    FIELD_OCTETS,     // the octets that hold the bits of the field
    // Of members of a struct only.
    FIELD_KNOWN,      // no instance if the number is 0
    FIELD_GAUGE,      // put_gauge
    FIELD_BIG_ENDIAN, // the last `most` octets of the number
    FIELD_STAMP,      // put_time_stamp
    FIELD_DATE,       // put_date
    FIELD_ARRAY,      // an array of char, cut after `most` octets
};

// Fields of attributes, by the numbers of model/attribute.h: of the PortInfo of the row's `port`,
// of the SwitchInfo of its `node`, of an attribute whose octets the caller has. The row has no
// instance while PortInfo or SwitchInfo is not known.
bool field_of_port(struct look *look, struct agentx_value *out);
bool field_of_switch(struct look *look, struct agentx_value *out);
bool field_of_octets(const uint8_t *octets, const struct look *look, struct agentx_value *out);

#define PORT_FIELD(which, ...)                                                                     \
    .get = field_of_port, .field = {.field = (which), .form = __VA_ARGS__}
#define SWITCH_FIELD(which, ...)                                                                   \
    .get = field_of_switch, .field = {.field = (which), .form = __VA_ARGS__}

// Initializes the `field` of a column: a member of a struct. `...` is the form, which `.most` may
// follow.
#define FIELD_MEMBER(type, member, ...)                                                            \
    .field = {                                                                                     \
        .field = offsetof(type, member), .size = sizeof((type *)0)->member, .form = __VA_ARGS__}

// Members: of a struct, of the row's `node`, of the subnet manager whose number is the row's `at`.
bool field_of_struct(const void *of, const struct look *look, struct agentx_value *out);
bool field_of_node(struct look *look, struct agentx_value *out);
bool field_of_sm(struct look *look, struct agentx_value *out);

#define NODE_MEMBER(member, ...)                                                                   \
    .get = field_of_node, FIELD_MEMBER(struct fabric_node, member, __VA_ARGS__)
#define SM_MEMBER(member, ...)                                                                     \
    .get = field_of_sm, FIELD_MEMBER(struct fabric_sm, member, __VA_ARGS__)

// ActCount of the subnet manager; no instance while it is not known. The MIB's Integer32 has the
// same 32 bits, signed.
bool field_sm_activity(struct look *look, struct agentx_value *out);

// Zero octets, `field` of them: keys are secrets.
bool field_zeros(struct look *look, struct agentx_value *out);
#define FIELD_KEY(octets) AGENTX_OCTETS, .get = field_zeros, .field = {.field = (octets)}

// Getters of constants and of parts of the index.
bool field_constant(struct look *look, struct agentx_value *out); // the number `field`
bool field_empty(struct look *look, struct agentx_value *out);    // no octets
bool field_row_number(struct look *look, struct agentx_value *out);
bool field_tail(struct look *look, struct agentx_value *out); // the identifier at place `field`
bool field_node_guid(struct look *look, struct agentx_value *out);
bool field_node_port_guid(struct look *look,
                          struct agentx_value *out); // of its first port with one
bool field_node_description(struct look *look, struct agentx_value *out); // a DisplayString
bool field_lid(struct look *look, struct agentx_value *out);              // of the row's port
bool field_gid_prefix(struct look *look, struct agentx_value *out);       // as well

#define FIELD_CONSTANT(n) .get = field_constant, .field = {.field = (n)}

// Copies the sums of the counters of the row's port. Returns false if they are not read.
bool field_sums(const struct look *look, uint64_t sums[COUNTER_COUNT]);
