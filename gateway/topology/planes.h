// SPDX-License-Identifier: BSD-2-Clause
// The planes of an XDR port: the subnet manager sees several ports, each with a link to another
// switch ASIC. Together they are one link. Pure.
//
// The ports of an adapter's planes have one GUID. A box has groups of ports: the ports with one
// number on all ASICs, or, with a single ASIC, four ports in a row, from port 1 on. The links
// between two groups of equal size are the planes of one link if each link has one lane, and both
// ends can XDR. Otherwise links between switches are parallel links.
//
// Public sources: libibumad counts an adapter's planes by the GUID (umad_get_smi_gsi_pairs), and
// the kernel gives the adapter a device smiN with a port for each plane (RDMA/mlx5, Linux 6.11).
// UFM names an aggregated port by a SystemImageGUID and a number. The headers of ibdiagnet (ibdm,
// BSD) tell planes without the attribute HierarchyInfo in this way: by the number of the ASIC, or
// by a row of ports of one lane with one neighbour. Nobody tried this on hardware.
//
// Decides: Which ports are planes of one link, and when does the link lack planes?
#pragma once

#include "base/text.h"
#include "model/names.h"
#include "model/systems.h"

enum { PLANES_MAX = 8 }; // more ports are no planes

struct planes {
    uint32_t ports[PLANES_MAX]; // ascending
    uint32_t linked;            // the first plane with a link; FABRIC_NONE: no plane has a link
    unsigned count, active;     // planes; planes with a link
};

// The planes of a port. A link between boxes has the planes of the group with the smaller port.
// `count` 1: the port has no planes; 0: the port is FABRIC_NONE.
struct planes planes_of(const struct systems *systems, uint32_t port);

// Whether some planes have a link, and others have none.
bool planes_are_missing(const struct planes *planes);

// Adds "3 of 4 planes; no link at port 2". `names` may be NULL.
void planes_describe(struct text *text, const struct fabric *fabric, const struct planes *planes,
                     const struct names *names);
