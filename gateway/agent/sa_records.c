// SPDX-License-Identifier: BSD-2-Clause
#include "agent/sa_records.h"

#include "base/memory.h"
#include "base/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct sa_records_row {
    uint32_t first, count; // elements
    uint32_t piece;
};

struct sa_records {
    size_t index_size, element_size, per_row;
    uint8_t *elements; // each is an index, then the octets
    size_t element_count, room;
    struct sa_records_row *rows;
    size_t row_count;
};

// Sizes in octets, and places in the records (IBA 15.2.5).
enum {
    GID_SIZE = 16,
    MEMBER_GID = 16,
    MEMBER_STATE = 48,
    MEMBER_PROXY = 49,
    BOTH_GIDS_SIZE = 32,
    MEMBER_SIZE = GID_SIZE + 2,
    PARTITION_SIZE = 10,
    SERVICE_INDEX_SIZE = 26,
    PKEY_PORT = 4,
    PKEY_KEYS = 8,
    PKEYS = 32,
    FULL = 0x8000,
};

static size_t sa_records_stride(const struct sa_records *r)
{
    return r->index_size + r->element_size;
}

// The place of a further element, zeroed. There is room: a record has `per_record` elements at
// most.
static uint8_t *sa_records_add(struct sa_records *r)
{
    assert(r->element_count < r->room);
    return r->elements + r->element_count++ * sa_records_stride(r);
}

// Filling: each adds the elements of one record.

static void sa_records_add_group(struct sa_records *r, const struct fabric *fabric,
                                 const uint8_t *record)
{
    (void)fabric;
    uint8_t *to = sa_records_add(r);
    memcpy(to, record, GID_SIZE);
    memcpy(to + GID_SIZE, record, r->element_size);
    memset(to + GID_SIZE + MEMBER_GID, 0, GID_SIZE); // what is of one member
    to[GID_SIZE + MEMBER_STATE] &= 0xF0;
    to[GID_SIZE + MEMBER_PROXY] = 0;
}

static void sa_records_add_member(struct sa_records *r, const struct fabric *fabric,
                                  const uint8_t *record)
{
    enum { JOINED = 0x0F, PROXY = 0x80, BY_PROXY = 1, BY_ITSELF = 2 };
    static const uint8_t NO_GID[GID_SIZE];
    (void)fabric;
    if (memcmp(record + MEMBER_GID, NO_GID, GID_SIZE) == 0)
        return;
    uint8_t *to = sa_records_add(r);
    memcpy(to, record, BOTH_GIDS_SIZE);
    to[BOTH_GIDS_SIZE] = record[MEMBER_STATE] & JOINED;
    to[BOTH_GIDS_SIZE + 1] = record[MEMBER_PROXY] & PROXY ? BY_PROXY : BY_ITSELF;
}

static void sa_records_add_partition(struct sa_records *r, const struct fabric *fabric,
                                     uint16_t pkey, uint32_t port)
{
    enum { AT_GUID = 2, AT_PORT = 10, AT_TYPE = 11, FULL_MEMBER = 1, LIMITED_MEMBER = 2 };
    if ((pkey & ~FULL) == 0)
        return;
    uint8_t *to = sa_records_add(r);
    wire_put(to, 2, pkey | FULL);
    wire_put(to + AT_GUID, 8, fabric->nodes[fabric_node_of_port(fabric, port)].guid);
    to[AT_PORT] = fabric->ports[port].number;
    to[AT_TYPE] = pkey & FULL ? FULL_MEMBER : LIMITED_MEMBER;
}

// Only end ports are members; the external ports of a switch check the P_Keys of others.
static void sa_records_add_pkeys(struct sa_records *r, const struct fabric *fabric,
                                 const uint8_t *record)
{
    const uint32_t port = fabric_find_lid(fabric, wire_get16(record));
    if (port == FABRIC_NONE)
        return;
    const struct fabric_node *node = &fabric->nodes[fabric_node_of_port(fabric, port)];
    if (node->type == FABRIC_SWITCH && record[PKEY_PORT] != 0)
        return;
    for (size_t i = 0; i < PKEYS; i++)
        sa_records_add_partition(r, fabric, wire_get16(record + PKEY_KEYS + 2 * i), port);
}

static void sa_records_add_service(struct sa_records *r, const struct fabric *fabric,
                                   const uint8_t *record)
{
    (void)fabric;
    uint8_t *to = sa_records_add(r);
    memcpy(to, record, SERVICE_INDEX_SIZE);
    memcpy(to + SERVICE_INDEX_SIZE, record, r->element_size);
}

static const struct sa_records_of_kind {
    enum demand_attribute attribute;
    size_t index_size, element_size, per_record; // elements of a record at most
    bool packed;                                 // a row has several elements
    bool keyless; // OpenSM tells a trusted client of members only, not of empty groups
    void (*add)(struct sa_records *r, const struct fabric *fabric, const uint8_t *record);
} KINDS[RECORDS_KINDS] = {
    [RECORDS_GROUPS] = {DEMAND_MC_MEMBER_RECORD, GID_SIZE, 52, 1, false, true,
                        sa_records_add_group},
    [RECORDS_MEMBERS] = {DEMAND_MC_MEMBER_RECORD, GID_SIZE, MEMBER_SIZE, 1, true, false,
                         sa_records_add_member},
    [RECORDS_PARTITIONS] = {DEMAND_PKEY_TABLE_RECORD, 2, PARTITION_SIZE, PKEYS, true, false,
                            sa_records_add_pkeys},
    [RECORDS_SERVICES] = {DEMAND_SERVICE_RECORD, SERVICE_INDEX_SIZE, 176, 1, false, false,
                          sa_records_add_service},
};

// Rows.

static int sa_records_compare(const void *a, const void *b, void *size)
{
    return memcmp(a, b, *(const size_t *)size);
}

static const uint8_t *sa_records_element(const struct sa_records *r, size_t at)
{
    return r->elements + at * sa_records_stride(r);
}

// Whether element `at` repeats the element before.
static bool sa_records_repeats(const struct sa_records *r, size_t at, bool packed)
{
    const size_t compared = packed ? sa_records_stride(r) : r->index_size;
    return at > 0 &&
           memcmp(sa_records_element(r, at - 1), sa_records_element(r, at), compared) == 0;
}

static void sa_records_drop_repeats(struct sa_records *r, bool packed)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->element_count; i++) {
        memmove(r->elements + kept * sa_records_stride(r), sa_records_element(r, i),
                sa_records_stride(r));
        kept += !sa_records_repeats(r, kept, packed);
    }
    r->element_count = kept;
}

static void sa_records_make_rows(struct sa_records *r)
{
    assert(r->rows || r->element_count == 0);
    for (size_t i = 0; i < r->element_count; i++) {
        struct sa_records_row *last = r->row_count > 0 ? &r->rows[r->row_count - 1] : NULL;
        const bool same = last && memcmp(sa_records_element(r, i - 1), sa_records_element(r, i),
                                         r->index_size) == 0;
        if (same && last->count < r->per_row)
            last->count++;
        else
            r->rows[r->row_count++] = (struct sa_records_row){
                .first = (uint32_t)i, .count = 1, .piece = same ? last->piece + 1 : 0};
    }
}

static struct sa_records *sa_records_make(const struct sa_records_of_kind *kind,
                                          const struct fabric *fabric,
                                          const struct demand_answer *answer)
{
    struct sa_records *r = memory_zeroed(1, sizeof *r);
    *r = (struct sa_records){.index_size = kind->index_size,
                             .element_size = kind->element_size,
                             .per_row = kind->packed ? RECORDS_PIECE_MAX / kind->element_size : 1,
                             .room = answer->count * kind->per_record};
    size_t stride = sa_records_stride(r);
    r->elements = memory_zeroed(r->room + 1, stride);
    for (size_t i = 0; i < answer->count; i++)
        kind->add(r, fabric, demand_answer_at(answer, i));
    r->rows = memory_zeroed(r->element_count + 1, sizeof *r->rows);
    qsort_r(r->elements, r->element_count, stride, sa_records_compare, &stride);
    sa_records_drop_repeats(r, kind->packed);
    sa_records_make_rows(r);
    return r;
}

// The interface.

struct demand_key sa_records_query(enum sa_records_kind kind, const struct fabric *fabric)
{
    const bool has_lids = kind == RECORDS_PARTITIONS;
    return (struct demand_key){.class = DEMAND_SA,
                               .attribute = (uint16_t)KINDS[kind].attribute,
                               .sweep_us = has_lids ? fabric->time_us : 0,
                               .keyless = KINDS[kind].keyless};
}

struct sa_records *sa_records_new(enum sa_records_kind kind, const struct fabric *fabric,
                                  const struct demand_answer *answer)
{
    return sa_records_make(&KINDS[kind], fabric, answer);
}

void sa_records_free(struct sa_records *records)
{
    if (!records)
        return;
    free(records->elements);
    free(records->rows);
    free(records);
}

size_t sa_records_count(const struct sa_records *records)
{
    return records->row_count;
}

const uint8_t *sa_records_index(const struct sa_records *records, size_t row)
{
    return sa_records_element(records, records->rows[row].first);
}

size_t sa_records_index_size(const struct sa_records *records)
{
    return records->index_size;
}

uint32_t sa_records_piece(const struct sa_records *records, size_t row)
{
    return records->rows[row].piece;
}

const uint8_t *sa_records_first(const struct sa_records *records, size_t row)
{
    return sa_records_index(records, row) + records->index_size;
}

size_t sa_records_copy(const struct sa_records *records, size_t row, uint8_t *out, size_t size)
{
    const struct sa_records_row *of = &records->rows[row];
    size_t used = 0;
    for (size_t i = of->first; i < of->first + of->count; i++) {
        if (records->element_size > size - used)
            break;
        memcpy(out + used, sa_records_element(records, i) + records->index_size,
               records->element_size);
        used += records->element_size;
    }
    return used;
}
