// Helps a user who wrote a name that there is not.
#ifndef IBTRAPD_CONF_HINT_H
#define IBTRAPD_CONF_HINT_H

#include "conf/schema.h"

// Adds "; it belongs to section 'snmp'" or "; did you mean 'window'?", or nothing, for a name that
// `section` does not have; NULL stands for the top of the file.
void hint_add(const struct schema_section *section, const char *name, struct text *t);

#endif
