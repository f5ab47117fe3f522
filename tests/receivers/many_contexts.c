// SPDX-License-Identifier: BSD-2-Clause
// A subagent with many contexts, below a real master agent.
//
//   many_contexts MASTER COUNT [REGIONS]
//
// Registers ROOT in the contexts node0 to node(COUNT - 1), and REGIONS in all in each, if that is
// given: up to REGIONS_MAX. The instance ROOT.0 is in each of them,
// and its value is the name of the context. Prints "up" once all are registered. At SIGUSR1, moves
// node0 into the context "nodemoved", and says so. Runs until it is killed.
#include "agentx/client.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT_LENGTH = 11, REGIONS_MAX = 4 };
static const uint32_t ROOTS[REGIONS_MAX][ROOT_LENGTH] = {
    {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 118, 2},
    {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 118, 3},
    {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 118, 4},
    {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 118, 5}};
#define ROOT ROOTS[0]

static void name_it(struct agentx_oid *out)
{
    memcpy(out->ids, ROOT, sizeof ROOT);
    out->length = sizeof ROOT / sizeof *ROOT;
    agentx_oid_add(out, 0);
}

static void tell_context(const char *context, struct agentx_value *out)
{
    out->type = AGENTX_OCTETS;
    agentx_value_set_octets(out, context, strlen(context));
}

static void get(void *ctx, const char *context, const struct agentx_oid *name,
                struct agentx_value *value)
{
    struct agentx_oid only;
    (void)ctx;
    name_it(&only);
    value->type = AGENTX_NO_SUCH_INSTANCE;
    if (agentx_oid_compare(name->ids, name->length, only.ids, only.length) == 0)
        tell_context(context, value);
}

static bool get_next(void *ctx, const char *context, const struct agentx_oid *name, bool include,
                     const struct agentx_oid *end, struct agentx_oid *found,
                     struct agentx_value *value)
{
    (void)ctx;
    name_it(found);
    tell_context(context, value);
    const int order = agentx_oid_compare(found->ids, found->length, name->ids, name->length);
    return (order > 0 || (order == 0 && include)) &&
           (end->length == 0 ||
            agentx_oid_compare(found->ids, found->length, end->ids, end->length) < 0);
}

static volatile sig_atomic_t is_moving;

static void begin_to_move(int signal)
{
    (void)signal;
    is_moving = 1;
}

static void move(struct agentx_client *client, struct agentx_region *first)
{
    if (!is_moving || !agentx_client_release(client, 0))
        return;
    snprintf(first->context, sizeof first->context, "nodemoved");
    is_moving = 0;
    puts("moved");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct error err;
    const size_t each = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    if (argc < 3 || each == 0 || each > REGIONS_MAX)
        return EXIT_FAILURE;
    const size_t count = strtoul(argv[2], NULL, 10) * each;
    struct agentx_region *regions = calloc(count + 1, sizeof *regions);
    for (size_t i = 0; regions && i < count; i++) {
        regions[i] = (struct agentx_region){.ids = ROOTS[i % each], .length = ROOT_LENGTH};
        snprintf(regions[i].context, sizeof regions[i].context, "node%zu", i / each);
    }
    const struct agentx_options options = {.master = argv[1],
                                           .description = "many contexts",
                                           .regions = regions,
                                           .region_count = count,
                                           .handler = {.get = get, .get_next = get_next},
                                           .clock = &clock_system,
                                           .random = &random_system};
    struct agentx_client *client = regions ? agentx_client_new(&options, &err) : NULL;
    bool told = false;
    signal(SIGUSR1, begin_to_move);
    while (client) {
        struct pollfd fd;
        const int64_t left =
            (agentx_client_poll(client, &fd) - clock_monotonic(&clock_system)) / 1000;
        poll(&fd, 1, left < 0 ? 0 : left > 1000 ? 1000 : (int)left + 1);
        agentx_client_run(client, fd.revents);
        move(client, regions);
        if (!told && agentx_client_state(client) == AGENTX_UP)
            told = puts("up") >= 0 && fflush(stdout) == 0;
    }
    return EXIT_FAILURE;
}
