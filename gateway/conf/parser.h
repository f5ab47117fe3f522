// SPDX-License-Identifier: BSD-2-Clause
// Reads a configuration's text into a struct conf, by the rows of the schema. It reports every
// mistake in a value or a name and reads on. It stops at a mistake that leaves unclear how the text
// goes on.
#ifndef IBTRAPD_CONF_PARSER_H
#define IBTRAPD_CONF_PARSER_H

#include "conf/section.h"

// `conf` has its defaults and room for CONF_RECEIVERS_MAX + 1 receivers and CONF_RULES_MAX rules.
// `looks`: opens the files that the text names, and looks for its groups; without it, `conf` has
// none of their content. Returns false if `report` has mistakes.
bool parser_run(const char *text, bool looks, struct conf *conf, struct report *report);

#endif
