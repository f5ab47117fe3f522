// The daemon as a library: main.c is a shim over it.
#ifndef IBTRAPD_DAEMON_DAEMON_H
#define IBTRAPD_DAEMON_DAEMON_H

#include "conf/conf.h"
#include "ib/mad_io.h"

struct daemon_options {
    // Reads the configuration anew, for a reload. False with a sentence.
    bool (*load)(void *ctx, struct conf *out, struct error *err);
    void *ctx;
    const struct mad_opener *opener; // of the port; NULL: libibumad's
    struct log *log;
};

// Runs until SIGTERM or SIGINT, in the calling thread, with a configuration that it takes over.
// True after a proper stop; false with a sentence when it could not start.
bool daemon_run(struct conf *conf, const struct daemon_options *options, struct error *err);

#endif
