// SPDX-License-Identifier: BSD-2-Clause
// librdkafka's settings from a receiver's options.
#ifndef IBTRAPD_KAFKA_SETTINGS_H
#define IBTRAPD_KAFKA_SETTINGS_H

#include "base/error.h"
#include "kafka/options.h"

#include <librdkafka/rdkafka.h>

#define SETTINGS_GAPLESS "enable.gapless.guarantee"

// The caller's. NULL with a sentence, which has no secret: librdkafka does not accept a setting, or
// it is not the user's.
rd_kafka_conf_t *settings_make(const struct kafka_options *options, bool idempotent,
                               struct error *err);

#endif
