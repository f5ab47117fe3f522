// SPDX-License-Identifier: BSD-2-Clause
// Reads from sysfs how a port is. libibumad reads the whole P_Key table with it each time, a file
// for each of up to 128 entries; this reads six files.
#ifndef IBTRAPD_IB_UMAD_SYSFS_H
#define IBTRAPD_IB_UMAD_SYSFS_H

#include "ib/mad_io.h"

// Fills in LID, LMC, the SM's LID and SL, the state and the subnet prefix; the rest becomes zero.
// `root` is /sys/class/infiniband. False: a file is missing, or has another format.
bool umad_sysfs_read_port(const char *root, const struct mad_port_id *id, struct mad_port *out);

#endif
