// SPDX-License-Identifier: BSD-2-Clause
// Encodes SMPs and decodes the attributes in their answers (IBA 14.2). The SA's records contain the
// same attributes. Pure functions.
#ifndef IBTRAPD_IB_SMP_DECODE_H
#define IBTRAPD_IB_SMP_DECODE_H

#include "ib/mad.h"
#include "model/fabric.h"

enum {
    SMP_DATA_OFFSET = 64, // of the attribute within the MAD
    SMP_DATA_SIZE = 64,
    SMP_HOPS_MAX = 63,
    SMP_PKEYS = 32, // P_Keys of a block of the table
};

enum smp_attribute {
    SMP_NODE_DESCRIPTION = 0x10,
    SMP_NODE_INFO = 0x11,
    SMP_SWITCH_INFO = 0x12,
    SMP_PORT_INFO = 0x15,
    SMP_PKEY_TABLE = 0x16,
    SMP_SM_INFO = 0x20,
    SMP_MELLANOX_PORT_INFO = 0xFF90,
};

// Makes the Get of an attribute by directed route: MAD_SIZE octets, with TransactionID zero. `path`
// lists the `hops` ports by which the SMP leaves each node, the own node first. `hops` is at most
// SMP_HOPS_MAX; 0: a query to the own node. `mkey` 0: none.
void smp_make_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier,
                  const uint8_t *path, uint8_t hops);

// The same by LID.
void smp_make_lid_get(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier);

// Makes the Set by LID of an attribute to SMP_DATA_SIZE octets.
void smp_make_lid_set(uint8_t *out, uint64_t mkey, enum smp_attribute attribute, uint32_t modifier,
                      const uint8_t *data);

// Makes Get(PortInfo) without hops, a query to the own port.
void smp_query_own_port(uint8_t *out, uint32_t tid, uint64_t mkey);

// The attribute in an answer to a Get or Set, SMP_DATA_SIZE octets. NULL: the answer is NULL or too
// short, is to a query for another attribute, or has a status other than success.
const uint8_t *smp_answer(const uint8_t *mad, size_t size, enum smp_attribute attribute);

// Reads NodeInfo into `node`. The other members become zero. `port_guid` and `local_port` get the
// port that answered. Returns false if the type is unknown, if there is no GUID, or if the port
// does not exist.
bool smp_read_node_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_node *node,
                        uint64_t *port_guid, uint8_t *local_port);

// Reads PortInfo of port `number` of a node of that type (enum fabric_type). The port becomes
// known. PortInfo has neither GUID nor peer: they become 0 and FABRIC_NONE. LIDs, GidPrefix and
// capabilities of a switch are read for its port 0 only.
void smp_read_port_info(const uint8_t data[SMP_DATA_SIZE], uint8_t node_type, uint8_t number,
                        struct fabric_port *port);

// Adds what Mellanox's ExtendedPortInfo says of FDR10 to the speeds of the port.
void smp_add_mellanox_speeds(const uint8_t data[SMP_DATA_SIZE], struct fabric_port *port);

// Whether the port that answered has another M_Key than `mkey`, the key of the question, which is
// not 0. A port at protection level 0 shows its M_Key. A port at level 1 shows its M_Key only to
// owners of the key. A port at level 2 or 3 does not answer (IBA 14.2.4.1).
bool smp_has_other_mkey(const uint8_t data[SMP_DATA_SIZE], uint64_t mkey);

void smp_read_description(const uint8_t data[SMP_DATA_SIZE], char out[FABRIC_DESCRIPTION_SIZE]);

void smp_read_switch_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_switch_info *out);

void smp_read_pkeys(const uint8_t data[SMP_DATA_SIZE], uint16_t out[SMP_PKEYS]);

// Reads GUID, priority, state and ActCount of an SMInfo; the rest of `out` does not change. False:
// it is not valid.
bool smp_read_sm_info(const uint8_t data[SMP_DATA_SIZE], struct fabric_sm *out);

// The ActCount of an SMInfo: the count grows while the SM works, and begins anew after a restart.
uint32_t smp_read_activity(const uint8_t data[SMP_DATA_SIZE]);

#endif
