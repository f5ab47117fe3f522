// SPDX-License-Identifier: BSD-2-Clause
#include "ib/gmp_decode.h"
#include "ib/sweep_batch.h"

#include <string.h>

// The port whose LID answers for the port: of a switch, port 0. NULL: the fabric has none.
static const struct fabric_port *sweep_details_answering(const struct fabric *fabric,
                                                         const struct error_details *one)
{
    const uint32_t node = fabric_find_node(fabric, one->node_guid);
    if (node == FABRIC_NONE)
        return NULL;
    const bool is_switch = fabric->nodes[node].type == FABRIC_SWITCH;
    const uint32_t port = fabric_find_port(fabric, node, is_switch ? 0 : one->port);
    return port != FABRIC_NONE && fabric->ports[port].lid != 0 ? &fabric->ports[port] : NULL;
}

static void handle_details(void *ctx, const void *tag, size_t tag_size, const uint8_t *answer,
                           size_t size)
{
    struct error_details_list *list = ctx;
    size_t at;
    memcpy(&at, tag, tag_size);
    struct error_details *one = &list->all[at];
    const uint8_t *data =
        gmp_answer(answer, size, MAD_CLASS_PERF, gmp_details_attribute(one->counter));
    if (data)
        gmp_read_details(data, one);
}

static void sweep_details_ask(struct batch *batch, const struct fabric_port *answering,
                              struct error_details_list *list, size_t at)
{
    uint8_t mad[MAD_SIZE];
    gmp_make_get_counters(mad, gmp_details_attribute(list->all[at].counter), list->all[at].port);
    batch_add(batch, &(struct batch_request){
                         .agent = MAD_AGENT_PERF,
                         .to = {.lid = answering->lid, .qpn = 1, .guid = answering->guid},
                         .mad = mad,
                         .done = handle_details,
                         .ctx = list,
                         .tag = &at,
                         .tag_size = sizeof at});
}

bool sweep_details(struct sweep *sweep, const struct fabric *fabric,
                   struct error_details_list *list, struct error *err)
{
    struct batch *batch = sweep_batch_new(sweep);
    for (size_t i = 0; i < list->count; i++) {
        const struct fabric_port *answering = sweep_details_answering(fabric, &list->all[i]);
        if (answering)
            sweep_details_ask(batch, answering, list, i);
    }
    const bool ok = sweep_batch_run(sweep, batch, err);
    batch_free(batch);
    return ok;
}
