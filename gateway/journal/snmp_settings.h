// SPDX-License-Identifier: BSD-2-Clause
// The settings made by SNMP, as the journal keeps them. When one changes, the next commit writes
// all settings: the communities into a file of their own, "communities" in the journal's directory,
// which only the user of ibtrapd can read, as the group may read the journal; the others into the
// journal.
#ifndef IBTRAPD_JOURNAL_SNMP_SETTINGS_H
#define IBTRAPD_JOURNAL_SNMP_SETTINGS_H

#include "journal/mirror.h"

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
