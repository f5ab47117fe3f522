// SPDX-License-Identifier: BSD-2-Clause
// The sink of the kind `syslog`: the machine's logger, UDP (RFC 5426), TCP (RFC 6587), TLS (RFC
// 5425), RELP, and standard output. When an event counts as sent:
// - TRANSPORT_LOCAL: the logger's socket has the event; see format.h;
// - TRANSPORT_UDP: the kernel has the event;
// - TRANSPORT_TCP, TRANSPORT_TLS: the peer's TCP has the event and did not close; see stream.h;
// - TRANSPORT_RELP, TRANSPORT_RELP_TLS: the receiver has confirmed the event; see relp.h;
// - TRANSPORT_STDOUT: the event is written. Only syslog formats have a syslog header there.
//
// The caller blocks or ignores SIGPIPE in the receiver's thread.
#pragma once

#include "base/log.h"
#include "model/receiver_conf.h"
#include "sink/sink.h"

#include <stdint.h>

// Fills `out`. `receiver` stays the caller's and outlives the sink. `started_us`: UTC; when the
// gateway started. `log`: of the transports with TLS; NULL: none.
void syslog_sink(struct sink *out, const struct conf_receiver *receiver, int64_t started_us,
                 struct log *log);
