// SPDX-License-Identifier: BSD-2-Clause
// Clients of the metrics server that follow new events by server-sent events (HTML standard, 9.2).
// Each client has one batch of events under way at most. When the client has read the batch, the
// next batch is made. The loop's thread calls all functions.
// Decides: How long may a browser follow the events?
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base; // of libevent
struct bufferevent;

enum {
    FOLLOWERS_MAX = 8,
    FOLLOWERS_IDLE_S = 10,   // a client is dropped that has not read its batch for so long, or
                             // whose host has not acknowledged the batch for so long
    FOLLOWERS_BEAT_S = 15,   // a client without an event for so long gets a comment: the
                             // connection lives
    FOLLOWERS_LIFE_S = 3600, // the answer ends after so long; a browser asks again by itself
};

// Returns the events after number `*after` as text/event-stream, malloc'ed, and moves `*after`. The
// text is empty if there are no events. NULL: there are no events to follow any more.
typedef char *(*followers_source)(void *ctx, int64_t *after, size_t *size);

struct followers;

struct followers *followers_new(struct event_base *base, followers_source source, void *ctx);
void followers_free(struct followers *all); // drops all; NULL is allowed

bool followers_are_full(const struct followers *all);

// Takes over the client, whose output has the head of the answer. From now on the client gets the
// events after number `after`. Do not call it when followers_are_full.
void followers_add(struct followers *all, struct bufferevent *stream, int64_t after);

// A callback of a stream: discards all octets that the client sends after its request.
void followers_discard(struct bufferevent *stream, void *ctx);
