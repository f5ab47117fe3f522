// SPDX-License-Identifier: BSD-2-Clause
// The node numbers (model/node_numbers.h), as the journal keeps them: all in memory, and each in
// the file from the commit on that follows. Nobody sees a number before that commit: after a crash,
// no number is given to another node.
#ifndef IBTRAPD_JOURNAL_NODE_NUMBER_ROWS_H
#define IBTRAPD_JOURNAL_NODE_NUMBER_ROWS_H

#include "journal/mirror.h"

struct node_number_rows;

struct node_number_rows *node_number_rows_new(void);
void node_number_rows_free(struct node_number_rows *rows);
struct mirror *node_number_rows_mirror(struct node_number_rows *rows);

// Gives numbers to the nodes that have none, as node_numbers_with does. Returns false while the
// file has not been read. Any thread.
bool node_number_rows_add(struct node_number_rows *rows, const uint64_t *guids, size_t n);

// The numbers that were committed: a reference, the caller's. Any thread.
struct node_numbers *node_number_rows_current(struct node_number_rows *rows);

#endif
