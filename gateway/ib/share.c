#include "ib/share.h"

#include "base/ring.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A table from the SA can be large; everybody else's answers are small.
enum { WAITING_MAX = 1024, WAITING_OCTETS_MAX = 128 << 20 };

struct packet {
    struct mad_address from;
    size_t size;
    uint8_t octets[];
};

struct share {
    struct sa_agent *agent;
    struct ring *waiting; // of packets; closed when the share is lost
    atomic_size_t octets; // in those that wait
    char reason[256];     // why it is lost: written before `waiting` is closed
    struct packet *current;
};

static void drop(struct share *share, struct packet *packet)
{
    if (packet)
        atomic_fetch_sub(&share->octets, packet->size);
    free(packet);
}

static void take(void *ctx, const struct mad_received *in)
{
    struct share *share = ctx;
    if (atomic_load(&share->octets) + in->size > WAITING_OCTETS_MAX)
        return;
    struct packet *packet = malloc(sizeof *packet + in->size);
    if (!packet)
        return;
    packet->from = in->from;
    packet->size = in->size;
    memcpy(packet->octets, in->octets, in->size);
    atomic_fetch_add(&share->octets, packet->size);
    if (!ring_push(share->waiting, packet))
        drop(share, packet);
}

static void lose(void *ctx, const char *reason)
{
    struct share *share = ctx;
    snprintf(share->reason, sizeof share->reason, "%s", reason);
    ring_close(share->waiting);
}

static int share_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    struct share *share = self;
    drop(share, share->current);
    share->current = ring_pop(share->waiting, timeout_ms * CLOCK_US_PER_MS);
    if (share->current) {
        *out = (struct mad_received){share->current->from, share->current->octets,
                                     share->current->size};
        return 1;
    }
    if (!ring_closed(share->waiting))
        return 0;
    error_set(err, "%s", share->reason);
    return -1;
}

static bool share_send(void *self, enum mad_agent mad_agent, const struct mad_address *to,
                       const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    struct share *share = self;
    return sa_agent_send(share->agent, share, mad_agent, to, octets, response_timeout_ms, err);
}

static void share_close(void *self)
{
    struct share *share = self;
    sa_agent_dismiss(share->agent, share);
    ring_close(share->waiting);
    for (struct packet *packet; (packet = ring_pop(share->waiting, 0)) != NULL;)
        drop(share, packet);
    drop(share, share->current);
    ring_free(share->waiting);
    free(share);
}

bool share_open(struct sa_agent *agent, struct mad_io *out, struct error *err)
{
    struct share *share = calloc(1, sizeof *share);
    if (!share)
        return error_set(err, "out of memory");
    share->agent = agent;
    share->waiting = ring_new(WAITING_MAX);
    const struct sa_guest guest = {take, lose, share};
    bool ok = share->waiting ? sa_agent_admit(agent, &guest, err) : error_set(err, "out of memory");
    if (!ok) {
        ring_free(share->waiting);
        free(share);
        return false;
    }
    *out = (struct mad_io){share_receive, share_send, share_close, share};
    return true;
}
