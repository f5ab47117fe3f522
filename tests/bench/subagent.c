// SPDX-License-Identifier: BSD-2-Clause
// A minimal subagent: a table of equal values below a master agent, with the gateway's AgentX
// client. Its speed through snmpd is the upper limit for any subagent.
//
//   bench-subagent MASTER COLUMNS ROWS
//
// The table's rows have indexes like the IBSWITCH-MIB's ports: 17 sub-identifiers. Prints a line
// when the table is registered; runs until it is killed.
#include "agentx/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX = 17, PORTS = 64, ENTRY = 12 };

static const uint32_t IDS[] = {1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 118, 1, 1};

struct table {
    uint32_t columns, rows;
};

static void name_row(uint32_t column, uint32_t row, struct agentx_oid *out)
{
    memset(out->ids, 0, (ENTRY + 1 + INDEX) * sizeof *out->ids);
    memcpy(out->ids, IDS, sizeof IDS);
    out->ids[ENTRY] = column;
    out->ids[ENTRY + 1 + 6] = row / PORTS / 256;
    out->ids[ENTRY + 1 + 7] = row / PORTS % 256;
    out->ids[ENTRY + 1 + 15] = 2;
    out->ids[ENTRY + 1 + 16] = row % PORTS;
    out->length = ENTRY + 1 + INDEX;
}

static bool is_after(const struct agentx_oid *a, const struct agentx_oid *b)
{
    return agentx_oid_compare(a->ids, a->length, b->ids, b->length) > 0;
}

// The first row of a column with a name behind the given name.
static uint32_t first_after(const struct table *t, uint32_t column, const struct agentx_oid *name)
{
    uint32_t low = 0, high = t->rows;
    while (low < high) {
        struct agentx_oid oid;
        uint32_t mid = low + (high - low) / 2;
        name_row(column, mid, &oid);
        if (is_after(&oid, name))
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool get_next(void *ctx, const char *context, const struct agentx_oid *name, bool include,
                     const struct agentx_oid *end, struct agentx_oid *found,
                     struct agentx_value *value)
{
    static const uint8_t OCTETS[16] = {0};
    const struct table *t = ctx;
    uint32_t column = name->length > ENTRY ? name->ids[ENTRY] : 1;
    (void)context;
    (void)include;
    for (; column <= t->columns; column++) {
        uint32_t row = first_after(t, column, name);
        if (row == t->rows)
            continue;
        name_row(column, row, found);
        value->type = AGENTX_OCTETS;
        agentx_value_set_octets(value, OCTETS, sizeof OCTETS);
        return end->length == 0 || is_after(end, found);
    }
    return false;
}

int main(int argc, char **argv)
{
    struct error err;
    if (argc != 4)
        return EXIT_FAILURE;
    struct table table = {(uint32_t)strtoul(argv[2], NULL, 10),
                          (uint32_t)strtoul(argv[3], NULL, 10)};
    const struct agentx_region region = {.ids = IDS, .length = ENTRY};
    struct agentx_client *client =
        agentx_client_new(&(struct agentx_options){.master = argv[1],
                                                   .description = "bench",
                                                   .regions = &region,
                                                   .region_count = 1,
                                                   .handler = {.get_next = get_next, .ctx = &table},
                                                   .clock = &clock_system,
                                                   .random = &random_system},
                          &err);
    bool told = false;
    while (client) {
        struct pollfd fd;
        int64_t left = (agentx_client_poll(client, &fd) - clock_monotonic(&clock_system)) / 1000;
        poll(&fd, 1, left < 0 ? 0 : left > 1000 ? 1000 : (int)left + 1);
        agentx_client_run(client, fd.revents);
        if (!told && agentx_client_state(client) == AGENTX_UP)
            told = puts("up") >= 0 && fflush(stdout) == 0;
    }
    return EXIT_FAILURE;
}
