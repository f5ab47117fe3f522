// SPDX-License-Identifier: BSD-2-Clause
// Gives a running gateway a new configuration: checks all of it first, then puts all of it in
// force, or nothing. Receivers that did not change are not disturbed. A changed receiver ends when
// the events in flight are confirmed (receiver_request_stop); its successor goes on from the same
// place in the journal, paused if it was. One that has only another name is its successor, too.
#ifndef IBTRAPD_DAEMON_RELOAD_H
#define IBTRAPD_DAEMON_RELOAD_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

struct gateway;

// The thread of reloads; the main loop goes on meanwhile. Writes the items that changed and wait
// for a restart to `restart`, such as "device, port", and what becomes of the events that wait for
// receivers to `backlogs`, a sentence a line. False with a sentence: nothing has changed. Logs all
// of it as well. Opens log files again in any case.
bool reload_run(struct gateway *gateway, struct text *restart, struct text *backlogs,
                struct error *err);

#endif
