// SPDX-License-Identifier: BSD-2-Clause
// Checks of patterns of nodes, for the rows of the schema (schema_item.check): a pattern that
// nothing can fit is a mistake, as a receiver would get nothing, and a policy would silently do
// nothing.
#ifndef IBTRAPD_CONF_PATTERN_CHECKS_H
#define IBTRAPD_CONF_PATTERN_CHECKS_H

#include "conf/check.h"

check_fn check_node_pattern; // of names: no regular expression, and no GUID
check_fn check_guid_pattern; // that some GUID fits, as 0x and 16 lower-case digits
check_fn check_any_pattern;  // of either kind; what begins with 0x is one of GUIDs

#endif
