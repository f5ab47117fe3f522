// SPDX-License-Identifier: BSD-2-Clause
// Makes the sink of a receiver from its configuration, and checks what it will need.
#ifndef IBTRAPD_DAEMON_SINKS_H
#define IBTRAPD_DAEMON_SINKS_H

#include "base/error.h"
#include "conf/conf.h"
#include "sink/module.h"

// Fills `out`, which points into `conf`, and to `alarms`, for kinds that keep a state. False with a
// sentence if libsnmp lacks a protocol that `conf` asks for.
bool sinks_make(struct sink *out, const struct conf_receiver *conf, const struct clock *clock,
                int64_t started_at, const struct module_alarms *alarms, struct log *log,
                struct error *err);

// Whether the receiver could now use the files, directories and sockets that it names. Opens files
// as this process, and never waits. False with a sentence that names the receiver.
bool sinks_check(const struct conf_receiver *conf, struct error *err);

// Whether a path may be that of a socket: it is one, or nothing is there yet, or it is no path.
bool sinks_check_socket(const char *path, struct error *err);

#endif
