// What was set by SNMP, as the journal keeps it: memory has all of it, and the file gets all of it
// when something changed.
#ifndef IBTRAPD_JOURNAL_SETTING_ROWS_H
#define IBTRAPD_JOURNAL_SETTING_ROWS_H

#include "journal/store.h"

struct setting_rows;

struct setting_rows *setting_rows_new(void);       // NULL: out of memory
void setting_rows_free(struct setting_rows *rows); // NULL is allowed

// Writer's thread. All or none; false: no room, or no memory.
bool setting_rows_change(struct setting_rows *rows, const struct setting *changes, size_t n);

// Takes what the file has, once; what was changed before is changed in it, too.
enum store_result setting_rows_load(struct setting_rows *rows, struct store *store,
                                    struct error *err);

// Writes them if they changed, within a transaction; and, when that was committed, remembers it.
void setting_rows_write(struct setting_rows *rows, struct store *store);
void setting_rows_committed(struct setting_rows *rows);

// The file is a new one: everything is to be written again.
void setting_rows_begin_file(struct setting_rows *rows);

// Any thread.
bool setting_rows_have_changed(struct setting_rows *rows);        // since the last commit
struct settings *setting_rows_current(struct setting_rows *rows); // a reference, the caller's

#endif
