// SPDX-License-Identifier: BSD-2-Clause
// Implements mad_io.h with libibumad: chooses and opens a port and registers its agents.
#ifndef IBTRAPD_IB_UMAD_H
#define IBTRAPD_IB_UMAD_H

#include "ib/mad_io.h"

// The port to open. The pointed-to text stays the caller's.
struct umad_choice {
    const char *device; // empty: the first active InfiniBand port of all devices
    unsigned port;      // 0: the device's first active port, else its first
};

// An opener for that choice, which must outlive it. Its `open` registers for SA Reports (class 0x03
// version 2) and for answers in the other classes. If another program has registered for Reports,
// the error names the programs that have the device open. If it cannot register for LID-routed
// SMPs, performance or device management, `open` succeeds, and sending in that class fails.
struct mad_opener umad_opener(struct umad_choice *choice);

#endif
