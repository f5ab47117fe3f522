// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmServiceTable, from the SA's ServiceRecords.
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/sm_records.h"
#include "agent/tables.h"
#include "base/wire.h"

#include <string.h>

// Places and sizes in a ServiceRecord (IBA 15.2.5.14), in octets.
enum {
    ID = 0,
    ID_SIZE = 8,
    GID = 8,
    GID_SIZE = 16,
    PKEY = 24,
    PKEY_SIZE = 2,
    LEASE = 28,
    NAME = 48,
    NAME_SIZE = 64,
    DATA = 112,
    DATA_SIZE = 64,
    KEY_SIZE = 16,
};

static bool sm_services_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                             size_t length, bool after, struct table_row *row,
                             struct agentx_oid *found)
{
    return sm_records_seek(snapshot, RECORDS_SERVICES, ids, length, after, row, found);
}

static const uint8_t *sm_services_record(const struct agent_snapshot *snapshot,
                                         const struct table_row *row)
{
    return records_first(snapshot->records[RECORDS_SERVICES], row->at);
}

static bool sm_services_id(const struct agent_snapshot *snapshot, const struct table_row *row,
                           struct agentx_value *out)
{
    return put_octets(out, sm_services_record(snapshot, row) + ID, ID_SIZE);
}

static bool sm_services_gid(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    return put_octets(out, sm_services_record(snapshot, row) + GID, GID_SIZE);
}

static bool sm_services_pkey(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    return put_octets(out, sm_services_record(snapshot, row) + PKEY, PKEY_SIZE);
}

// A lease without end, all ones, is -1.
static bool sm_services_lease(const struct agent_snapshot *snapshot, const struct table_row *row,
                              struct agentx_value *out)
{
    return put_number(out, (int32_t)wire_get32(sm_services_record(snapshot, row) + LEASE));
}

// A secret.
static bool sm_services_key(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    static const uint8_t NO_KEY[KEY_SIZE];
    (void)snapshot, (void)row;
    return put_octets(out, NO_KEY, sizeof NO_KEY);
}

// DisplayString: what is not printable ASCII becomes '?'.
static bool sm_services_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    char name[NAME_SIZE];
    const uint8_t *from = sm_services_record(snapshot, row) + NAME;
    const size_t size = strnlen((const char *)from, NAME_SIZE);
    for (size_t i = 0; i < size; i++)
        name[i] = from[i] >= ' ' && from[i] <= '~' ? (char)from[i] : '?';
    return put_octets(out, name, size);
}

static bool sm_services_data(const struct agent_snapshot *snapshot, const struct table_row *row,
                             struct agentx_value *out)
{
    return put_octets(out, sm_services_record(snapshot, row) + DATA, DATA_SIZE);
}

static const struct table_column COLUMNS[] = {
    {"ibSmServiceSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmServiceID", 2, AGENTX_OCTETS, .get = sm_services_id},
    {"ibSmServiceGID", 3, AGENTX_OCTETS, .get = sm_services_gid},
    {"ibSmServicePKey", 4, AGENTX_OCTETS, .get = sm_services_pkey},
    {"ibSmServiceLease", 5, AGENTX_INTEGER, .get = sm_services_lease},
    {"ibSmServiceKey", 6, AGENTX_OCTETS, .get = sm_services_key},
    {"ibSmServiceName", 7, AGENTX_OCTETS, .get = sm_services_name},
    {"ibSmServiceData", 8, AGENTX_OCTETS, .get = sm_services_data},
};

static const uint32_t ENTRY[] = {TABLES_SM_IDS, 1, 13, 1, 1};

const struct table SM_SERVICES = {"ibSmServiceTable",
                                  ENTRY,
                                  sizeof ENTRY / sizeof *ENTRY,
                                  COLUMNS,
                                  sizeof COLUMNS / sizeof *COLUMNS,
                                  sm_services_seek};
