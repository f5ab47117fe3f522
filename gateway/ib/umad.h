// SPDX-License-Identifier: BSD-2-Clause
// Implements mad_io.h with libibumad: chooses and opens a port and registers its agents.
#ifndef IBTRAPD_IB_UMAD_H
#define IBTRAPD_IB_UMAD_H

#include "ib/umad_ports.h"

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
// `read_port` reads no P_Keys; `refresh` does.
struct mad_opener umad_opener(struct umad_choice *choice);

#endif
