// SPDX-License-Identifier: BSD-2-Clause
// Where the systemd unit of an instance lets it write, for a check that runs outside of the unit.
#ifndef IBTRAPD_DAEMON_UNIT_H
#define IBTRAPD_DAEMON_UNIT_H

#include "base/error.h"
#include "base/instance.h"

enum { UNIT_TEXT_SIZE = 4096 };

struct unit {
    bool is_strict; // all but some directories is read-only there; false also if nobody knows
    char name[128]; // such as "ibtrapd"
    char writable[UNIT_TEXT_SIZE]; // the instance's directories, and its ReadWritePaths=
};

// Asks systemctl about the unit of the instance, and waits for its answer. A machine without
// systemd or without the unit has none that is strict. `name` is the instance's; NULL: the only
// gateway.
void unit_ask(const char *name, const struct instance *instance, struct unit *out);

// Whether the unit lets ibtrapd write to the directory. False with a sentence that says what to do.
bool unit_check_directory(const struct unit *unit, const char *directory, struct error *err);

#endif
