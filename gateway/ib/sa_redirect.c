// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_redirect.h"

#include "base/clock.h"
#include "base/wire.h"

#include <string.h>

// REPEATS_MAX: more than requests can be under way.
enum { REDIRECT_STEPS_MAX = 4, REDIRECT_REPEATS_MAX = 64 };
static const int64_t REDIRECT_PAUSE_US = 60 * CLOCK_US_PER_S,
                     REDIRECT_STAY_US = 10 * CLOCK_US_PER_S;

// Reads the address from ClassPortInfo. False with a reason: nothing can be sent there.
static bool sa_redirect_read(const uint8_t *mad, size_t size, uint64_t prefix,
                             struct mad_address *out, struct error *reason)
{
    enum { DATA = 56, ATTRIBUTE = 16, CLASS_PORT_INFO = 1, END = DATA + 72 };
    enum { GID = 8, SL = 25, SL_SHIFT = 4, LID = 28, PKEY = 30, QPN = 32, QKEY = 36 };
    const uint8_t *info = mad + DATA;
    if (size < END || wire_get16(mad + ATTRIBUTE) != CLASS_PORT_INFO)
        return error_set(reason, "it has no address");
    const uint64_t of = wire_get64(info + GID);
    *out = (struct mad_address){.lid = wire_get16(info + LID),
                                .sl = info[SL] >> SL_SHIFT,
                                .qpn = wire_get32(info + QPN) & 0xFFFFFF,
                                .pkey = wire_get16(info + PKEY),
                                .qkey = wire_get32(info + QKEY),
                                .guid = wire_get64(info + GID + 8)};
    if (of != 0 && of != prefix)
        return error_set(reason, "the address is in another subnet");
    if (out->lid == 0 || out->lid > ADDRESS_LID_UNICAST_MAX)
        return error_set(reason, "its LID %u is none of a port", out->lid);
    return out->qpn != 0 || error_set(reason, "its QP is 0, which takes SMPs only");
}

static bool sa_redirect_is_same(const struct mad_address *a, const struct mad_address *b)
{
    return a->lid == b->lid && a->sl == b->sl && a->qpn == b->qpn && a->pkey == b->pkey &&
           a->qkey == b->qkey && a->guid == b->guid;
}

enum sa_redirection sa_redirect_take(struct sa_redirect *r, const struct mad_received *in,
                                     uint64_t prefix, int64_t now, struct error *reason)
{
    struct mad_address to = {.lid = 0};
    if (now < r->ignore_until) {
        error_set(reason, "there were too many");
        return SA_REDIRECT_REFUSE;
    }
    if (!sa_redirect_read(in->octets, in->size, prefix, &to, reason))
        return SA_REDIRECT_REFUSE;
    // Requests that were under way get the same redirection; an address must not lead to itself.
    const bool same = sa_redirect_is_same(&to, &r->to) && in->from.lid != r->to.lid;
    if (same && ++r->repeats <= REDIRECT_REPEATS_MAX)
        return SA_REDIRECT_FOLLOW;
    r->to = to;
    r->changed_at = now;
    if (!same && ++r->steps <= REDIRECT_STEPS_MAX)
        return SA_REDIRECT_FOLLOW;
    sa_redirect_forget(r);
    r->steps = r->repeats = 0;
    r->ignore_until = now + REDIRECT_PAUSE_US;
    error_set(reason, "one leads to the next, without end");
    return SA_REDIRECT_REFUSE;
}

void sa_redirect_served(struct sa_redirect *r, int64_t now)
{
    if (now - r->changed_at >= REDIRECT_STAY_US)
        r->steps = r->repeats = 0;
}

void sa_redirect_forget(struct sa_redirect *r)
{
    r->to = (struct mad_address){.lid = 0};
}
