// SPDX-License-Identifier: BSD-2-Clause
// The SA's records as rows of tables: each kind (enum sa_records_kind) is a list of elements,
// sorted by an index. Elements with the same index are packed into the smallest number of rows.
#pragma once

#include "model/attribute.h"
#include "model/fabric.h"

enum { RECORDS_PIECE_MAX = 255 }; // octets of a row of several elements

// What the SA has in tables.
enum sa_records_kind {
    RECORDS_GROUPS,     // MCMemberRecord, one for each multicast group
    RECORDS_MEMBERS,    // the same, one for each port in a group, if the SA tells
    RECORDS_PARTITIONS, // of P_KeyTableRecord: a port in a partition
    RECORDS_SERVICES,   // ServiceRecord
    RECORDS_KINDS,
};

// The query to the SA. An answer with LIDs is kept only while `fabric` is the latest fabric,
// because another port may have a LID later.
struct demand_key sa_records_query(enum sa_records_kind kind, const struct fabric *fabric);

// Makes the rows of an answer to the query; `fabric` finds the ports of LIDs.
struct sa_records;
struct sa_records *sa_records_new(enum sa_records_kind kind, const struct fabric *fabric,
                                  const struct demand_answer *answer);
void sa_records_free(struct sa_records *records); // NULL is allowed

size_t sa_records_count(const struct sa_records *records); // rows
const uint8_t *sa_records_index(const struct sa_records *records, size_t row);
size_t sa_records_index_size(const struct sa_records *records);
uint32_t sa_records_piece(const struct sa_records *records,
                          size_t row); // 0 is the first of its index

// The octets of a row's elements, copied. Returns how many.
size_t sa_records_copy(const struct sa_records *records, size_t row, uint8_t *out, size_t size);

// The octets of the row's first element.
const uint8_t *sa_records_first(const struct sa_records *records, size_t row);
