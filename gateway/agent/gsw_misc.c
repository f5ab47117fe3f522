// SPDX-License-Identifier: BSD-2-Clause
// IBSWITCH-MIB: gswMisc, and the scalar of gswSystem.
#include "agent/gsw.h"
#include "agent/tables.h"

#include <string.h>

static bool put_version(const struct agent_snapshot *snapshot, const struct table_row *row,
                        struct agentx_value *out)
{
    static const char VERSION[] = {'0', '1', '0', '0'}; // the module's first revision
    (void)snapshot;
    (void)row;
    memcpy(out->octets, VERSION, sizeof VERSION);
    out->size = sizeof VERSION;
    return true;
}

static bool put_switches(const struct agent_snapshot *snapshot, const struct table_row *row,
                         struct agentx_value *out)
{
    (void)row;
    out->number = (int64_t)snapshot->switch_count;
    return true;
}

static const uint32_t MISC[] = {TABLES_GSW_IDS, 1}, SYSTEM[] = {TABLES_GSW_IDS, 2};

static const struct table_column MISC_COLUMNS[] = {
    {.name = "gswMIBVersion", .number = 1, .type = AGENTX_OCTETS, .get = put_version},
    {.name = "gswMIBCurrentDate", .number = 2, .type = AGENTX_OCTETS, .get = gsw_get_date},
};

static const struct table_column SYSTEM_COLUMNS[] = {
    {.name = "gswNumOfSwitch", .number = 1, .type = AGENTX_INTEGER, .get = put_switches},
};

const struct table GSW_MISC = {.name = "gswMisc",
                               .entry = MISC,
                               .entry_length = sizeof MISC / sizeof *MISC,
                               .columns = MISC_COLUMNS,
                               .column_count = sizeof MISC_COLUMNS / sizeof *MISC_COLUMNS,
                               .seek = table_seek_scalar};

const struct table GSW_SYSTEM = {.name = "gswSystem",
                                 .entry = SYSTEM,
                                 .entry_length = sizeof SYSTEM / sizeof *SYSTEM,
                                 .columns = SYSTEM_COLUMNS,
                                 .column_count = sizeof SYSTEM_COLUMNS / sizeof *SYSTEM_COLUMNS,
                                 .seek = table_seek_scalar};
