// SPDX-License-Identifier: BSD-2-Clause
// Reads the table of links that a planner writes, a line for each cable: start device, start port,
// end device, end port, and the rate if it is known. Devices have names and no GUIDs.
//
// A first line with titles gives the order of the columns, for instance
//     Start Device,Start Port,End Device,End Port,Rate
//     leaf1,12,spine1,3,4xEDR
// Titles may be written together, and further columns are passed over: NVIDIA's NDT files of UFM
// and P2P tables of its Cable Validation Tool have such titles. Without titles the columns have
// this order. Commas, semicolons or tabs are between the columns; a text in quotation marks may
// have some. A rate is 4xEDR, HDR100, EDR for four lanes, or 100 in Gb/s.
#pragma once

#include "base/error.h"
#include "model/fabric.h"

enum { TOPOLOGY_CSV_LINKS_MAX = 1 << 21 }; // lines

// Whether the content is such a table.
bool topology_csv_fits(const char *content, size_t size);

// Returns the nodes and links as topology_file_parse does. Nodes have numbers in place of GUIDs,
// made from their names, and any number of ports. A node with a port beyond 2 is a switch, any
// other node a CA.
struct fabric *topology_csv_parse(const char *origin, const char *content, size_t size,
                                  struct error *err);

// Whether the GUID is such a number. No device has such a GUID.
static inline bool topology_csv_is_made(uint64_t guid)
{
    return guid >> 56 == 0xFF;
}
