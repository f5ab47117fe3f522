// SPDX-License-Identifier: BSD-2-Clause
// The planes of an XDR adapter: a port of the adapter shows several ports to the subnet manager,
// one a plane, with one GUID, each with a link to another switch ASIC. Together they are one link.
// Pure.
//
// Public sources: libibumad counts such ports by their GUID (umad_get_smi_gsi_pairs), and the
// kernel gives the adapter a device smiN with a port for each plane (RDMA/mlx5, Linux 6.11). Nobody
// tried this on hardware. Planes between switches are not told from parallel links.
//
// Decides: Which ports are planes of one link, and when does the link lack planes?
#ifndef IBTRAPD_TOPOLOGY_PLANES_H
#define IBTRAPD_TOPOLOGY_PLANES_H

#include "base/text.h"
#include "model/fabric.h"

struct planes {
    uint32_t first;         // port: the plane with the smallest number
    uint32_t linked;        // port: the first plane with a link; FABRIC_NONE: no plane has a link
    unsigned count, active; // planes; planes with a link
};

// The planes of a port. `count` 1: the port has no planes; 0: the port is FABRIC_NONE.
struct planes planes_of(const struct fabric *fabric, uint32_t port);

// Whether some planes have a link, and others have none.
bool planes_are_missing(const struct planes *planes);

// Adds "3 of 4 planes; port 2 has no link".
void planes_describe(struct text *text, const struct fabric *fabric, const struct planes *planes);

#endif
