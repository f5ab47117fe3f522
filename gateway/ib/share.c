#include "ib/share.h"

#include <stdlib.h>

struct share {
    struct sa_client *client;
};

static bool share_listen(void *self, const struct mad_listener *listener, struct error *err)
{
    const struct share *share = self;
    return sa_client_listen(share->client, share, listener, err);
}

static bool share_send(void *self, enum mad_agent mad_agent, const struct mad_address *to,
                       const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    const struct share *share = self;
    return sa_client_send(share->client, share, mad_agent, to, octets, response_timeout_ms, err);
}

static void share_close(void *self)
{
    struct share *share = self;
    sa_client_detach(share->client, share);
    free(share);
}

bool share_open(struct sa_client *client, struct mad_io *out, struct error *err)
{
    struct share *share = malloc(sizeof *share);
    if (!share)
        return error_set(err, "out of memory");
    share->client = client;
    if (!sa_client_attach(client, share, err)) {
        free(share);
        return false;
    }
    *out = (struct mad_io){NULL, share_listen, share_send, share_close, share};
    return true;
}
