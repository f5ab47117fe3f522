// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
// The performance management agent of every node: ClassPortInfo, PortCounters with symbol errors,
// PortCountersExtended.
#include "fabric.h"

#include <rdma/ib_pma.h>

enum {
    PM_DATA = 64,
    PM_METHOD = 3,
    PM_STATUS = 4,
    PM_ATTRIBUTE = 16,
    EXTENDED_WIDTH = 0x200,
    RESPONSE_TIME = 18
};

bool pma_answer(struct fabric_node *node, const u8 *in, u8 *out)
{
    u8 *data = out + PM_DATA;
    const u8 port = in[PM_DATA + 1];

    if (in[1] != IB_MGMT_CLASS_PERF_MGMT ||
        (in[PM_METHOD] != IB_MGMT_METHOD_GET && in[PM_METHOD] != IB_MGMT_METHOD_SET))
        return false;
    memcpy(out, in, MAD_OCTETS);
    out[PM_METHOD] = IB_MGMT_METHOD_GET_RESP;
    memset(data, 0, MAD_OCTETS - PM_DATA);
    switch (cpu_to_be16(get_unaligned_be16(in + PM_ATTRIBUTE))) {
    case IB_PMA_CLASS_PORT_INFO:
        data[0] = data[1] = 1;
        put_unaligned_be16(EXTENDED_WIDTH, data + 2);
        data[7] = RESPONSE_TIME;
        break;
    case IB_PMA_PORT_COUNTERS:
        data[1] = port;
        if (port <= node->port_count)
            put_unaligned_be16(node->ports[port].symbol_errors, data + 4);
        break;
    case IB_PMA_PORT_COUNTERS_EXT:
        data[1] = port;
        break;
    default:
        put_unaligned_be16(3 << 2, out + PM_STATUS);
    }
    return true;
}
