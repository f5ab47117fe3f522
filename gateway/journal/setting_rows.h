// SPDX-License-Identifier: BSD-2-Clause
// The settings made by SNMP, as the journal keeps them. All are in memory; when one changes, the
// next commit writes all of them: the communities into a file of their own (communities.h), the
// others into the store.
#ifndef IBTRAPD_JOURNAL_SETTING_ROWS_H
#define IBTRAPD_JOURNAL_SETTING_ROWS_H

#include "journal/store.h"

struct setting_rows;

// `directory`, of the journal, stays the caller's.
struct setting_rows *setting_rows_new(const char *directory);
void setting_rows_free(struct setting_rows *rows);

// Writer's thread. Applies all changes or none. Returns false if there is no room.
bool setting_rows_change(struct setting_rows *rows, const struct setting *changes, size_t n);

// Loads the settings of both files, once, and applies the changes made before to them.
enum store_result setting_rows_load(struct setting_rows *rows, struct store *store,
                                    struct error *err);

// Takes the settings for the transaction that follows, if one changed: later changes wait for the
// next. This and the next three: the thread that writes the file.
void setting_rows_plan(struct setting_rows *rows);

// Saves the communities of those, before the transaction, so that a commit has all of them; a crash
// in between leaves the communities of a change whose other settings are lost. False with a
// sentence: the disk failed.
bool setting_rows_save_communities(struct setting_rows *rows, struct error *err);

// Writes the others within the transaction; call setting_rows_committed after its commit.
void setting_rows_write(struct setting_rows *rows, struct store *store);
void setting_rows_committed(struct setting_rows *rows);

// The file is new: the next commit writes all of them.
void setting_rows_begin_file(struct setting_rows *rows);

// Any thread.
bool setting_rows_have_changed(struct setting_rows *rows);        // since the last commit
struct settings *setting_rows_current(struct setting_rows *rows); // a reference, the caller's

#endif
