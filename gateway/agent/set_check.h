// Whether a value can be set.
#ifndef IBTRAPD_AGENT_SET_CHECK_H
#define IBTRAPD_AGENT_SET_CHECK_H

#include "agent/table.h"

// Checks type, length, range and characters of a value for an object of the row's switch, and makes
// the setting of it:
// - a name has 256 octets at most, which may be filled up with NULs; it is valid UTF-8 without
// control characters. That of a
//   switch has as many octets as fit messages (NAMES_NAME_SIZE - 1).
// - a level is 0 to 5.
// - a community has 16 printable octets of ASCII at most.
// - a trap recipient is a unicast address; 0.0.0.0 clears it.
enum agentx_error set_check(const struct view *view, const struct table_row *row,
                            enum setting_kind kind, const struct agentx_value *value,
                            struct setting *out);

#endif
