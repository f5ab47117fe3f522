// SPDX-License-Identifier: BSD-2-Clause
// Helps a user who wrote a name that the schema does not have.
#ifndef IBTRAPD_CONF_HINT_H
#define IBTRAPD_CONF_HINT_H

#include "base/text.h"
#include "conf/item.h"

// Adds "; it belongs to section 'snmp'" or "; did you mean 'window'?" for a name that `section`
// does not have, or nothing if no name is near. NULL stands for the top of the file.
void hint_add(const struct schema_section *section, const char *name, struct text *t);

#endif
