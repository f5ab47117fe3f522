// SPDX-License-Identifier: BSD-2-Clause
// Prints the configuration, by the rows of the schema.
#ifndef IBTRAPD_CONF_PRINT_H
#define IBTRAPD_CONF_PRINT_H

#include "conf/conf.h"

#include <stdio.h>

// Writes a whole configuration as a file that means the same, except for communities that stand in
// the configuration itself: a comment takes their place.
void conf_print(const struct conf *conf, FILE *out);

#endif
