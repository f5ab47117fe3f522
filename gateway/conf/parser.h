// SPDX-License-Identifier: BSD-2-Clause
// Reads a configuration's text into a struct conf, by the rows of the schema. The parser reports
// every mistake in a value or a name and reads on. The parser stops at a mistake after which the
// meaning of the text is unclear.
//
// Decides: Where does the reading go on after a mistake?
#pragma once

#include "conf/section.h"

// `conf` has its defaults and room for CONF_RECEIVERS_MAX + 1 receivers and CONF_RULES_MAX rules.
// `looks`: opens the named files, and looks for the named groups; without `looks`, `conf` has no
// content of files. Returns false if `report` has mistakes.
bool parser_run(const char *text, bool looks, struct conf *conf, struct report *report);
