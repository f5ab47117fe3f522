// SPDX-License-Identifier: BSD-2-Clause
// Implements mad_io.h with libibumad: chooses and opens a port and registers its agents.
#ifndef IBTRAPD_IB_UMAD_H
#define IBTRAPD_IB_UMAD_H

#include "ib/mad_io.h"

// The port to open. The pointed-to text stays the caller's.
struct umad_choice {
    const char *device; // empty: the first active InfiniBand port of all devices
    unsigned port;      // 0: the device's first active port, else its first
    uint16_t pkey;      // the partition of requests; 0: the default one, 0xFFFF or 0x7FFF
};

// An opener for that choice, which must outlive it. Its `open` registers for SA Reports (class 0x03
// version 2) and for answers in the other classes. If another program has registered for Reports,
// the error names the programs that have the device open. If it cannot register for another class,
// `open` succeeds, and sending in that class fails: a port of a multi-plane adapter has no QP0 for
// SMPs, and from a virtual function the kernel sends none.
//
// A request gets the index of the chosen P_Key in the port's table, and a GRH where the port
// requires one; an answer those of the request.
struct mad_opener umad_opener(struct umad_choice *choice);

#endif
