// SPDX-License-Identifier: BSD-2-Clause
// IB-SMA-MIB, read on demand: ibSmaLedInfoTable, with a row for the end port if that has an LED.
#include "agent/device.h"
#include "agent/leds.h"
#include "agent/put.h"
#include "agent/tables.h"

static bool sma_leds_seek(const struct agent_snapshot *snapshot, const uint32_t *ids, size_t length,
                          bool after, struct table_row *row, struct agentx_oid *found)
{
    return device_seek_end_port(snapshot, ids, length, after, row, found) &&
           leds_has(device_port(snapshot, row));
}

static bool sma_leds_state(const struct agent_snapshot *snapshot, const struct table_row *row,
                           struct agentx_value *out)
{
    enum { ON = 2, OFF = 3 }; // ibSmaLedState
    bool on;
    return leds_read(snapshot, row->port, &on) && put_number(out, on ? ON : OFF);
}

static const struct table_column COLUMNS[] = {
    {"ibSmaLedState", 2, AGENTX_INTEGER, .get = sma_leds_state},
};

static const uint32_t ENTRY[] = {TABLES_SMA_IDS, 1, 14, 1, 1};

const struct table SMA_LEDS = TABLE("ibSmaLedInfoTable", ENTRY, COLUMNS, sma_leds_seek);
