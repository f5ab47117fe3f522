// SPDX-License-Identifier: BSD-2-Clause
// Gives a running gateway a new configuration: checks all of it first, then puts all of it in
// force, or nothing. Receivers that did not change are not disturbed. A changed receiver ends after
// the event that it is sending; its successor goes on from the same place in the journal.
#ifndef IBTRAPD_DAEMON_RELOAD_H
#define IBTRAPD_DAEMON_RELOAD_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

struct gateway;

// Main thread. Writes the items that changed and wait for a restart to `restart`, such as "device,
// port". False with a sentence: nothing has changed. Logs both as well. Opens log files again in
// any case.
bool reload_run(struct gateway *gateway, struct text *restart, struct error *err);

#endif
