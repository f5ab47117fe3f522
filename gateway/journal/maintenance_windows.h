// SPDX-License-Identifier: BSD-2-Clause
// The maintenance windows, which survive a restart. A window in memory goes before the window of
// the same name in the file.
#ifndef IBTRAPD_JOURNAL_MAINTENANCE_WINDOWS_H
#define IBTRAPD_JOURNAL_MAINTENANCE_WINDOWS_H

#include "journal/maintenance_window.h"
#include "journal/mirror.h"

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

#endif
