// SPDX-License-Identifier: BSD-2-Clause
// The words that items of the configuration may have as values.
#pragma once

#include "base/word.h"

extern const struct word WORDS_ACTIVE[], WORDS_MATCH[], WORDS_METHOD[], WORDS_PORTS[],
    WORDS_CONTEXTS[], WORDS_SNMP_TRANSPORT[], WORDS_SYSLOG_TRANSPORT[], WORDS_VERSION[],
    WORDS_AUTH[], WORDS_PRIVACY[], WORDS_SET[], WORDS_FORMAT[], WORDS_FRAMING[], WORDS_FACILITY[],
    WORDS_START[], WORDS_PORT_METRICS[], WORDS_KAFKA_TRANSPORT[], WORDS_OBJECT_FORMAT[],
    WORDS_HTTP_FORMAT[];
