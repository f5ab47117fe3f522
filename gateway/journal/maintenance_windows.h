// SPDX-License-Identifier: BSD-2-Clause
// The maintenance windows, which survive a restart. All are in memory; when one changes, the next
// commit writes all of them.
#ifndef IBTRAPD_JOURNAL_MAINTENANCE_WINDOWS_H
#define IBTRAPD_JOURNAL_MAINTENANCE_WINDOWS_H

#include "journal/maintenance_window.h"
#include "journal/store.h"

struct maintenance_windows;

struct maintenance_windows *maintenance_windows_new(void);
void maintenance_windows_free(struct maintenance_windows *windows);

// Writer's thread. Forgets those that ended before `now_us` (UTC). False: there is no room.
bool maintenance_windows_set(struct maintenance_windows *windows,
                             const struct journal_maintenance *window, int64_t now_us);
bool maintenance_windows_remove(struct maintenance_windows *windows,
                                const char *name); // false: no such window

// Loads the windows of the file, once; a window of the same name in memory takes precedence.
enum store_result maintenance_windows_load(struct maintenance_windows *windows, struct store *store,
                                           struct error *err);

// Writes them within a transaction, if one changed; call maintenance_windows_committed after its
// commit.
void maintenance_windows_write(struct maintenance_windows *windows, struct store *store);
void maintenance_windows_committed(struct maintenance_windows *windows);

// The file is new: the next commit writes all of them.
void maintenance_windows_begin_file(struct maintenance_windows *windows);

// Any thread.
bool maintenance_windows_have_changed(struct maintenance_windows *windows); // since the last commit
void maintenance_windows_each(struct maintenance_windows *windows,
                              void (*each)(void *ctx, const struct journal_maintenance *window),
                              void *ctx);

#endif
