// SPDX-License-Identifier: BSD-2-Clause
// The daemon as a library: main.c only calls this library.
//
// The parts start in this order: main loop, signals, control socket, metrics, journal, pipeline,
// receivers, SA client, sweeper, subagents, heartbeat. Then systemd hears that the gateway is
// ready. The parts that bring events stop first: subagents, sweeper, SA client, pipeline. The
// receivers follow, then the journal, then the control socket and the loop.
// Decides: In which order do the parts of the gateway start and stop?
#pragma once

#include "daemon/gateway.h"

// Runs until SIGTERM or SIGINT, in the calling thread. Takes over the configuration. Present
// threads of the process must have blocked these signals (daemon/signals.h): otherwise a signal
// would end the process at once. Returns true after an orderly stop. Returns false with a sentence
// if the gateway could not start, or could not save everything.
bool daemon_run(struct conf *conf, const struct daemon_options *options, struct error *err);
