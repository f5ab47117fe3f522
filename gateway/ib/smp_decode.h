// Subnet management packets octet by octet: the question, and what its answers carry (IBA 14.2).
// The SA's records carry the same attributes, so they are read here, too. Pure functions.
#ifndef IBTRAPD_IB_SMP_DECODE_H
#define IBTRAPD_IB_SMP_DECODE_H

#include "ib/mad.h"
#include "model/fabric.h"

enum {
    SMP_DATA_OFFSET = 64, // of the attribute within the MAD
    SMP_DATA_SIZE = 64,
    SMP_HOPS_MAX = 63,
};

enum smp_attribute {
    SMP_NODE_DESCRIPTION = 0x10,
    SMP_NODE_INFO = 0x11,
    SMP_PORT_INFO = 0x15,
    SMP_SM_INFO = 0x20,
};

// Get of an attribute by directed route; `out` receives MAD_SIZE octets, the TransactionID is zero.
// `path` has the ports to leave by, of the own node first; `hops` is at most SMP_HOPS_MAX, 0 asks
// the own node. An `mkey` of 0 is none.
void smp_make_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier,
                  const uint8_t *path, uint8_t hops);

// The same to the LID that the MAD is sent to.
void smp_make_lid_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier);

// Get(PortInfo) with no hops: the local port about itself.
void smp_query_own_port(uint8_t *out, uint32_t tid, uint64_t mkey);

// The attribute that an answer of either kind carries, SMP_DATA_SIZE octets; NULL when it is too
// short, answers another question than for `attribute`, or has a status other than success.
const uint8_t *smp_answer(const uint8_t *mad, size_t size, enum smp_attribute attribute);

// NodeInfo. Fills all of `node` that it tells and empties the rest. `port_guid` and `local_port`
// are of the port that was asked. False when it can be of no node: unknown type, no GUID, no such
// port.
bool smp_read_node_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_node *node,
                        uint64_t *port_guid, uint8_t *local_port);

// PortInfo of port `number` of a node of that type (enum fabric_type). The port becomes known. GUID
// and peer are not in it: 0 and FABRIC_NONE. LIDs, GidPrefix and capabilities of a switch are left
// to its port 0.
void smp_read_port_info(const uint8_t data[SMP_DATA_SIZE], uint8_t node_type, uint8_t number,
                        struct fabric_port *port);

void smp_read_description(const uint8_t data[SMP_DATA_SIZE], char out[FABRIC_DESCRIPTION_SIZE]);

// GUID, priority and state of an SMInfo; the rest of `out` stays. False when it is not valid.
bool smp_read_sm_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_sm *out);

#endif
