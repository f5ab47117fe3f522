// SPDX-License-Identifier: BSD-2-Clause
// NodeDescriptions as names. Pure.
// Decides: Which NodeDescription is no name, and which part of a NodeDescription names the machine?
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Whether all nodes of a kind have the description until somebody names the nodes: an adapter
// before the start of its host's driver, an unmanaged switch, an aggregation node (SHARP), a host
// without a host name. True also for an empty description.
bool node_name_is_of_factory(const char *description);

// How a NodeDescription is composed: `%h` is the name of the machine, `%d` the device or what else
// tells its nodes apart; each other character stands for itself. `%h` has no blank and, up to the
// first character behind `%h` in the pattern, is as short as possible. `%d` is one word at the end
// of the pattern. So rdma-ndd's default "%h %d" fits "gpu17 mlx5_3" and "n101 HCA-1".
struct node_name {
    const char *host; // part of the description
    size_t length;    // octets; 0: the pattern does not fit
    bool has_device;  // a part of the description tells the nodes of the machine apart
};
struct node_name node_name_read(const char *pattern, const char *description);

// Whether the pattern has one `%h`. A pattern may end with one `%d`.
bool node_name_is_pattern(const char *pattern);
