// SPDX-License-Identifier: BSD-2-Clause
// Checks of whole sections, but for receivers, for the rows of the schema (schema_section.check).
// Each reports the section's mistakes, and sets the fields that follow from several items or from
// a file that an item names.
#ifndef IBTRAPD_CONF_SECTION_CHECKS_H
#define IBTRAPD_CONF_SECTION_CHECKS_H

#include "conf/section.h"

void section_check_fabric(struct section *section);   // reads the SA key
void section_check_sweep(struct section *section);    // reads the M_Key
void section_check_counters(struct section *section); // refuses windows in the wrong order
void section_check_control(struct section *section);  // finds the number of the socket's group
void section_check_log(struct section *section);      // gives each folder its level
void section_check_subagent(struct section *section); // refuses items that need a socket
void section_check_rule(struct section *section);     // refuses a rule that changes nothing

#endif
