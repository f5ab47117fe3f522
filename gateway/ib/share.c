#include "ib/share.h"

#include <stdlib.h>

struct share {
    struct sa_agent *agent;
};

static bool share_listen(void *self, const struct mad_listener *listener, struct error *err)
{
    const struct share *share = self;
    return sa_agent_listen(share->agent, share, listener, err);
}

static bool share_send(void *self, enum mad_agent mad_agent, const struct mad_address *to,
                       const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    const struct share *share = self;
    return sa_agent_send(share->agent, share, mad_agent, to, octets, response_timeout_ms, err);
}

static void share_close(void *self)
{
    struct share *share = self;
    sa_agent_dismiss(share->agent, share);
    free(share);
}

bool share_open(struct sa_agent *agent, struct mad_io *out, struct error *err)
{
    struct share *share = malloc(sizeof *share);
    if (!share)
        return error_set(err, "out of memory");
    share->agent = agent;
    if (!sa_agent_admit(agent, share, err)) {
        free(share);
        return false;
    }
    *out = (struct mad_io){NULL, share_listen, share_send, share_close, share};
    return true;
}
