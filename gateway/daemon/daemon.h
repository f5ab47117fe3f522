// The daemon as a library: main.c is a shim over it.
#ifndef IBTRAPD_DAEMON_DAEMON_H
#define IBTRAPD_DAEMON_DAEMON_H

#include "conf/conf.h"

// Runs until SIGTERM, SIGINT or SIGHUP, in the calling thread. True after a proper stop; false with
// a sentence when it could not start.
bool daemon_run(const struct conf *conf, struct log *log, struct error *err);

#endif
