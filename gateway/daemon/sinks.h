// SPDX-License-Identifier: BSD-2-Clause
// Makes the sink of a receiver from its configuration.
#ifndef IBTRAPD_DAEMON_SINKS_H
#define IBTRAPD_DAEMON_SINKS_H

#include "base/error.h"
#include "conf/conf.h"
#include "sink/sink.h"

// Fills `out`. False with a sentence: memory is short, or libsnmp lacks a protocol that `conf` asks
// for.
bool sinks_make(struct sink *out, const struct conf_receiver *conf, const struct clock *clock,
                int64_t started_at, struct log *log, struct error *err);

#endif
