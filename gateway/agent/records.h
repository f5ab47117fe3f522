// SPDX-License-Identifier: BSD-2-Clause
// The SA's records as rows of tables: each kind (enum records_kind) is a list of elements, sorted
// by an index. Elements with the same index are packed into the smallest number of rows.
#ifndef IBTRAPD_AGENT_RECORDS_H
#define IBTRAPD_AGENT_RECORDS_H

#include "model/demand.h"
#include "model/fabric.h"

enum { RECORDS_PIECE_MAX = 255 }; // octets of a row of several elements

// What the SA has in tables.
enum records_kind {
    RECORDS_GROUPS,     // MCMemberRecord, one for each multicast group
    RECORDS_MEMBERS,    // the same, one for each port in a group, if the SA tells
    RECORDS_PARTITIONS, // of P_KeyTableRecord: a port in a partition
    RECORDS_SERVICES,   // ServiceRecord
    RECORDS_KINDS,
};

// The query to the SA. An answer with LIDs is kept only while `fabric` is the latest fabric,
// because another port may have a LID later.
struct demand_key records_query(enum records_kind kind, const struct fabric *fabric);

// Makes the rows of an answer to the query; `fabric` finds the ports of LIDs.
struct records;
struct records *records_new(enum records_kind kind, const struct fabric *fabric,
                            const struct demand_answer *answer);
void records_free(struct records *records); // NULL is allowed

size_t records_count(const struct records *records); // rows
const uint8_t *records_index(const struct records *records, size_t row);
size_t records_index_size(const struct records *records);
uint32_t records_piece(const struct records *records, size_t row); // 0 is the first of its index

// The octets of a row's elements, copied. Returns how many.
size_t records_copy(const struct records *records, size_t row, uint8_t *out, size_t size);

// The octets of the row's first element.
const uint8_t *records_first(const struct records *records, size_t row);

#endif
