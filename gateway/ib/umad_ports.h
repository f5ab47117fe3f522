// SPDX-License-Identifier: BSD-2-Clause
// Finds the port for libibumad, the other processes that have the port open, and the state of a
// port.
#ifndef IBTRAPD_IB_UMAD_PORTS_H
#define IBTRAPD_IB_UMAD_PORTS_H

#include "base/text.h"
#include "ib/mad_io.h"

// The port to open. The pointed-to text stays the caller's.
struct umad_choice {
    const char *device; // empty: the first active InfiniBand port of all devices
    unsigned port;      // 0: the device's first active port, else its first
    uint16_t pkey;      // the partition of requests; 0: the default one, 0xFFFF or 0x7FFF
    const char *sysfs;  // where the kernel shows the ports; NULL: /sys/class/infiniband
};

// The port of that choice. A device named smiN, which only sends SMPs for a multi-plane adapter, is
// passed over unless it is chosen by name. Returns false with a sentence about the remedy.
bool umad_search(const struct umad_choice *choice, struct mad_port_id *id, struct error *err);

// Writes the name of another device with the same port: of a multi-plane adapter, smiN and mlx5_N
// have the same port GUID. False: there is none.
bool umad_search_sibling(const struct mad_port_id *id, char out[64]);

// Adds "opensm (PID 812), srp_daemon (PID 900)": the other processes that have the descriptor's
// device file open. Adds nothing if there is none that this process may see.
void umad_search_holders(struct text *t, int fd);

// The state of a port in sysfs. libibumad reads the whole P_Key table with the state each time, a
// file for each of up to 128 entries; umad_sysfs_read_port reads six files.

// Fills in LID, LMC, the SM's LID and SL, the state and the subnet prefix; the rest becomes zero.
// `root` is /sys/class/infiniband. False: a file is missing, or has another format.
bool umad_sysfs_read_port(const char *root, const struct mad_port_id *id, struct mad_port *out);

#endif
