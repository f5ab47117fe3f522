// SPDX-License-Identifier: BSD-2-Clause
// Mirrored tables (mirror.h) of the journal: maintenance windows, node numbers, settings made by
// SNMP.
#ifndef IBTRAPD_JOURNAL_TABLES_H
#define IBTRAPD_JOURNAL_TABLES_H

#include "journal/journal.h"
#include "journal/mirror.h"

// The maintenance windows, which survive a restart. A window in memory goes before the window of
// the same name in the file.
struct maintenance_windows;

struct maintenance_windows *maintenance_windows_new(void);
void maintenance_windows_free(struct maintenance_windows *windows);
struct mirror *maintenance_windows_mirror(struct maintenance_windows *windows);

// Writer's thread. Forgets the windows that ended before `now_us` (UTC). Returns false if there is
// no room.
bool maintenance_windows_set(struct maintenance_windows *windows,
                             const struct journal_maintenance *window, int64_t now_us);

// Writer's thread. Returns false if there is no such window.
bool maintenance_windows_remove(struct maintenance_windows *windows, const char *name);

// Any thread.
void maintenance_windows_each(struct maintenance_windows *windows,
                              void (*each)(void *ctx, const struct journal_maintenance *window),
                              void *ctx);

// The node numbers (model/node_numbers.h), as the journal keeps them: all in memory, and each in
// the file from the commit on that follows. Nobody sees a number before that commit: after a crash,
// no number is given to another node.
struct node_number_rows;

struct node_number_rows *node_number_rows_new(void);
void node_number_rows_free(struct node_number_rows *rows);
struct mirror *node_number_rows_mirror(struct node_number_rows *rows);

// Gives numbers to the nodes that have none, as node_numbers_with does. Returns false while the
// file has not been read. Any thread.
bool node_number_rows_add(struct node_number_rows *rows, const uint64_t *guids, size_t n);

// The numbers that were committed: a reference, the caller's. Any thread.
struct node_numbers *node_number_rows_current(struct node_number_rows *rows);

// The settings made by SNMP, as the journal keeps them. When one changes, the next commit writes
// all settings: the communities into a file of their own, "communities" in the journal's directory,
// which only the user of ibtrapd can read, as the group may read the journal; the others into the
// journal.
struct snmp_settings;

// `directory`, of the journal, stays the caller's.
struct snmp_settings *snmp_settings_new(const char *directory);
void snmp_settings_free(struct snmp_settings *settings);
struct mirror *snmp_settings_mirror(struct snmp_settings *settings);

// Applies all changes or none. Changes made before the file was read are applied to the settings of
// the file. Returns false if there is no room. Writer's thread.
bool snmp_settings_change(struct snmp_settings *settings, const struct setting *changes, size_t n);

// Saves the communities between mirror_plan and the transaction, so that a commit has all settings.
// After a crash in between, the file has the communities of a change whose other settings are lost.
// Returns false with a sentence if the disk failed. The file's thread.
bool snmp_settings_save_communities(struct snmp_settings *settings, struct error *err);

// The settings as they are now: a reference, the caller's. Any thread.
struct settings *snmp_settings_current(struct snmp_settings *settings);

#endif
