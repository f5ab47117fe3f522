// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/value.h"

#include <string.h>

int agentx_oid_compare(const uint32_t *a, size_t a_length, const uint32_t *b, size_t b_length)
{
    size_t shared = a_length < b_length ? a_length : b_length;
    for (size_t i = 0; i < shared; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return (a_length > b_length) - (a_length < b_length);
}

bool agentx_oid_add(struct agentx_oid *oid, uint32_t id)
{
    if (oid->length == AGENTX_OID_MAX)
        return false;
    oid->ids[oid->length++] = id;
    return true;
}

bool agentx_oid_add_octets(struct agentx_oid *oid, const uint8_t *octets, size_t size)
{
    if (size > (size_t)(AGENTX_OID_MAX - oid->length))
        return false;
    for (size_t i = 0; i < size; i++)
        oid->ids[oid->length++] = octets[i];
    return true;
}

void agentx_value_set_octets(struct agentx_value *value, const void *octets, size_t size)
{
    value->size = (uint16_t)(size < AGENTX_OCTETS_MAX ? size : AGENTX_OCTETS_MAX);
    memcpy(value->octets, octets, value->size);
}

const char *agentx_error_word(unsigned error)
{
    static const char *const SNMP[] = {"noError",
                                       "tooBig",
                                       "noSuchName",
                                       "badValue",
                                       "readOnly",
                                       "genErr",
                                       "noAccess",
                                       "wrongType",
                                       "wrongLength",
                                       "wrongEncoding",
                                       "wrongValue",
                                       "noCreation",
                                       "inconsistentValue",
                                       "resourceUnavailable",
                                       "commitFailed",
                                       "undoFailed",
                                       "authorizationError",
                                       "notWritable",
                                       "inconsistentName"};
    static const char *const AGENTX[] = {
        "openFailed",          "notOpen",           "indexWrongType",     "indexAlreadyAllocated",
        "indexNoneAvailable",  "indexNotAllocated", "unsupportedContext", "duplicateRegistration",
        "unknownRegistration", "unknownAgentCaps",  "parseError",         "requestDenied",
        "processingError"};
    if (error < sizeof SNMP / sizeof *SNMP)
        return SNMP[error];
    unsigned i = error - AGENTX_OPEN_FAILED;
    return i < sizeof AGENTX / sizeof *AGENTX ? AGENTX[i] : "an unknown error";
}
