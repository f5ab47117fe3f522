// The maintenance windows that are kept over a restart: memory has them all, and the file gets all
// of them when one changed.
#ifndef IBTRAPD_JOURNAL_WINDOWS_H
#define IBTRAPD_JOURNAL_WINDOWS_H

#include "journal/store.h"
#include "journal/window.h"

struct windows;

struct windows *windows_new(void);          // NULL: out of memory
void windows_free(struct windows *windows); // NULL is allowed

// Writer's thread. Those that ended before `now_us` (UTC) are forgotten; false: there is no room.
bool windows_set(struct windows *windows, const struct journal_window *window, int64_t now_us);
bool windows_remove(struct windows *windows, const char *name); // false: none such

// Takes what the file has, once, unless memory has some of the same name.
enum store_result windows_load(struct windows *windows, struct store *store, struct error *err);

// Writes them if they changed, within a transaction; and, when that was committed, remembers it.
void windows_write(struct windows *windows, struct store *store);
void windows_committed(struct windows *windows);

// The file is a new one: everything is to be written again.
void windows_begin_file(struct windows *windows);

// Any thread.
bool windows_have_changed(struct windows *windows); // since the last commit
void windows_each(struct windows *windows,
                  void (*each)(void *ctx, const struct journal_window *window), void *ctx);

#endif
