// SPDX-License-Identifier: BSD-2-Clause
// The commands about the fabric: as ibtrapd knows it now, and as it was in a snapshot.
#ifndef IBTRAPD_CTL_TOPOLOGY_COMMANDS_H
#define IBTRAPD_CTL_TOPOLOGY_COMMANDS_H

#include "ctl/command.h"

#include <jansson.h>

command_run topology_commands_show;
command_run topology_commands_list;
command_run topology_commands_diff;

// Write a page of nodes and links, or of changes; the first has a head. False when the page has not
// the shape that this ibtrapctl knows.
bool topology_commands_show_nodes(FILE *out, const json_t *page, bool first);
bool topology_commands_show_changes(FILE *out, const json_t *page, bool first);

#endif
