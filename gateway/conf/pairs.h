// SPDX-License-Identifier: BSD-2-Clause
// The items whose values are lists of pairs, such as "SymbolErrorCounter=10".
#ifndef IBTRAPD_CONF_PAIRS_H
#define IBTRAPD_CONF_PAIRS_H

#include "conf/item.h"

extern const struct schema_pairs PAIRS_THRESHOLDS; // in a uint64_t [COUNTER_ERRORS]
// Two rates of a counter, over the short and the long window, in a double [COUNTER_ERRORS][2].
extern const struct schema_pairs PAIRS_BIT_ERROR_RATES;
extern const struct schema_pairs PAIRS_ERROR_RATES;
extern const struct schema_pairs PAIRS_LEVELS;     // in an int [LOG_FOLDER_COUNT]; else CONF_SAME
extern const struct schema_pairs PAIRS_SEVERITIES; // in an int [8]: the severity to send for each

// In a char [CONF_SETTINGS_MAX][CONF_SETTING_SIZE]: the pairs as they are, each name once.
extern const struct schema_pairs PAIRS_SETTINGS;

// In a char [CONF_HEADERS_MAX][CONF_HEADER_SIZE]: headers of HTTP as they are, each name once.
extern const struct schema_pairs PAIRS_HEADERS;

#endif
