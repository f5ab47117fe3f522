// SPDX-License-Identifier: BSD-2-Clause
#include "web/followers.h"

#include "base/memory.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const struct timeval FOLLOWERS_TICK = {.tv_sec = 1},
                            FOLLOWERS_IDLE = {.tv_sec = FOLLOWERS_IDLE_S};

struct follower {
    struct followers *all;
    struct bufferevent *stream;
    int64_t after;
    unsigned age_s, quiet_s;
};

struct followers {
    struct event *tick; // pending while there is a follower
    followers_source source;
    void *ctx;
    struct follower *list[FOLLOWERS_MAX];
    size_t count;
};

static void followers_drop(struct follower *one)
{
    struct followers *all = one->all;
    size_t i = 0;
    while (all->list[i] != one)
        i++;
    all->list[i] = all->list[--all->count];
    bufferevent_free(one->stream);
    free(one);
    if (all->count == 0)
        event_del(all->tick);
}

void followers_discard(struct bufferevent *stream, void *ctx)
{
    (void)ctx;
    struct evbuffer *in = bufferevent_get_input(stream);
    evbuffer_drain(in, evbuffer_get_length(in));
}

static void followers_end(struct bufferevent *stream, short what, void *ctx)
{
    (void)stream, (void)what; // the client has closed, or does not read
    followers_drop(ctx);
}

// Sends what is new. False: the answer is to end.
static bool followers_serve(struct follower *one)
{
    static const char BEAT[] = ":\n\n";
    struct evbuffer *out = bufferevent_get_output(one->stream);
    if (++one->age_s >= FOLLOWERS_LIFE_S)
        return false;
    if (evbuffer_get_length(out) > 0)
        return true;
    size_t size = 0;
    char *text = one->all->source(one->all->ctx, &one->after, &size);
    if (!text)
        return false;
    evbuffer_add(out, text, size);
    free(text);
    one->quiet_s = size > 0 ? 0 : one->quiet_s + 1;
    if (one->quiet_s >= FOLLOWERS_BEAT_S) {
        one->quiet_s = 0;
        evbuffer_add(out, BEAT, sizeof BEAT - 1);
    }
    return true;
}

static void followers_on_tick(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd, (void)what;
    struct followers *all = ctx;
    for (size_t i = all->count; i > 0; i--) {
        if (!followers_serve(all->list[i - 1]))
            followers_drop(all->list[i - 1]);
    }
}

// Lets the kernel end the connection when nobody acknowledges the octets sent. Otherwise a host
// that vanished without a word would keep its place for a quarter of an hour.
static void followers_notice_death(struct bufferevent *stream)
{
    const unsigned milliseconds = FOLLOWERS_IDLE_S * 1000;
    setsockopt(bufferevent_getfd(stream), IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds,
               sizeof milliseconds);
}

struct followers *followers_new(struct event_base *base, followers_source source, void *ctx)
{
    struct followers *all = memory_get(sizeof *all);
    *all = (struct followers){.source = source, .ctx = ctx};
    all->tick = event_new(base, -1, EV_PERSIST, followers_on_tick, all);
    return all;
}

void followers_free(struct followers *all)
{
    if (!all)
        return;
    for (size_t i = all->count; i > 0; i--)
        followers_drop(all->list[i - 1]);
    event_free(all->tick);
    free(all);
}

bool followers_are_full(const struct followers *all)
{
    return all->count == FOLLOWERS_MAX;
}

void followers_add(struct followers *all, struct bufferevent *stream, int64_t after)
{
    struct follower *one = memory_get(sizeof *one);
    if (all->count == 0)
        event_add(all->tick, &FOLLOWERS_TICK);
    *one = (struct follower){.all = all, .stream = stream, .after = after};
    all->list[all->count++] = one;
    bufferevent_setcb(stream, followers_discard, NULL, followers_end, one);
    bufferevent_set_timeouts(stream, NULL, &FOLLOWERS_IDLE);
    followers_notice_death(stream);
}
