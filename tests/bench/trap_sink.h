// A UDP socket that counts what comes, in a thread of its own, and notes when: the time at which
// the kernel put each datagram into the socket, which on the loopback is when it was sent.
#ifndef IBTRAPD_BENCH_TRAP_SINK_H
#define IBTRAPD_BENCH_TRAP_SINK_H

#include <stdbool.h>
#include <stdint.h>

struct trap_sink;

// Listens on 127.0.0.1; notes the times of the first `max` datagrams. NULL, with a line on the
// error output: it cannot.
struct trap_sink *trap_sink_start(uint16_t port, uint32_t max);
void trap_sink_stop(struct trap_sink *sink);

uint32_t trap_sink_count(struct trap_sink *sink);
uint32_t
trap_sink_misplaced(struct trap_sink *sink); // of the noted, not of the port whose turn it was
int64_t trap_sink_time_ns(const struct trap_sink *sink, uint32_t datagram); // UTC
int64_t trap_sink_cpu_ns(const struct trap_sink *sink);                     // what the thread used

#endif
