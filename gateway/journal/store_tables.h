// SPDX-License-Identifier: BSD-2-Clause
// The SQL of the tables that memory mirrors. For the files of the store only (store_*.c).
#ifndef IBTRAPD_JOURNAL_STORE_TABLES_H
#define IBTRAPD_JOURNAL_STORE_TABLES_H

#include "journal/store.h"

// Of each table.
enum store_table_statement {
    READ_ROWS,
    READ_ROWS_BACKWARDS,
    SET_ROW,
    DELETE_ROW,
    DELETE_ROWS,
};

enum { STORE_SQL_SIZE = 1024 };

void store_tables_write_sql(enum store_table table, enum store_table_statement which,
                            char out[STORE_SQL_SIZE]);

#endif
