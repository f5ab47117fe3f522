// SPDX-License-Identifier: BSD-2-Clause
// The communities among the settings made by SNMP, in a file of their own, "communities" in the
// journal's directory, which only the user of ibtrapd can read: the group may read the journal.
#ifndef IBTRAPD_JOURNAL_COMMUNITIES_H
#define IBTRAPD_JOURNAL_COMMUNITIES_H

#include "base/error.h"
#include "model/setting.h"

// Replaces the file by one with the communities of `settings`; removes it if there is none. After a
// crash the file is the old or the new one. False with a sentence: the disk failed.
bool communities_save(const char *directory, const struct settings *settings, struct error *err);

// Calls `each` for the communities in the file; a missing file has none. Passes over lines that
// this version would not write. False with a sentence: the file cannot be read.
bool communities_load(const char *directory, void (*each)(void *ctx, const struct setting *setting),
                      void *ctx, struct error *err);

#endif
