// SPDX-License-Identifier: BSD-2-Clause
// The parts from the program around the daemon.
#ifndef IBTRAPD_DAEMON_OPTIONS_H
#define IBTRAPD_DAEMON_OPTIONS_H

#include "base/error.h"
#include "conf/conf.h"
#include "ib/mad_io.h"

struct daemon_options {
    // Reads the configuration anew, for a reload. False with a sentence.
    bool (*load)(void *ctx, struct conf *out, struct error *err);
    void *ctx;
    const struct mad_opener *opener; // of the port; NULL: libibumad's
    struct log *log;
};

#endif
