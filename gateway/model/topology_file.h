// SPDX-License-Identifier: BSD-2-Clause
// Reads topology files: of ibnetdiscover(8), of ibdiagnet (ibdiagnet2.ibnetdiscover), of
// `ibtrapctl topology`, nets of ibsim(1) with GUIDs, and tables of links (topology_csv.h).
//
// A node begins with its GUID and a line such as
//     Switch  36 "S-0002c90200c10000"   # "leaf1" base port 0 lid 2 lmc 0
// and has a line for each of its links, which may have the link's width and speed:
//     [3]     "H-0002c90300b10000"[1](2c90300b10001)   # "node1 HCA-1" lid 7 4xEDR
// A link may be written at one end or at both ends. A node with 0 ports has any number of ports.
// Lines before the first one of the file are passed over, as a terminal shows some.
#pragma once

#include "base/error.h"
#include "model/fabric.h"

enum {
    TOPOLOGY_FILE_SIZE_MAX = 192 << 20, // octets; 131,072 nodes take some 90 MB
    TOPOLOGY_FILE_LINKS_MAX = 1 << 21,  // lines of links
};

// Returns the nodes of the file with their types, port counts, ids and names (as descriptions), and
// a port for each line of a link. The ports are known and active. Width and speed come from the
// file, or are 0; all else, LIDs included, is 0. One reference, the caller's. NULL with a sentence:
// file, line, and what to do.
struct fabric *topology_file_load(const char *path, struct error *err);

// The same from memory; `origin` is the file's name in sentences.
struct fabric *topology_file_parse(const char *origin, const char *content, size_t size,
                                   struct error *err);
