// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_words.h"

#include "base/text.h"
#include "model/words.h"

#include <inttypes.h>
#include <string.h>

void sa_words_sm(const struct mad_node *sm, uint16_t lid, char *out, size_t size)
{
    struct text t = text_in(out, size);
    char name[130];
    text_clean(sm->description, strlen(sm->description), name, sizeof name);
    text_addf(&t, "the subnet manager at LID %u", lid);
    if (name[0] != '\0')
        text_addf(&t, " (%s)", name);
}

void sa_words_port_not_ready(const struct mad_port_id *id, const struct mad_port *port, char *out,
                             size_t size)
{
    struct text t = text_in(out, size);
    text_addf(&t, "port %u of %s is not ready (state %s, LID %u, SM LID %u)", id->port, id->device,
              words_port_state(port->state), port->lid, port->sm_lid);
}

bool sa_words_port_change(const struct mad_port *old, const struct mad_port *port, char *out,
                          size_t size)
{
    struct text t = text_in(out, size);
    if (!mad_port_is_up(old))
        text_addf(&t, "the port came up");
    else if (old->sm_lid != port->sm_lid)
        text_addf(&t, "the master subnet manager moved from LID %u to LID %u", old->sm_lid,
                  port->sm_lid);
    else if (old->lid != port->lid)
        text_addf(&t, "the port's own LID changed from %u to %u", old->lid, port->lid);
    else if (old->subnet_prefix != port->subnet_prefix)
        text_addf(&t, "the subnet prefix changed");
    else if (!old->client_reregister && port->client_reregister)
        text_addf(&t, "the subnet manager asked for new registrations");
    return t.len > 0;
}

bool sa_words_port_reading(const struct mad_port *old, const struct mad_port *port, char *out,
                           size_t size)
{
    struct text t = text_in(out, size);
    if (old->state == port->state && old->lid == port->lid && old->sm_lid == port->sm_lid &&
        old->subnet_prefix == port->subnet_prefix &&
        old->client_reregister == port->client_reregister)
        return false;
    text_addf(&t,
              "state %s (was %s), LID %u (%u), SM LID %u (%u), subnet prefix 0x%016" PRIx64 "%s",
              words_port_state(port->state), words_port_state(old->state), port->lid, old->lid,
              port->sm_lid, old->sm_lid, port->subnet_prefix,
              port->client_reregister ? ", new registrations are wanted" : "");
    return true;
}
