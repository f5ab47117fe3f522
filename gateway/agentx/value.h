// SPDX-License-Identifier: BSD-2-Clause
// Object identifiers and values of AgentX (RFC 2741 5.1 to 5.4).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AGENTX_OID_MAX = 128,     // sub-identifiers (RFC 2578 7.1.3)
    AGENTX_OCTETS_MAX = 1024, // of a value
};

struct agentx_oid {
    uint8_t length;
    uint32_t ids[AGENTX_OID_MAX];
};

// Negative, 0 or positive, in lexicographic order.
int agentx_oid_compare(const uint32_t *a, size_t a_length, const uint32_t *b, size_t b_length);

// Append an identifier, or an identifier for each octet. False, with nothing changed: there is no
// room.
bool agentx_oid_add(struct agentx_oid *oid, uint32_t id);
bool agentx_oid_add_octets(struct agentx_oid *oid, const uint8_t *octets,
                           size_t size); // one id each

enum agentx_type {
    AGENTX_NOT_NOW = 0, // not of AgentX: the value cannot be found now
    AGENTX_LATER = 1,   // the same: the value is being fetched, by the ticket in `number`, not 0
    AGENTX_INTEGER = 2,
    AGENTX_OCTETS = 4,
    AGENTX_NULL = 5,
    AGENTX_OID = 6,
    AGENTX_IP_ADDRESS = 64, // four octets
    AGENTX_COUNTER32 = 65,
    AGENTX_GAUGE32 = 66, // Unsigned32, too
    AGENTX_TIME_TICKS = 67,
    AGENTX_OPAQUE = 68,
    AGENTX_COUNTER64 = 70,
    AGENTX_NO_SUCH_OBJECT = 128,
    AGENTX_NO_SUCH_INSTANCE = 129,
    AGENTX_END_OF_MIB_VIEW = 130,
};

// `type` decides about the valid other members.
struct agentx_value {
    enum agentx_type type;
    int64_t number; // AGENTX_INTEGER: -2^31 to 2^31-1; the 64 bits of an AGENTX_COUNTER64
    uint16_t size;  // of the octets
    uint8_t octets[AGENTX_OCTETS_MAX];
    struct agentx_oid oid;
};

// Truncates octets beyond AGENTX_OCTETS_MAX. Does not change the type.
void agentx_value_set_octets(struct agentx_value *value, const void *octets, size_t size);

struct agentx_varbind {
    struct agentx_oid name;
    struct agentx_value value;
};

// The error of a response: of SNMP (RFC 3416 3), and of a master agent (RFC 2741 6.2.16).
enum agentx_error {
    AGENTX_NO_ERROR = 0,
    AGENTX_GEN_ERR = 5,
    AGENTX_NO_ACCESS = 6,
    AGENTX_WRONG_TYPE = 7,
    AGENTX_WRONG_LENGTH = 8,
    AGENTX_WRONG_ENCODING = 9,
    AGENTX_WRONG_VALUE = 10,
    AGENTX_NO_CREATION = 11,
    AGENTX_INCONSISTENT_VALUE = 12,
    AGENTX_RESOURCE_UNAVAILABLE = 13,
    AGENTX_COMMIT_FAILED = 14,
    AGENTX_UNDO_FAILED = 15,
    AGENTX_NOT_WRITABLE = 17,
    AGENTX_INCONSISTENT_NAME = 18,
    AGENTX_OPEN_FAILED = 256,
    AGENTX_NOT_OPEN = 257,
    AGENTX_UNSUPPORTED_CONTEXT = 262,
    AGENTX_DUPLICATE_REGISTRATION = 263,
};
const char *agentx_error_word(unsigned error); // as in the RFCs, such as "genErr"
