// SPDX-License-Identifier: BSD-2-Clause
// A UDP socket that counts datagrams in a thread of its own, and records when the kernel put each
// one into the socket, which on the loopback is the time of sending.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct trap_sink;

// Listens on 127.0.0.1; records the times of the first `max` datagrams. NULL: it failed, with a
// line on standard error.
struct trap_sink *trap_sink_start(uint16_t port, uint32_t max);
void trap_sink_stop(struct trap_sink *sink);

uint32_t trap_sink_count(struct trap_sink *sink);
uint32_t trap_sink_misplaced(struct trap_sink *sink); // datagrams not about the expected port
int64_t trap_sink_time_ns(const struct trap_sink *sink, uint32_t datagram); // UTC
int64_t trap_sink_cpu_ns(const struct trap_sink *sink); // the thread's processor time
