// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: the tables whose rows the SA has (agent/sa_records.h): partitions, multicast groups
// and their members, services. The SA is asked when a snapshot first needs the rows, which are the
// snapshot's from then on. `kind` of the table is its enum sa_records_kind.
#include "agent/column.h"
#include "base/wire.h"
#include "tables/sm.h"
#include "tables/tables.h"

#include <string.h>

// Rows.

// Makes the rows with the latest fabric, because the SA's answer is of now, not of the snapshot's
// time.
static void sm_records_read(struct look *look, enum sa_records_kind kind)
{
    struct fabric *latest = topology_current(look->snapshot->source->topology);
    if (!latest)
        return;
    const struct demand_key key = sa_records_query(kind, latest);
    const struct demand_answer *answer = look_ask(look, &key);
    if (answer)
        look->snapshot->records[kind] = sa_records_new(kind, latest, answer);
    fabric_unref(latest);
}

static const struct sa_records *sm_records_of(const struct look *look)
{
    return look->snapshot->records[look->table->kind];
}

// There are no rows before the SA has answered: then the look has a ticket, or the SA is away.
static size_t sm_records_count(struct look *look)
{
    if (!sm_records_of(look) && look->fabric)
        sm_records_read(look, look->table->kind);
    return sm_records_of(look) ? sa_records_count(sm_records_of(look)) : 0;
}

// A table of vectors has the number of the piece in its index.
static void sm_records_enter(struct look *look)
{
    const struct sa_records *r = sm_records_of(look);
    const bool pieces =
        look->table->kind == RECORDS_MEMBERS || look->table->kind == RECORDS_PARTITIONS;
    sm_add_prefix(look);
    agentx_oid_add_octets(&look->found, sa_records_index(r, look->at), sa_records_index_size(r));
    if (pieces)
        agentx_oid_add(&look->found, sa_records_piece(r, look->at));
}

#define RECORDS(which) TABLE_SORTED(sm_records_count, sm_records_enter), .kind = (which)

// Columns: the first `most` octets of the index; `most` octets of the first element of the row,
// from `least` on; the pieces of vectors.

GETTER(sm_records_key,
       put_octets(out, sa_records_index(sm_records_of(look), look->at), look->column->field.most))

static bool sm_records_octets(struct look *look, struct agentx_value *out)
{
    const struct table_field *part = &look->column->field;
    return put_octets(out, sa_records_first(sm_records_of(look), look->at) + part->least,
                      part->most);
}

#define KEY(size)        .get = sm_records_key, .field = {.most = (size)}
#define PART(from, size) .get = sm_records_octets, .field = {.least = (from), .most = (size)}

GETTER(sm_records_piece, put_number(out, sa_records_piece(sm_records_of(look), look->at)))

static bool sm_records_vector(struct look *look, struct agentx_value *out)
{
    uint8_t octets[RECORDS_PIECE_MAX];
    return put_octets(out, octets,
                      sa_records_copy(sm_records_of(look), look->at, octets, sizeof octets));
}

GETTER(sm_records_vector_size, sm_records_vector(look, out) && put_number(out, out->size))

// ibSmPartitionTable, from P_KeyTableRecords. A partition is named by its P_Key with the membership
// bit set.

enum { PKEY_SIZE = 2, PARTITION_ELEMENT_SIZE = 10 };

static const struct table_column SM_PARTITIONS_COLUMNS[] = {
    {"ibSmPartitionSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmPartitionKey", 2, AGENTX_OCTETS, KEY(PKEY_SIZE)},
    {"ibSmPartitionVectorIndex", 3, AGENTX_INTEGER, .get = sm_records_piece},
    {"ibSmPartitionVector", 4, AGENTX_OCTETS, .get = sm_records_vector},
    {"ibSmPartitionVectorSize", 5, AGENTX_INTEGER, .get = sm_records_vector_size},
    {"ibSmPartitionVectorElementSize", 6, AGENTX_INTEGER, FIELD_CONSTANT(PARTITION_ELEMENT_SIZE)},
    {"ibSmPartitionLastChange", 7, AGENTX_TIME_TICKS, .get = NULL},
};

const struct table SM_PARTITIONS = {"ibSmPartitionTable", TABLE_OID(TABLES_SM_IDS, 1, 5, 1, 1),
                                    TABLE_COLUMNS(SM_PARTITIONS_COLUMNS),
                                    RECORDS(RECORDS_PARTITIONS)};

// ibSmMcastGroupTable and ibSmMcastMemberTable, from MCMemberRecords.

// Fields of an MCMemberRecord (IBA 15.2.5.17), numbered by model/attribute.h.
enum {
    GROUP_MLID = ATTRIBUTE_FIELD(36, 0, 16),
    GROUP_MTU = ATTRIBUTE_FIELD(38, 2, 6),
    GROUP_TCLASS = ATTRIBUTE_FIELD(39, 0, 8),
    GROUP_PKEY = ATTRIBUTE_FIELD(40, 0, 16),
    GROUP_RATE_SELECTOR = ATTRIBUTE_FIELD(42, 0, 2),
    GROUP_RATE = ATTRIBUTE_FIELD(42, 2, 6),
    GROUP_LIFE_TIME = ATTRIBUTE_FIELD(43, 2, 6),
    GROUP_SL = ATTRIBUTE_FIELD(44, 0, 4),
    GROUP_FLOW_LABEL = ATTRIBUTE_FIELD(44, 4, 20),
    GROUP_HOP_LIMIT = ATTRIBUTE_FIELD(47, 0, 8),
    GROUP_SCOPE = ATTRIBUTE_FIELD(48, 0, 4),
};

enum { MGID_SIZE = 16, MEMBER_ELEMENT_SIZE = 18, MTU_LEAST = 1, MTU_MOST = 5 };
enum { RATE_LEAST = 2, RATE_MOST = 24 };

GETTER(sm_records_field,
       field_of_octets(sa_records_first(sm_records_of(look), look->at), look, out))

// Scopes without a label have no instance.
static bool sm_records_scope(struct look *look, struct agentx_value *out)
{
    enum { LINK_LOCAL = 2, SITE_LOCAL = 5, ORGANIZATION_LOCAL = 8, GLOBAL = 14 };
    return sm_records_field(look, out) &&
           (out->number == LINK_LOCAL || out->number == SITE_LOCAL ||
            out->number == ORGANIZATION_LOCAL || out->number == GLOBAL);
}

#define NUMBER(which)                                                                              \
    AGENTX_INTEGER, .get = sm_records_field, .field = {.field = (which), .form = FIELD_NUMBER}
#define OCTETS(which)                                                                              \
    AGENTX_OCTETS, .get = sm_records_field, .field = {.field = (which), .form = FIELD_OCTETS}
#define FROM_TO(which, first, end)                                                                 \
    AGENTX_INTEGER,                                                                                \
        .get = sm_records_field,                                                                   \
        .field = {.field = (which), .form = FIELD_NUMBER, .least = (first), .most = (end)}

static const struct table_column SM_GROUPS_COLUMNS[] = {
    {"ibSmMcastGroupSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmMcastGroupMGID", 2, AGENTX_OCTETS, KEY(MGID_SIZE)},
    {"ibSmMcastGroupQKey", 3, FIELD_KEY(4)},
    {"ibSmMcastGroupMLID", 4, OCTETS(GROUP_MLID)},
    {"ibSmMcastGroupMTU", 5, FROM_TO(GROUP_MTU, MTU_LEAST, MTU_MOST)},
    {"ibSmMcastGroupTClass", 6, NUMBER(GROUP_TCLASS)},
    {"ibSmMcastGroupPKey", 7, OCTETS(GROUP_PKEY)},
    {"ibSmMcastGroupRateSelector", 8, NUMBER(GROUP_RATE_SELECTOR)},
    {"ibSmMcastGroupRate", 9, FROM_TO(GROUP_RATE, RATE_LEAST, RATE_MOST)},
    {"ibSmMcastGroupPacketLifeTime", 10, NUMBER(GROUP_LIFE_TIME)},
    {"ibSmMcastGroupSL", 11, NUMBER(GROUP_SL)},
    {"ibSmMcastGroupFlowLabel", 12, OCTETS(GROUP_FLOW_LABEL)},
    {"ibSmMcastGroupHopLimit", 13, NUMBER(GROUP_HOP_LIMIT)},
    {"ibSmMcastGroupScope", 14, AGENTX_INTEGER, .get = sm_records_scope,
     .field = {.field = GROUP_SCOPE}},
};

const struct table SM_GROUPS = {"ibSmMcastGroupTable", TABLE_OID(TABLES_SM_IDS, 1, 7, 1, 1),
                                TABLE_COLUMNS(SM_GROUPS_COLUMNS), RECORDS(RECORDS_GROUPS)};

static const struct table_column SM_GROUP_MEMBERS_COLUMNS[] = {
    {"ibSmMcastMemberSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmMcastMemberMGID", 2, AGENTX_OCTETS, KEY(MGID_SIZE)},
    {"ibSmMcastMemberVectorIndex", 3, AGENTX_INTEGER, .get = sm_records_piece},
    {"ibSmMcastMemberVector", 4, AGENTX_OCTETS, .get = sm_records_vector},
    {"ibSmMcastMemberVectorSize", 5, AGENTX_INTEGER, .get = sm_records_vector_size},
    {"ibSmMcastMemberVectorElementSize", 6, AGENTX_INTEGER, FIELD_CONSTANT(MEMBER_ELEMENT_SIZE)},
    {"ibSmMcastMemberLastChange", 7, AGENTX_TIME_TICKS, .get = NULL},
};

const struct table SM_GROUP_MEMBERS = {"ibSmMcastMemberTable", TABLE_OID(TABLES_SM_IDS, 1, 7, 2, 1),
                                       TABLE_COLUMNS(SM_GROUP_MEMBERS_COLUMNS),
                                       RECORDS(RECORDS_MEMBERS)};

// ibSmServiceTable, from ServiceRecords: places and sizes in octets (IBA 15.2.5.14).

enum { LEASE = 28, NAME = 48, NAME_SIZE = 64, DATA = 112, DATA_SIZE = 64, SERVICE_KEY_SIZE = 16 };

// A lease without end, all ones, is -1.
GETTER(sm_records_lease,
       put_number(out,
                  (int32_t)wire_get32(sa_records_first(sm_records_of(look), look->at) + LEASE)))

// DisplayString: '?' for all but printable ASCII.
static bool sm_records_name(struct look *look, struct agentx_value *out)
{
    char name[NAME_SIZE];
    const uint8_t *from = sa_records_first(sm_records_of(look), look->at) + NAME;
    const size_t size = strnlen((const char *)from, NAME_SIZE);
    for (size_t i = 0; i < size; i++)
        name[i] = from[i] >= ' ' && from[i] <= '~' ? (char)from[i] : '?';
    return put_octets(out, name, size);
}

static const struct table_column SM_SERVICES_COLUMNS[] = {
    {"ibSmServiceSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmServiceID", 2, AGENTX_OCTETS, PART(0, 8)},
    {"ibSmServiceGID", 3, AGENTX_OCTETS, PART(8, 16)},
    {"ibSmServicePKey", 4, AGENTX_OCTETS, PART(24, 2)},
    {"ibSmServiceLease", 5, AGENTX_INTEGER, .get = sm_records_lease},
    {"ibSmServiceKey", 6, FIELD_KEY(SERVICE_KEY_SIZE)},
    {"ibSmServiceName", 7, AGENTX_OCTETS, .get = sm_records_name},
    {"ibSmServiceData", 8, AGENTX_OCTETS, PART(DATA, DATA_SIZE)},
};

const struct table SM_SERVICES = {"ibSmServiceTable", TABLE_OID(TABLES_SM_IDS, 1, 13, 1, 1),
                                  TABLE_COLUMNS(SM_SERVICES_COLUMNS), RECORDS(RECORDS_SERVICES)};
