// SPDX-License-Identifier: BSD-2-Clause
// librdkafka's settings from a receiver's options.
#ifndef IBTRAPD_KAFKA_SETTINGS_H
#define IBTRAPD_KAFKA_SETTINGS_H

#include "base/error.h"
#include "kafka/options.h"

#include <librdkafka/rdkafka.h>

#define SETTINGS_GAPLESS "enable.gapless.guarantee"

// The caller's. `batch_size`: octets that go in one request, unless the user's settings say it; 0:
// as many as librdkafka thinks right. NULL with a sentence, which has no secret: librdkafka does
// not accept a setting, or it is not the user's.
rd_kafka_conf_t *settings_make(const struct kafka_options *options, bool idempotent,
                               unsigned batch_size, struct error *err);

#endif
