// SPDX-License-Identifier: BSD-2-Clause
// IB-PMA-MIB, read on demand: the details of errors, discards and flow control, and what each lane
// has, of ports whose link is up. Few ports have all of these attributes (IBA 16.1.4).
#include "agent/device.h"
#include "agent/fetch.h"
#include "agent/field.h"
#include "agent/tables.h"

enum {
    RCV_ERROR_DETAILS = 0x15,
    XMIT_DISCARD_DETAILS = 0x16,
    FLOW_CTL_COUNTERS = 0x18,
    VL_XMIT_FLOW_CTL_UPDATE_ERRORS = 0x1B,
    VL_XMIT_WAIT_COUNTERS = 0x1C,
    SW_PORT_VL_CONGESTION = 0x30,
};

static bool pma_details_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found)
{
    return device_seek_data_port(snapshot, ids, length, after, row, found);
}

// A field of an attribute of the row's port.
static bool pma_details_get(const struct agent_snapshot *snapshot, const struct table_row *row,
                            uint16_t attribute, struct agentx_value *out)
{
    if (device_port(snapshot, row)->state <= FABRIC_DOWN)
        return false;
    const uint8_t *data = fetch_perf(snapshot, row->port, attribute);
    return data && field_of_octets(data, row, out);
}

#define GETTER(name, attribute)                                                                    \
    static bool pma_details_##name(const struct agent_snapshot *snapshot,                          \
                                   const struct table_row *row, struct agentx_value *out)          \
    {                                                                                              \
        return pma_details_get(snapshot, row, attribute, out);                                     \
    }
GETTER(errors, RCV_ERROR_DETAILS)
GETTER(discards, XMIT_DISCARD_DETAILS)
GETTER(flow, FLOW_CTL_COUNTERS)
GETTER(updates, VL_XMIT_FLOW_CTL_UPDATE_ERRORS)
GETTER(wait, VL_XMIT_WAIT_COUNTERS)

// Only switches have it.
static bool pma_details_congestion(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, struct agentx_value *out)
{
    return device_node(snapshot, row)->type == FABRIC_SWITCH &&
           pma_details_get(snapshot, row, SW_PORT_VL_CONGESTION, out);
}

#define COLUMN(type, getter, octet, bit, bits)                                                     \
    (type), .get = pma_details_##getter,                                                           \
            .field = {.field = ATTRIBUTE_FIELD(octet, bit, bits), .form = FIELD_NUMBER}
#define DETAIL(getter, octet) COLUMN(AGENTX_INTEGER, getter, octet, 0, 16)
#define PACKETS(octet)        COLUMN(AGENTX_GAUGE32, flow, octet, 0, 32)

static const struct table_column ERRORS[] = {
    {"ibPmaPortRcvErrLocalPhysErrs", 2, DETAIL(errors, 4)},
    {"ibPmaPortMalformedPacketErrs", 3, DETAIL(errors, 6)},
    {"ibPmaPortBufferOverrunErrs", 4, DETAIL(errors, 8)},
    {"ibPmaPortDLIDMappingErrs", 5, DETAIL(errors, 10)},
    {"ibPmaPortVLMappingErrs", 6, DETAIL(errors, 12)},
    {"ibPmaPortLoopingErrs", 7, DETAIL(errors, 14)},
};

static const struct table_column DISCARDS[] = {
    {"ibPmaPortInactiveDiscards", 2, DETAIL(discards, 4)},
    {"ibPmaPortNeighborMtuDiscards", 3, DETAIL(discards, 6)},
    {"ibPmaPortSwLifetimeLimitDiscards", 4, DETAIL(discards, 8)},
    {"ibPmaPortSwHoqLimitDiscards", 5, DETAIL(discards, 10)},
};

static const struct table_column FLOW[] = {
    {"ibPmaPortFlowCtlXmitFlowPkts", 2, PACKETS(4)},
    {"ibPmaPortFlowCtlRcvFlowPkts", 3, PACKETS(8)},
};

// Lane `vl`; of a lane's `bits` bits the first are in octet 4.
#define LANE(name, getter, bits, vl)                                                               \
    {                                                                                              \
        "ibPmaPortVl" name #vl, 2 + (vl),                                                          \
            COLUMN(AGENTX_INTEGER, getter, 4 + (bits) * (vl) / 8, (bits) * (vl) % 8, bits)         \
    }
#define LANES(name, getter, bits)                                                                  \
    LANE(name, getter, bits, 0), LANE(name, getter, bits, 1), LANE(name, getter, bits, 2),         \
        LANE(name, getter, bits, 3), LANE(name, getter, bits, 4), LANE(name, getter, bits, 5),     \
        LANE(name, getter, bits, 6), LANE(name, getter, bits, 7), LANE(name, getter, bits, 8),     \
        LANE(name, getter, bits, 9), LANE(name, getter, bits, 10), LANE(name, getter, bits, 11),   \
        LANE(name, getter, bits, 12), LANE(name, getter, bits, 13), LANE(name, getter, bits, 14),  \
        LANE(name, getter, bits, 15)

static const struct table_column UPDATES[] = {LANES("XmitFCUpErr", updates, 2)};
static const struct table_column WAITS[] = {LANES("XmitWait", wait, 16)};
static const struct table_column CONGESTION[] = {LANES("SwCongestion", congestion, 16)};

static const uint32_t ERRORS_ENTRY[] = {TABLES_PMA_IDS, 1, 2, 1, 1};
static const uint32_t DISCARDS_ENTRY[] = {TABLES_PMA_IDS, 1, 2, 2, 1};
static const uint32_t FLOW_ENTRY[] = {TABLES_PMA_IDS, 1, 2, 3, 1};
static const uint32_t UPDATES_ENTRY[] = {TABLES_PMA_IDS, 1, 4, 1, 1};
static const uint32_t WAITS_ENTRY[] = {TABLES_PMA_IDS, 1, 4, 2, 1};
static const uint32_t CONGESTION_ENTRY[] = {TABLES_PMA_IDS, 1, 4, 3, 1};

const struct table PMA_ERRORS =
    TABLE("ibPmaPortRcvErrTable", ERRORS_ENTRY, ERRORS, pma_details_seek);
const struct table PMA_DISCARDS =
    TABLE("ibPmaPortXmitDiscardTable", DISCARDS_ENTRY, DISCARDS, pma_details_seek);
const struct table PMA_FLOW =
    TABLE("ibPmaPortFlowCtlCntrsTable", FLOW_ENTRY, FLOW, pma_details_seek);
const struct table PMA_UPDATES =
    TABLE("ibPmaPortVlXmitFCUpErrTable", UPDATES_ENTRY, UPDATES, pma_details_seek);
const struct table PMA_WAITS =
    TABLE("ibPmaPortVlXmitWaitCntrsTable", WAITS_ENTRY, WAITS, pma_details_seek);
const struct table PMA_CONGESTION =
    TABLE("ibPmaPortVlSwCongestionTable", CONGESTION_ENTRY, CONGESTION, pma_details_seek);
