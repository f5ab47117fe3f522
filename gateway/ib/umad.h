// SPDX-License-Identifier: BSD-2-Clause
// Implements mad_io.h with libibumad: chooses and opens a port and registers its agents.
#pragma once

#include "ib/mad_io.h"

// The port to open. The pointed-to text stays the caller's.
struct umad_choice {
    const char *device; // empty: the first active InfiniBand port of all devices
    unsigned port;      // 0: the device's first active port, else its first
    uint16_t pkey;      // the partition of requests; 0: the default one, 0xFFFF or 0x7FFF
    const char *sysfs;  // where the kernel shows the ports; NULL: /sys/class/infiniband
};

// An opener for `choice`. The choice outlives the opener. Its `open` registers for SA Reports
// (class 0x03 version 2) and for answers in the other classes. If another program has registered
// for Reports, the error names the programs that have the device open. If the kernel refuses
// another class, `open` succeeds, and sending in this class fails: a port of a multi-plane adapter
// has no QP0 for SMPs, and from a virtual function the kernel sends none.
//
// A request to the SA gets the index of the chosen P_Key in the port's table, one to another node
// that of the default P_Key if the port is a full member there: every node is a member of the
// default partition, and perhaps not of the chosen partition. Requests get a GRH where the port
// requires one; answers have index and GRH of their requests.
//
// A device named smiN, which only sends SMPs for a multi-plane adapter, is passed over unless it is
// chosen by name.
//
// `read_port` reads no P_Keys; `refresh` does.
struct mad_opener umad_opener(struct umad_choice *choice);
