// SPDX-License-Identifier: BSD-2-Clause
// The node numbers (model/node_numbers.h), as the journal keeps them: all in memory, and each in
// the store from the commit on that follows. Nobody sees a number before that commit, so that none
// is given to another node after a crash.
#ifndef IBTRAPD_JOURNAL_NODE_NUMBER_ROWS_H
#define IBTRAPD_JOURNAL_NODE_NUMBER_ROWS_H

#include "journal/store.h"

struct node_number_rows;

struct node_number_rows *node_number_rows_new(void);
void node_number_rows_free(struct node_number_rows *rows);

// Gives numbers to those of the nodes that have none, as node_numbers_with does. Returns false
// while the file has not been read. Any thread.
bool node_number_rows_add(struct node_number_rows *rows, const uint64_t *guids, size_t n);

// Loads the numbers of the file, once. Of a damaged one, as many as can be read, for the file that
// takes its place.
enum store_result node_number_rows_load(struct node_number_rows *rows, struct store *store,
                                        struct error *err);

// These four as those of setting_rows.h: the thread that writes the file.
void node_number_rows_plan(struct node_number_rows *rows);
void node_number_rows_write(struct node_number_rows *rows, struct store *store);
void node_number_rows_committed(struct node_number_rows *rows);
void node_number_rows_begin_file(struct node_number_rows *rows);

// Any thread.
bool node_number_rows_have_changed(struct node_number_rows *rows); // since the last commit
// Those that were committed: a reference, the caller's.
struct node_numbers *node_number_rows_current(struct node_number_rows *rows);

#endif
