// SPDX-License-Identifier: BSD-2-Clause
// Shows which of the journal's last events each receiver would get under another configuration.
#ifndef IBTRAPD_CONTROL_DRY_RUN_H
#define IBTRAPD_CONTROL_DRY_RUN_H

#include "control/control.h"

enum { DRY_RUN_EVENTS_DEFAULT = 1000, DRY_RUN_EVENTS_MAX = 10000 };

// "dry-run", with items "config" (the text of a configuration), "name" (the name of its file, for
// sentences) and "events" (how many of the last events; missing: DRY_RUN_EVENTS_DEFAULT). Takes
// some 10 us for each event.
json_t *dry_run_answer(struct control *control, const json_t *request);

// Judges the events again, at the times at which they happened, and begins without any alarm.
// Leaves out test events, and the events that policy made, as it makes them again. Any thread.
json_t *dry_run(struct journal *journal, const struct conf *conf, int64_t events);

#endif
