// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmMcastGroupTable and ibSmMcastMemberTable, from the SA's MCMemberRecords.
#include "agent/field.h"
#include "agent/put.h"
#include "agent/sm.h"
#include "agent/sm_records.h"
#include "agent/tables.h"

// Fields of an MCMemberRecord (IBA 15.2.5.17), as model/attribute.h numbers them.
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

static bool sm_groups_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                           size_t length, bool after, struct table_row *row,
                           struct agentx_oid *found)
{
    return sm_records_seek(snapshot, RECORDS_GROUPS, ids, length, after, row, found);
}

static bool sm_groups_mgid(const struct agent_snapshot *snapshot, const struct table_row *row,
                           struct agentx_value *out)
{
    return put_octets(out, records_index(snapshot->records[RECORDS_GROUPS], row->at), MGID_SIZE);
}

static bool sm_groups_field(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    return field_of_octets(records_first(snapshot->records[RECORDS_GROUPS], row->at), row, out);
}

// Scopes without a label have no instance.
static bool sm_groups_scope(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    enum { LINK_LOCAL = 2, SITE_LOCAL = 5, ORGANIZATION_LOCAL = 8, GLOBAL = 14 };
    const uint32_t scope =
        attribute_get(records_first(snapshot->records[RECORDS_GROUPS], row->at), 0, GROUP_SCOPE);
    return (scope == LINK_LOCAL || scope == SITE_LOCAL || scope == ORGANIZATION_LOCAL ||
            scope == GLOBAL) &&
           put_number(out, scope);
}

#define NUMBER(which)                                                                              \
    AGENTX_INTEGER, .get = sm_groups_field, .field = {.field = (which), .form = FIELD_NUMBER}
#define OCTETS(which)                                                                              \
    AGENTX_OCTETS, .get = sm_groups_field, .field = {.field = (which), .form = FIELD_OCTETS}
#define FROM_TO(which, first, end)                                                                 \
    AGENTX_INTEGER,                                                                                \
        .get = sm_groups_field,                                                                    \
        .field = {.field = (which), .form = FIELD_NUMBER, .least = (first), .most = (end)}

static const struct table_column OF_GROUPS[] = {
    {"ibSmMcastGroupSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmMcastGroupMGID", 2, AGENTX_OCTETS, .get = sm_groups_mgid},
    {"ibSmMcastGroupQKey", 3, AGENTX_OCTETS, .get = field_get_key,
     .field = {.field = ATTRIBUTE_FIELD(0, 0, 32), .form = FIELD_OCTETS}},
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
    {"ibSmMcastGroupScope", 14, AGENTX_INTEGER, .get = sm_groups_scope},
};

// Members.

static bool sm_groups_seek_member(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                  size_t length, bool after, struct table_row *row,
                                  struct agentx_oid *found)
{
    return sm_records_seek(snapshot, RECORDS_MEMBERS, ids, length, after, row, found);
}

static bool sm_groups_member_mgid(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, struct agentx_value *out)
{
    return put_octets(out, records_index(snapshot->records[RECORDS_MEMBERS], row->at), MGID_SIZE);
}

static bool sm_groups_element_size(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, struct agentx_value *out)
{
    (void)snapshot, (void)row;
    return put_number(out, MEMBER_ELEMENT_SIZE);
}

static const struct table_column OF_MEMBERS[] = {
    {"ibSmMcastMemberSubnetPrefix", 1, AGENTX_OCTETS, .get = sm_get_prefix},
    {"ibSmMcastMemberMGID", 2, AGENTX_OCTETS, .get = sm_groups_member_mgid},
    {"ibSmMcastMemberVectorIndex", 3, AGENTX_INTEGER, .get = sm_records_piece,
     .field = {.field = RECORDS_MEMBERS}},
    {"ibSmMcastMemberVector", 4, AGENTX_OCTETS, .get = sm_records_vector,
     .field = {.field = RECORDS_MEMBERS}},
    {"ibSmMcastMemberVectorSize", 5, AGENTX_INTEGER, .get = sm_records_vector_size,
     .field = {.field = RECORDS_MEMBERS}},
    {"ibSmMcastMemberVectorElementSize", 6, AGENTX_INTEGER, .get = sm_groups_element_size},
    {"ibSmMcastMemberLastChange", 7, AGENTX_TIME_TICKS, .get = NULL},
};

static const uint32_t GROUP_ENTRY[] = {TABLES_SM_IDS, 1, 7, 1, 1};
static const uint32_t MEMBER_ENTRY[] = {TABLES_SM_IDS, 1, 7, 2, 1};

const struct table SM_GROUPS = {"ibSmMcastGroupTable",
                                GROUP_ENTRY,
                                sizeof GROUP_ENTRY / sizeof *GROUP_ENTRY,
                                OF_GROUPS,
                                sizeof OF_GROUPS / sizeof *OF_GROUPS,
                                sm_groups_seek};

const struct table SM_GROUP_MEMBERS = {"ibSmMcastMemberTable",
                                       MEMBER_ENTRY,
                                       sizeof MEMBER_ENTRY / sizeof *MEMBER_ENTRY,
                                       OF_MEMBERS,
                                       sizeof OF_MEMBERS / sizeof *OF_MEMBERS,
                                       sm_groups_seek_member};
