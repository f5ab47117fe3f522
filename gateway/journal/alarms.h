// The active alarms: one a key. Memory has them all; what changed goes to the file with the
// journal's next commit.
#ifndef IBTRAPD_JOURNAL_ALARMS_H
#define IBTRAPD_JOURNAL_ALARMS_H

#include "journal/store.h"
#include "model/alarm.h"

// That many at most, those included that are cleared and still in the file: then no more are taken.
enum { ALARMS_MAX = 65536 };

struct alarms;

struct alarms *alarms_new(void);         // NULL: out of memory
void alarms_free(struct alarms *alarms); // NULL is allowed

// Writer's thread.

// Raises or clears what the event says; "link X" raised clears "rate link X". False when there is
// no room or memory for it.
bool alarms_apply(struct alarms *alarms, const struct event *event, int64_t sequence);

// Takes what the file has, once; what was raised or cleared before stays so.
enum store_result alarms_load(struct alarms *alarms, struct store *store, struct error *err);

// Writes what changed, within a transaction; and, when that was committed, remembers it.
void alarms_write(struct alarms *alarms, struct store *store);
void alarms_committed(struct alarms *alarms);

// The file is a new one: everything is to be written again.
void alarms_begin_file(struct alarms *alarms);

// Any thread.

bool alarms_have_changed(struct alarms *alarms); // since the last commit
size_t alarms_count(struct alarms *alarms);

// In the order in which they were raised; `each` must not call this module again.
void alarms_each(struct alarms *alarms, void (*each)(void *ctx, const struct alarm *alarm),
                 void *ctx);

// False when there is no such alarm. A note that is too long is cut.
bool alarms_acknowledge(struct alarms *alarms, const char *key, int64_t now_us, const char *note);
bool alarms_shelve(struct alarms *alarms, const char *key, int64_t until_us);

#endif
