// SPDX-License-Identifier: BSD-2-Clause
// The open alarms, one for each key: the active ones, and those whose end receivers were not told
// yet. All are in memory; the journal's next commit writes those that changed to the file.
#ifndef IBTRAPD_JOURNAL_ALARMS_H
#define IBTRAPD_JOURNAL_ALARMS_H

#include "base/random.h"
#include "journal/mirror.h"
#include "model/alarm.h"

// Alarms at most, including cleared ones that are still in the file; further ones are refused.
enum { ALARMS_MAX = 524288 };

struct alarms;

struct alarms *alarms_new(const struct random *random);
void alarms_free(struct alarms *alarms);
struct mirror *alarms_mirror(struct alarms *alarms);

// Writer's thread.

// Raises or clears the alarm of an event. Returns false if there is no room.
bool alarms_apply(struct alarms *alarms, const struct event *event, int64_t sequence);

// Forgets the ends before that time (UTC) that another gateway was to send, and the shelving of
// ended alarms that is over now.
void alarms_forget_ends(struct alarms *alarms, int64_t before_us, int64_t now_us);

// Any thread.

// The number of the event that raised the alarm first; 0: there is no such alarm.
int64_t alarms_number(struct alarms *alarms, const char *key);

bool alarms_is_active(struct alarms *alarms, const char *key);
bool alarms_are_loaded(struct alarms *alarms); // the alarms of the file are there
// How many are active; `of` gets how many of each severity, and may be NULL.
size_t alarms_count(struct alarms *alarms, size_t of[SEVERITY_DEBUG + 1]);
void alarms_get_counts(struct alarms *alarms, struct alarm_counts *out);

// Call `each` in the order in which they were raised; `each` must not call this module. The first
// does so for active alarms only.
void alarms_each(struct alarms *alarms, void (*each)(void *ctx, const struct alarm *alarm),
                 void *ctx);
void alarms_each_open(struct alarms *alarms, void (*each)(void *ctx, const struct alarm *alarm),
                      void *ctx);

// The same for at most `n` active alarms with numbers beyond `after`, for pages. True: there are
// more.
bool alarms_each_after(struct alarms *alarms, int64_t after, size_t n,
                       void (*each)(void *ctx, const struct alarm *alarm), void *ctx);

// Returns false if there is no such alarm. Truncates a note that is too long.
bool alarms_acknowledge(struct alarms *alarms, const char *key, int64_t now_us, const char *who,
                        const char *note);
bool alarms_shelve(struct alarms *alarms, const char *key, int64_t until_us, const char *who);
// Does nothing if no such alarm is active.
void alarms_explain(struct alarms *alarms, const char *key, const char *cause_id,
                    const char *suppressed);

#endif
