// SPDX-License-Identifier: BSD-2-Clause
// Counters of a device's ports: IB-PMA-MIB, and ibIfPortStatTable of the IB-IF-MIB.
#include "tables/device.h"
#include "tables/tables.h"

// ibPmaPortCntrsTable and ibPmaPortCntrsOptTable. Their values are the registers of the port at the
// last reading, not sums: a full register stops, and somebody may reset a register.

// A port with counters of 64 bits is asked for these alone: PortCounters is full beyond its own
// limit.
static bool pma_register(struct look *look, struct agentx_value *out)
{
    struct counter_sample last;
    const enum counter counter = look->column->field.field;
    if (!accumulated_find_last(look->snapshot->accumulated, look_node(look)->guid,
                               look_port(look)->number, &last))
        return false;
    const uint64_t limit = counter_limit(counter), value = last.values[counter];
    return put_number(out, (int64_t)(value < limit ? value : limit));
}

#define COUNTER(which) AGENTX_INTEGER, .get = pma_register, .field = {.field = (which)}
#define TRAFFIC(which) AGENTX_GAUGE32, .get = pma_register, .field = {.field = (which)}

static const struct table_column PMA_COUNTERS_COLUMNS[] = {
    {"ibPmaSymbolErrCounter", 2, COUNTER(COUNTER_SYMBOL_ERROR)},
    {"ibPmaLinkErrRecoveryCntr", 3, COUNTER(COUNTER_LINK_ERROR_RECOVERY)},
    {"ibPmaLinkDownedCntr", 4, COUNTER(COUNTER_LINK_DOWNED)},
    {"ibPmaPortRcvErr", 5, COUNTER(COUNTER_RCV_ERRORS)},
    {"ibPmaPortRcvRemPhysErr", 6, COUNTER(COUNTER_RCV_REMOTE_PHYSICAL_ERRORS)},
    {"ibPmaPortRcvSwitchRelayErr", 7, COUNTER(COUNTER_RCV_SWITCH_RELAY_ERRORS)},
    {"ibPmaPortXmitDiscard", 8, COUNTER(COUNTER_XMIT_DISCARDS)},
    {"ibPmaPortXmitConstraintErr", 9, COUNTER(COUNTER_XMIT_CONSTRAINT_ERRORS)},
    {"ibPmaPortRcvConstraintErr", 10, COUNTER(COUNTER_RCV_CONSTRAINT_ERRORS)},
    {"ibPmaLocalLinkIntegrityErr", 11, COUNTER(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)},
    {"ibPmaExcessBufOverrunErr", 12, COUNTER(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)},
    {"ibPmaVl15Dropped", 13, COUNTER(COUNTER_VL15_DROPPED)},
};

const struct table PMA_COUNTERS = {"ibPmaPortCntrsTable", TABLE_OID(TABLES_PMA_IDS, 1, 1, 1, 1),
                                   TABLE_COLUMNS(PMA_COUNTERS_COLUMNS), DEVICE_DATA_PORTS,
                                   .counted = true};

static const struct table_column PMA_TRAFFIC_COLUMNS[] = {
    {"ibPmaPortXmitData", 2, TRAFFIC(COUNTER_XMIT_DATA)},
    {"ibPmaPortRcvData", 3, TRAFFIC(COUNTER_RCV_DATA)},
    {"ibPmaPortXmitPkts", 4, TRAFFIC(COUNTER_XMIT_PKTS)},
    {"ibPmaPortRcvPkts", 5, TRAFFIC(COUNTER_RCV_PKTS)},
};

const struct table PMA_TRAFFIC = {"ibPmaPortCntrsOptTable", TABLE_OID(TABLES_PMA_IDS, 1, 1, 2, 1),
                                  TABLE_COLUMNS(PMA_TRAFFIC_COLUMNS), DEVICE_DATA_PORTS,
                                  .counted = true};

// Read on demand: the details of errors, discards, flow control and lanes, of ports whose link is
// up. Few ports have all attributes (IBA 16.1.4). `kind` of the table is the attribute.

enum {
    RCV_ERROR_DETAILS = 0x15,
    XMIT_DISCARD_DETAILS = 0x16,
    FLOW_CTL_COUNTERS = 0x18,
    VL_XMIT_FLOW_CTL_UPDATE_ERRORS = 0x1B,
    VL_XMIT_WAIT_COUNTERS = 0x1C,
    SW_PORT_VL_CONGESTION = 0x30,
};

// A field of an attribute of the row's port. Only switches have SW_PORT_VL_CONGESTION.
static bool pma_detail(struct look *look, struct agentx_value *out)
{
    const uint16_t attribute = (uint16_t)look->table->kind;
    if (look_port(look)->state <= FABRIC_DOWN ||
        (attribute == SW_PORT_VL_CONGESTION && look_node(look)->type != FABRIC_SWITCH))
        return false;
    const uint8_t *data = look_perf(look, look->port, attribute);
    return data && field_of_octets(data, look, out);
}

#define DETAIL(type, octet, bit, bits)                                                             \
    (type), .get = pma_detail,                                                                     \
            .field = {.field = ATTRIBUTE_FIELD(octet, bit, bits), .form = FIELD_NUMBER}
#define EVENTS(octet)      DETAIL(AGENTX_INTEGER, octet, 0, 16)
#define PACKETS(octet)     DETAIL(AGENTX_GAUGE32, octet, 0, 32)
#define DETAILS(attribute) DEVICE_DATA_PORTS, .kind = (attribute)

static const struct table_column PMA_ERRORS_COLUMNS[] = {
    {"ibPmaPortRcvErrLocalPhysErrs", 2, EVENTS(4)}, {"ibPmaPortMalformedPacketErrs", 3, EVENTS(6)},
    {"ibPmaPortBufferOverrunErrs", 4, EVENTS(8)},   {"ibPmaPortDLIDMappingErrs", 5, EVENTS(10)},
    {"ibPmaPortVLMappingErrs", 6, EVENTS(12)},      {"ibPmaPortLoopingErrs", 7, EVENTS(14)},
};

static const struct table_column PMA_DISCARDS_COLUMNS[] = {
    {"ibPmaPortInactiveDiscards", 2, EVENTS(4)},
    {"ibPmaPortNeighborMtuDiscards", 3, EVENTS(6)},
    {"ibPmaPortSwLifetimeLimitDiscards", 4, EVENTS(8)},
    {"ibPmaPortSwHoqLimitDiscards", 5, EVENTS(10)},
};

static const struct table_column PMA_FLOW_COLUMNS[] = {
    {"ibPmaPortFlowCtlXmitFlowPkts", 2, PACKETS(4)},
    {"ibPmaPortFlowCtlRcvFlowPkts", 3, PACKETS(8)},
};

// Lane `vl`; of a lane's `bits` bits the first are in octet 4.
#define LANE(name, bits, vl)                                                                       \
    {                                                                                              \
        "ibPmaPortVl" name #vl, 2 + (vl),                                                          \
            DETAIL(AGENTX_INTEGER, 4 + (bits) * (vl) / 8, (bits) * (vl) % 8, bits)                 \
    }
#define LANES(name, bits)                                                                          \
    LANE(name, bits, 0), LANE(name, bits, 1), LANE(name, bits, 2), LANE(name, bits, 3),            \
        LANE(name, bits, 4), LANE(name, bits, 5), LANE(name, bits, 6), LANE(name, bits, 7),        \
        LANE(name, bits, 8), LANE(name, bits, 9), LANE(name, bits, 10), LANE(name, bits, 11),      \
        LANE(name, bits, 12), LANE(name, bits, 13), LANE(name, bits, 14), LANE(name, bits, 15)

static const struct table_column PMA_UPDATES_COLUMNS[] = {LANES("XmitFCUpErr", 2)};
static const struct table_column PMA_WAITS_COLUMNS[] = {LANES("XmitWait", 16)};
static const struct table_column PMA_CONGESTION_COLUMNS[] = {LANES("SwCongestion", 16)};

const struct table PMA_ERRORS = {"ibPmaPortRcvErrTable", TABLE_OID(TABLES_PMA_IDS, 1, 2, 1, 1),
                                 TABLE_COLUMNS(PMA_ERRORS_COLUMNS), DETAILS(RCV_ERROR_DETAILS)};
const struct table PMA_DISCARDS = {
    "ibPmaPortXmitDiscardTable", TABLE_OID(TABLES_PMA_IDS, 1, 2, 2, 1),
    TABLE_COLUMNS(PMA_DISCARDS_COLUMNS), DETAILS(XMIT_DISCARD_DETAILS)};
const struct table PMA_FLOW = {"ibPmaPortFlowCtlCntrsTable", TABLE_OID(TABLES_PMA_IDS, 1, 2, 3, 1),
                               TABLE_COLUMNS(PMA_FLOW_COLUMNS), DETAILS(FLOW_CTL_COUNTERS)};
const struct table PMA_UPDATES = {
    "ibPmaPortVlXmitFCUpErrTable", TABLE_OID(TABLES_PMA_IDS, 1, 4, 1, 1),
    TABLE_COLUMNS(PMA_UPDATES_COLUMNS), DETAILS(VL_XMIT_FLOW_CTL_UPDATE_ERRORS)};
const struct table PMA_WAITS = {"ibPmaPortVlXmitWaitCntrsTable",
                                TABLE_OID(TABLES_PMA_IDS, 1, 4, 2, 1),
                                TABLE_COLUMNS(PMA_WAITS_COLUMNS), DETAILS(VL_XMIT_WAIT_COUNTERS)};
const struct table PMA_CONGESTION = {
    "ibPmaPortVlSwCongestionTable", TABLE_OID(TABLES_PMA_IDS, 1, 4, 3, 1),
    TABLE_COLUMNS(PMA_CONGESTION_COLUMNS), DETAILS(SW_PORT_VL_CONGESTION)};

// ibIfPortStatTable. Its counters shall not stop (5.0 of the draft): the columns show the sums of
// the port's registers, modulo 2^32. A reading has PortRcvErrorDetails and PortXmitDiscardDetails
// of the ports whose errors grew.

static bool pma_if_sum(struct look *look, struct agentx_value *out)
{
    uint64_t sums[COUNTER_COUNT];
    return field_sums(look, sums) &&
           put_number(out, (int64_t)(sums[look->column->field.field] & UINT32_MAX));
}

// `field`: CAUSE_FIELD of a counter and the cause's place in the details of the counter.
#define CAUSE_FIELD(counter, place) ((counter)*ERROR_DETAILS_CAUSES + (place))

static bool pma_if_cause(struct look *look, struct agentx_value *out)
{
    const unsigned field = look->column->field.field;
    uint64_t sum;
    return accumulated_find_cause(look->snapshot->accumulated, look_node(look)->guid,
                                  look_port(look)->number, field / ERROR_DETAILS_CAUSES,
                                  field % ERROR_DETAILS_CAUSES, &sum) &&
           put_number(out, (int64_t)(sum & UINT32_MAX));
}

#define SUM(which) AGENTX_COUNTER32, .get = pma_if_sum, .field = {.field = (which)}
#define CAUSE(counter, place)                                                                      \
    AGENTX_COUNTER32, .get = pma_if_cause, .field = {.field = CAUSE_FIELD(counter, place)}

static const struct table_column IF_ERRORS_COLUMNS[] = {
    {"ibIfPortSymbolErrs", 2, SUM(COUNTER_SYMBOL_ERROR)},
    {"ibIfPortLinkErrRecovery", 3, SUM(COUNTER_LINK_ERROR_RECOVERY)},
    {"ibIfPortLinkDowned", 4, SUM(COUNTER_LINK_DOWNED)},
    {"ibIfPortStatLocalPhyErrs", 5, CAUSE(COUNTER_RCV_ERRORS, 0)},
    {"ibIfPortStatMalPktErrs", 6, CAUSE(COUNTER_RCV_ERRORS, 1)},
    {"ibIfPortStatRcvRemPhyErrs", 7, SUM(COUNTER_RCV_REMOTE_PHYSICAL_ERRORS)},
    {"ibIfPortStatRcvConstrErrs", 8, SUM(COUNTER_RCV_CONSTRAINT_ERRORS)},
    {"ibIfPortStatInactDiscards", 9, CAUSE(COUNTER_XMIT_DISCARDS, 0)},
    {"ibIfPortStatNeighMTUDiscards", 10, CAUSE(COUNTER_XMIT_DISCARDS, 1)},
    {"ibIfPortStatSwLifetimeDiscards", 11, CAUSE(COUNTER_XMIT_DISCARDS, 2)},
    {"ibIfPortStatHOQLifetimeDiscards", 12, CAUSE(COUNTER_XMIT_DISCARDS, 3)},
    {"ibIfPortStatLinkIntergrityErrs", 13, SUM(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS)},
    {"ibIfPortStatExcBufOverrunErrs", 14, SUM(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS)},
    {"ibIfPortStatVL15Dropped", 15, SUM(COUNTER_VL15_DROPPED)},
};

const struct table IF_ERRORS = {"ibIfPortStatTable", TABLE_OID(TABLES_INFINIBAND_IDS, 2, 1, 1, 1),
                                TABLE_COLUMNS(IF_ERRORS_COLUMNS), DEVICE_PORTS, .counted = true};
