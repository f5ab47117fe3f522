// SPDX-License-Identifier: BSD-2-Clause
// Checks a value before it is set.
#ifndef IBTRAPD_AGENT_SET_CHECK_H
#define IBTRAPD_AGENT_SET_CHECK_H

#include "agent/table.h"

// Checks type, length, range and characters of a value for an object of the row's switch, and makes
// a setting (model/setting.h) of it. A name may be padded with NULs, to 256 octets at most. 0.0.0.0
// clears a trap recipient. AGENTX_NO_ERROR, or why the value is refused.
enum agentx_error set_check(const struct agent_snapshot *snapshot, const struct table_row *row,
                            enum setting_kind kind, const struct agentx_value *value,
                            struct setting *out);

#endif
