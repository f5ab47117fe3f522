// One TCP connection to a receiver, with or without TLS.
//
// How far it can tell what a receiver has that answers nothing: the kernel knows which octets the
// peer's TCP has acknowledged. Those count once the connection has stood for a moment and still
// stands: a peer that accepts only to refuse (an address, a name) closes in that time; with TLS,
// also once it has accepted our certificate. What a peer's TCP took and its program never read is
// beyond anybody's knowledge here; RELP is for those who must know.
//
// No call waits longer than STREAM_PATIENCE_US. SIGPIPE is blocked or ignored.
#ifndef IBTRAPD_SINK_STREAM_H
#define IBTRAPD_SINK_STREAM_H

#include "base/error.h"
#include "sink/tls.h"

#include <stddef.h>
#include <stdint.h>

#define STREAM_PATIENCE_US INT64_C(4000000)

struct stream;

// Connects to the first of the host's addresses that answers. `tls` may be NULL. NULL with a
// sentence.
struct stream *stream_open(const char *host, uint16_t port, const struct tls_options *tls,
                           struct error *err);

// Whether it still stands; forgets what the peer sent. False with a sentence when it has closed.
bool stream_is_connected(struct stream *stream, struct error *err);

// Hands over all octets; some of the last may wait for stream_flush, or for more to go with them.
// False with a sentence: the connection is of no use any more, and how much the peer got is
// unknown.
bool stream_write(struct stream *stream, const void *octets, size_t size, struct error *err);
bool stream_flush(struct stream *stream, struct error *err);
size_t stream_room(const struct stream *stream); // octets that may wait, too

// Reads up to `size` octets: returns how many, 0 when there are none yet, -1 with a sentence when
// the connection has ended.
long stream_read(struct stream *stream, void *out, size_t size, struct error *err);

// What went into the socket so far, in its octets (of TLS records, with TLS).
uint64_t stream_written(const struct stream *stream);

// How many of them count as received by now. False with a sentence when the connection has ended:
// then none that were not counted before do.
bool stream_received(struct stream *stream, uint64_t *out, struct error *err);

// Waits until the peer sends or closes, or the time is over. Not while stream_read has more.
void stream_pause(const struct stream *stream, int milliseconds);

// Our own numeric address in this connection.
const char *stream_own_address(const struct stream *stream);

void stream_close(struct stream *stream);

#endif
