// SPDX-License-Identifier: BSD-2-Clause
// Clients of the metrics server that follow new events, as server-sent events (HTML standard,
// 9.2). Each has one batch of events under way at most: the next one is made when it has read the
// last. The loop's thread calls all functions.
// Decides: How long may a browser follow the events?
#ifndef IBTRAPD_WEB_FOLLOWERS_H
#define IBTRAPD_WEB_FOLLOWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base; // of libevent
struct bufferevent;

enum {
    FOLLOWERS_MAX = 8,
    FOLLOWERS_IDLE_S = 10,   // one that has not read for so long what is under way is dropped, and
                             // so is one whose host does not acknowledge it
    FOLLOWERS_BEAT_S = 15,   // after so long without an event each gets a comment, which shows that
                             // the connection lives
    FOLLOWERS_LIFE_S = 3600, // then the answer ends; a browser follows on by itself
};

// Returns the events after number `*after` as text/event-stream, malloc'ed, and moves `*after`;
// empty: there are none. NULL: there are no events to follow any more.
typedef char *(*followers_source)(void *ctx, int64_t *after, size_t *size);

struct followers;

struct followers *followers_new(struct event_base *base, followers_source source, void *ctx);
void followers_free(struct followers *all); // drops all; NULL is allowed

bool followers_are_full(const struct followers *all);

// Takes over the client, whose output has the head of the answer. It gets the events after number
// `after` from now on. Not when followers_are_full.
void followers_add(struct followers *all, struct bufferevent *stream, int64_t after);

// Discards what a client sends, whose request is known: a callback of its stream.
void followers_discard(struct bufferevent *stream, void *ctx);

#endif
