// SPDX-License-Identifier: BSD-2-Clause
// The daemon as a library: main.c is a shim over it.
#ifndef IBTRAPD_DAEMON_DAEMON_H
#define IBTRAPD_DAEMON_DAEMON_H

#include "daemon/options.h"

// Runs until SIGTERM or SIGINT, in the calling thread. Takes over the configuration. Threads that
// the process already has must have blocked these signals (daemon/signals.h): they would end it at
// once. True after an orderly stop; false with a sentence: it could not start.
bool daemon_run(struct conf *conf, const struct daemon_options *options, struct error *err);

#endif
