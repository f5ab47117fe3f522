// SPDX-License-Identifier: BSD-2-Clause
#include "agent/sm_records.h"

#include "agent/fetch.h"
#include "agent/put.h"
#include "agent/sm.h"

// Makes the rows with the latest fabric, as the SA's answer is of now, not of the snapshot's time.
static void sm_records_read(struct agent_snapshot *of, enum records_kind kind)
{
    struct fabric *latest = topology_current(of->source->topology);
    if (!latest)
        return;
    const struct demand_key key = records_query(kind, latest);
    const struct demand_answer *answer = fetch(of, &key);
    if (answer)
        of->records[kind] = records_new(kind, latest, answer);
    fabric_unref(latest);
}

// NULL: the SA has not answered yet (the snapshot has a ticket then), or does not answer.
static const struct records *sm_records_of(const struct agent_snapshot *snapshot,
                                           enum records_kind kind)
{
    struct agent_snapshot *of = (struct agent_snapshot *)snapshot; // its content stays
    if (!of->records[kind] && snapshot->fabric)
        sm_records_read(of, kind);
    return of->records[kind];
}

static void sm_records_add_index(const struct agent_snapshot *snapshot, enum records_kind kind,
                                 bool pieces, size_t at, struct agentx_oid *out)
{
    const struct records *r = snapshot->records[kind];
    sm_add_guid(out, snapshot->fabric->subnet_prefix);
    agentx_oid_add_octets(out, records_index(r, at), records_index_size(r));
    if (pieces)
        agentx_oid_add(out, records_piece(r, at));
}

// The functions of table_seek_sorted know the snapshot only.
#define INDEX_OF(name, kind, pieces)                                                               \
    static void sm_records_##name(const struct agent_snapshot *snapshot, size_t at,                \
                                  struct agentx_oid *out)                                          \
    {                                                                                              \
        sm_records_add_index(snapshot, kind, pieces, at, out);                                     \
    }
INDEX_OF(index_group, RECORDS_GROUPS, false)
INDEX_OF(index_member, RECORDS_MEMBERS, true)
INDEX_OF(index_partition, RECORDS_PARTITIONS, true)
INDEX_OF(index_service, RECORDS_SERVICES, false)

bool sm_records_seek(const struct agent_snapshot *snapshot, enum records_kind kind,
                     const uint32_t *ids, size_t length, bool after, struct table_row *row,
                     struct agentx_oid *found)
{
    static void (*const INDEXES[RECORDS_KINDS])(const struct agent_snapshot *snapshot, size_t at,
                                                struct agentx_oid *out) = {
        [RECORDS_GROUPS] = sm_records_index_group,
        [RECORDS_MEMBERS] = sm_records_index_member,
        [RECORDS_PARTITIONS] = sm_records_index_partition,
        [RECORDS_SERVICES] = sm_records_index_service};
    const struct records *r = sm_records_of(snapshot, kind);
    return r && table_seek_sorted(snapshot, records_count(r), INDEXES[kind], ids, length, after,
                                  &row->at, found);
}

static const struct records *sm_records_of_column(const struct agent_snapshot *snapshot,
                                                  const struct table_row *row)
{
    return snapshot->records[row->column->field.field];
}

bool sm_records_piece(const struct agent_snapshot *snapshot, const struct table_row *row,
                      struct agentx_value *out)
{
    return put_number(out, records_piece(sm_records_of_column(snapshot, row), row->at));
}

bool sm_records_vector(const struct agent_snapshot *snapshot, const struct table_row *row,
                       struct agentx_value *out)
{
    uint8_t octets[RECORDS_PIECE_MAX];
    const size_t size =
        records_copy(sm_records_of_column(snapshot, row), row->at, octets, sizeof octets);
    return put_octets(out, octets, size);
}

bool sm_records_vector_size(const struct agent_snapshot *snapshot, const struct table_row *row,
                            struct agentx_value *out)
{
    uint8_t octets[RECORDS_PIECE_MAX];
    return put_number(out, (int64_t)records_copy(sm_records_of_column(snapshot, row), row->at,
                                                 octets, sizeof octets));
}
