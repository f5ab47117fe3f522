// The items whose values are lists of pairs, such as "SymbolErrorCounter=10".
#ifndef IBTRAPD_CONF_PAIRS_H
#define IBTRAPD_CONF_PAIRS_H

#include "conf/schema.h"

extern const struct schema_pairs PAIRS_THRESHOLDS; // uint64_t [COUNTER_ERRORS]
extern const struct schema_pairs PAIRS_LEVELS;     // int [LOG_FOLDER_COUNT], CONF_SAME: not set
extern const struct schema_pairs PAIRS_SEVERITIES; // int [8]

#endif
