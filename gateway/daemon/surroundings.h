// SPDX-License-Identifier: BSD-2-Clause
// Checks the certificates, directories, sockets and other objects outside of the configuration that
// a configuration names and the gateway uses later.
// Decides: May a file or a socket that the configuration names be missing at a start or a reload?
//
// A check and a reload refuse a configuration with such a mistake. A start goes on without a
// missing object as far as possible: one receiver fails, and all further receivers get their
// events.
#pragma once

#include "base/instance.h"
#include "conf/conf.h"
#include "model/systems.h"

enum { SURROUNDINGS_UNIT_SIZE = 4096 };

// Where the systemd unit of an instance lets the instance write, for a check that runs outside of
// the unit.
struct surroundings_unit {
    bool is_strict; // all but some directories are read-only there; false also if nobody knows
    char name[128]; // such as "ibtrapd"
    char writable[SURROUNDINGS_UNIT_SIZE]; // the instance's directories, and its ReadWritePaths=
};

// Asks systemctl about the unit of the instance, and waits for its answer. A machine without
// systemd or without the unit has no strict unit. `name` is the instance's; NULL: the only
// gateway.
void surroundings_ask_unit(const char *name, const struct instance *instance,
                           struct surroundings_unit *out);

// Looks at all objects as this process, and never waits. The directories that the instance's
// systemd unit makes may be missing. With `unit`, the unit has to let the instance write to the
// directories, too; NULL: this process runs in the unit, or nobody knows the unit. Fills `mistakes`
// with sentences FILE: SENTENCE. Returns true if there are none.
bool surroundings_check(const struct conf *conf, const struct instance *instance,
                        const struct surroundings_unit *unit, struct conf_mistakes *mistakes);

// Tells in a sentence each which patterns of nodes fit no node of the fabric. `systems` NULL: the
// fabric is not known. Any thread.
void surroundings_warn_of_nodes(const struct conf *conf, const struct systems *systems,
                                const struct names *names,
                                void (*tell)(void *ctx, const char *sentence), void *ctx);

// Tells in a sentence each what may be meant so, and probably is not: a device that is not there, a
// host without an address, a configuration with a community that every user may read, patterns that
// fit no node of the newest snapshot in the journal. Waits for name servers: for a check only.
void surroundings_warn(const struct conf *conf, void (*tell)(void *ctx, const char *sentence),
                       void *ctx);
