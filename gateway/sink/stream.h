// SPDX-License-Identifier: BSD-2-Clause
// A TCP connection to a receiver, with or without TLS.
//
// The kernel knows which octets the peer's TCP has acknowledged. For a receiver without
// confirmations, acknowledged octets count as received if the connection is still open a moment
// later, because a peer that refuses our address or name closes the connection within this moment.
// With TLS, the peer must also have accepted our certificate. Octets in the peer's TCP that the
// peer's program never reads are lost without a trace; RELP avoids this loss.
//
// Decides: When does a syslog receiver over TCP or TLS have an event?
//
// No call waits longer than STREAM_PATIENCE_US. The caller blocks or ignores SIGPIPE.
#pragma once

#include "base/error.h"
#include "sink/tls.h"

#include <stddef.h>
#include <stdint.h>

#define STREAM_PATIENCE_US INT64_C(4000000)

enum { STREAM_DISCARD_MAX = 65536 };

struct stream;

// Connects to the first of the host's addresses that answers, in the order of the resolver. `tls`
// may be NULL. NULL with a sentence: failed.
struct stream *stream_open(const char *host, uint16_t port, const struct tls_options *tls,
                           struct error *err);

// Whether the connection is open; discards received data. Returns false with a sentence if the peer
// has closed the connection, or sends more than STREAM_DISCARD_MAX octets to one call.
bool stream_is_connected(struct stream *stream, struct error *err);

// Writes all octets; the last octets may stay in a buffer until stream_flush or further writes.
// Returns false with a sentence if the connection cannot be used any more; nobody knows how much
// the peer got.
bool stream_write(struct stream *stream, const void *octets, size_t size, struct error *err);
bool stream_flush(struct stream *stream, struct error *err);
size_t stream_room(const struct stream *stream); // octets that can still be buffered

// Reads up to `size` octets and returns their number; 0: there are none yet; -1 with a sentence:
// the connection has ended.
long stream_read(struct stream *stream, void *out, size_t size, struct error *err);

// Octets written to the socket; with TLS, the octets of the records.
uint64_t stream_written(const struct stream *stream);

// How many written octets count as received by now. Returns false with a sentence if the connection
// has ended, and no further octets count.
bool stream_received(struct stream *stream, uint64_t *out, struct error *err);

// Waits until the peer sends or closes, or the time is over. Call it after stream_read returned 0.
void stream_pause(const struct stream *stream, int milliseconds);

// The peer for messages: host, address and port.
const char *stream_peer(const struct stream *stream);

// Our own numeric address of this connection.
const char *stream_own_address(const struct stream *stream);

void stream_close(struct stream *stream);
