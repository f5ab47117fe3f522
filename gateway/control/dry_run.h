// Which of the journal's last events would go where under another configuration.
#ifndef IBTRAPD_CONTROL_DRY_RUN_H
#define IBTRAPD_CONTROL_DRY_RUN_H

#include "conf/conf.h"
#include "journal/journal.h"

#include <jansson.h>

enum { DRY_RUN_EVENTS_DEFAULT = 1000, DRY_RUN_EVENTS_MAX = 10000 };

// Answers "dry-run", with items "config" (the text of a configuration), "name" (of its file, for
// sentences) and "events" (how many; missing: DRY_RUN_EVENTS_DEFAULT). NULL: another command. Any
// thread; takes some 10 us an event.
json_t *dry_run_get(struct journal *journal, const char *command, const json_t *request);

// Events are judged anew, at the times at which they happened; those that policy made, then, are
// left out, as it makes them anew, and so are tests. Policy begins without any alarm. NULL: out of
// memory.
json_t *dry_run(struct journal *journal, const struct conf *conf, int64_t events);

#endif
