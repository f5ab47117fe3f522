// SPDX-License-Identifier: BSD-2-Clause
// The list of unhealthy ports that NVIDIA's subnet manager keeps in opensm-unhealthy-ports.dump. A
// line is: NodeGUID, PortNum, "NodeDesc", PeerNodeGUID, PeerPortNum, "PeerNodeDesc", {Conditions},
// Timestamp. A line of comment begins with '#'. The form is that of the check for the list in
// facebookresearch/gcm. Pure.
// Decides: Which ports does NVIDIA's subnet manager call unhealthy?
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNHEALTHY_LIST_SIZE_MAX = 1 << 20 }; // octets of the file

struct unhealthy_port {
    uint64_t guid; // of the node
    uint8_t port;
    char why[128]; // the conditions and since when, such as "FLAPPING, Fri Mar 20 01:13:40 2026"
};

// Sorted by GUID and port, each port once.
struct unhealthy_list {
    struct unhealthy_port *ports;
    size_t count;
    size_t strange; // lines of another form
};

// Reads the text of the file, NUL-terminated. The caller frees `ports`.
struct unhealthy_list unhealthy_list_read(const char *text);
bool unhealthy_list_has(const struct unhealthy_list *list, uint64_t guid, uint8_t port);
