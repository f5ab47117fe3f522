// SPDX-License-Identifier: BSD-2-Clause
// The words that items may have as values, each with its number. Reading and printing share them.
#ifndef IBTRAPD_CONF_WORD_H
#define IBTRAPD_CONF_WORD_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct word {
    int64_t value;
    const char *name; // NULL behind the last one
};

extern const struct word WORDS_ACTIVE[], WORDS_MATCH[], WORDS_METHOD[], WORDS_PORTS[],
    WORDS_CONTEXTS[], WORDS_SEVERITY[], WORDS_CATEGORY[], WORDS_SNMP_TRANSPORT[],
    WORDS_SYSLOG_TRANSPORT[], WORDS_VERSION[], WORDS_AUTH[], WORDS_PRIVACY[], WORDS_SET[],
    WORDS_FORMAT[], WORDS_FRAMING[], WORDS_FACILITY[], WORDS_EVENT_LEVEL[], WORDS_LOG_LEVEL[],
    WORDS_START[], WORDS_PORT_METRICS[], WORDS_KAFKA_TRANSPORT[], WORDS_OBJECT_FORMAT[],
    WORDS_SASL[], WORDS_HTTP_FORMAT[];

// Finds the value of a name. False: `words` do not have it.
bool word_value(const struct word *words, const char *name, int64_t *value);

// Returns the name of a value; NULL: no word has it.
const char *word_name(const struct word *words, int64_t value);

// Adds all names: "a, b, c".
void word_list(const struct word *words, struct text *t);

#endif
