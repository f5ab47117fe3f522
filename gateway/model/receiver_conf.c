// SPDX-License-Identifier: BSD-2-Clause
#include "model/receiver_conf.h"

const struct word WORDS_SASL[] = {{CONF_SASL_NONE, "none"},
                                  {CONF_SASL_PLAIN, "PLAIN"},
                                  {CONF_SASL_SCRAM_SHA_256, "SCRAM-SHA-256"},
                                  {CONF_SASL_SCRAM_SHA_512, "SCRAM-SHA-512"},
                                  {0, NULL}};
