// SPDX-License-Identifier: BSD-2-Clause
// The commands about the fabric: as ibtrapd knows the fabric now, and as the fabric was in a
// snapshot.
#ifndef IBTRAPD_CTL_TOPOLOGY_COMMANDS_H
#define IBTRAPD_CTL_TOPOLOGY_COMMANDS_H

#include "ctl/command.h"
#include "ctl/fabric_request.h"

command_run topology_commands_show; // as text, JSON or a picture
command_run topology_commands_list;
command_run topology_commands_diff;

// Writes nodes and links in the format of ibnetdiscover(8).
void topology_commands_write(FILE *out, const struct fabric_request *what);
void topology_commands_write_json(FILE *out, const struct fabric_request *what);

// Writes the changes between two snapshots.
void topology_commands_write_changes(FILE *out, bool json, const struct fabric_request *from,
                                     const struct fabric_request *to);

#endif
