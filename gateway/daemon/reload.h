// A new configuration for a running gateway: checked whole first, then taken over, all or nothing.
// Receivers that did not change go on untouched; the others end, with what they are sending, before
// their successors go on from the same place in the journal.
#ifndef IBTRAPD_DAEMON_RELOAD_H
#define IBTRAPD_DAEMON_RELOAD_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

struct gateway;

// Main thread. `restart` gets the items that changed and wait for a restart, such as "device,
// port". False with a sentence, and all is as before. Both are logged, too. Log files are opened
// again in any case.
bool reload_run(struct gateway *gateway, struct text *restart, struct error *err);

#endif
