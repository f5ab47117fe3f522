// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_tsm.h"

#include "base/memory.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/library/snmp_secmod.h>

#include <string.h>

// RFC 5591 4.2. libsnmp builds messages backwards: in front of the scoped PDU, this puts empty
// security parameters, then the global data. Returns an SNMPERR_ code, as decode does.
static int encode(struct snmp_secmod_outgoing_params *p)
{
    u_char **message = p->wholeMsg;
    size_t *size = p->wholeMsgLen, *used = p->wholeMsgOffset;
    if (!asn_realloc_rbuild_header(message, size, used, 1, ASN_OCTET_STR, 0))
        return SNMPERR_TOO_LONG;
    while (*size - *used < p->globalDataLen) {
        if (!asn_realloc(message, size))
            return SNMPERR_TOO_LONG;
    }
    *used += p->globalDataLen;
    memcpy(*message + *size - *used, p->globalData, p->globalDataLen);
    return asn_realloc_rbuild_sequence(message, size, used, 1, ASN_SEQUENCE | ASN_CONSTRUCTOR,
                                       *used)
               ? SNMPERR_SUCCESS
               : SNMPERR_TOO_LONG;
}

// RFC 5591 5.2. The sender needs no security name here: TLS has verified its certificate against
// the configured name.
static int decode(struct snmp_secmod_incoming_params *p)
{
    u_char type;
    size_t size = p->wholeMsgLen - (size_t)(p->secParams - p->wholeMsg);
    if (p->sess->securityModel != SNMP_SEC_MODEL_TSM) // it did not come over TLS
        return SNMPERR_UNKNOWN_SEC_MODEL;
    u_char *scoped = asn_parse_header(p->secParams, &size, &type);
    if (!scoped || type != ASN_OCTET_STR || size != 0)
        return SNMPERR_ASN_PARSE_ERR;
    *p->scopedPdu = scoped;
    *p->scopedPduLen = p->wholeMsgLen - (size_t)(scoped - p->wholeMsg);
    *p->maxSizeResponse = p->maxMsgSize;
    *p->secEngineIDLen = 0;
    p->secName[0] = '\0';
    *p->secNameLen = 0;
    return SNMPERR_SUCCESS;
}

void snmp_tsm_begin(void)
{
    struct snmp_secmod_def *known = find_sec_mod(SNMP_SEC_MODEL_TSM);
    struct snmp_secmod_def *def = known ? known : memory_zeroed(1, sizeof *def); // libsnmp frees it
    *def = (struct snmp_secmod_def){.encode_reverse = encode, .decode = decode};
    if (!known)
        register_sec_mod(SNMP_SEC_MODEL_TSM, "tsm", def);
}
