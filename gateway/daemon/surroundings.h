// SPDX-License-Identifier: BSD-2-Clause
// What a configuration names outside of itself and is used later, such as certificates, directories
// and sockets. A configuration with such a mistake is refused by a check and a reload. A start goes
// on without what is missing, as far as it can: a receiver fails, and others are told.
#ifndef IBTRAPD_DAEMON_SURROUNDINGS_H
#define IBTRAPD_DAEMON_SURROUNDINGS_H

#include "base/instance.h"
#include "conf/conf.h"
#include "daemon/unit.h"

// Looks at all of it as this process, and never waits. The directories that the instance's systemd
// unit makes may be missing. `unit`: what the unit lets it write to counts, too; NULL: this process
// runs in it, or nobody knows. Fills `mistakes`, with sentences FILE: SENTENCE. True: there are
// none.
bool surroundings_check(const struct conf *conf, const struct instance *instance,
                        const struct unit *unit, struct conf_mistakes *mistakes);

#endif
