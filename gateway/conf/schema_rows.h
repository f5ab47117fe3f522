// SPDX-License-Identifier: BSD-2-Clause
// How the rows of the schema are written: where an item's value is, and its range. For schema.c,
// schema_receivers.c and pairs.c alone.
#pragma once

#include "conf/item.h"

#include <stddef.h>

#define SIZE_OF(type, field) sizeof(((type *)NULL)->field)
#define IN(type, field)      .at = offsetof(type, field), .size = SIZE_OF(type, field)
#define IN_CONF(field)       IN(struct conf, field)
#define IN_RULE(field)       IN(struct conf_rule, field)
#define IN_RECEIVER(field)   IN(struct conf_receiver, field)
#define RANGE(least, most)   .low = (least), .high = (most)
#define COUNT(a)             (sizeof(a) / sizeof *(a))
#define PART(title, items)                                                                         \
    &(const struct schema_part)                                                                    \
    {                                                                                              \
        title, items, COUNT(items)                                                                 \
    }
#define DAY 86400
#define DERIVED(type, from, to)                                                                    \
    .derived_at = offsetof(type, from),                                                            \
    .derived_size = offsetof(type, to) + SIZE_OF(type, to) - offsetof(type, from)

// The rows of receivers (schema_receivers.c): the rows of each kind, and the rows that several
// kinds share.
extern const struct schema_part SCHEMA_SNMP, SCHEMA_SYSLOG, SCHEMA_FILE, SCHEMA_AGENTX,
    SCHEMA_KAFKA, SCHEMA_HTTP, SCHEMA_HTTP_ACCESS, SCHEMA_ALERTMANAGER;
extern const struct schema_part SCHEMA_TLS, SCHEMA_EVERY_RECEIVER;

// The items with lists of pairs, for instance "SymbolErrorCounter=10" (pairs.c).
extern const struct schema_pairs PAIRS_THRESHOLDS; // in a uint64_t [COUNTER_ERRORS]
// Rates of a counter, over the short and the long window, for a warning and an error, in a double
// [COUNTER_ERRORS][4].
extern const struct schema_pairs PAIRS_BIT_ERROR_RATES, PAIRS_FEC_BIT_ERROR_RATES;
extern const struct schema_pairs PAIRS_FEC_LOSS_RATES, PAIRS_ERROR_RATES;
extern const struct schema_pairs PAIRS_LEVELS;     // in an int [LOG_FOLDER_COUNT]; else CONF_SAME
extern const struct schema_pairs PAIRS_SEVERITIES; // in an int [8]: the severity to send for each

// In a char [CONF_SETTINGS_MAX][CONF_SETTING_SIZE]: the unchanged pairs, each name once.
extern const struct schema_pairs PAIRS_SETTINGS;

// In a char [CONF_HEADERS_MAX][CONF_HEADER_SIZE]: the unchanged headers of HTTP, each name once.
extern const struct schema_pairs PAIRS_HEADERS;

// Whether a user may set this header of HTTP, for instance "X-Scope-OrgID: fabric". A header from a
// file with a `secret` may be one for secrets, such as Authorization. False with a reason.
bool pairs_check_header(const char *header, bool secret, struct error *reason);
