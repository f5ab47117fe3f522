// SPDX-License-Identifier: BSD-2-Clause
/* Sweeps the fabric as ibtrapd does, and prints what it finds.
 *
 * Usage: fabricwatch [NAME=VALUE ...]
 *
 *   method=smp|sa  interval=MS  settle=MS  attempts=N  timeout=MS  in_flight=N
 * counters=none|switches|all
 *
 * Prints a line of JSON for every snapshot (its nodes, ports and links, subnet managers and I/O
 * controllers) and for every reading of the counters. Reads commands from standard input and ends
 * at its end:
 *
 *   now     sweep now
 * poke sweep after the settle time */

#include "base/clock.h"
#include "ib/sweeper.h"
#include "ib/umad.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *argument(char **argv, const char *name, const char *otherwise)
{
    size_t length = strlen(name);

    for (; *argv; argv++)
        if (strncmp(*argv, name, length) == 0 && (*argv)[length] == '=')
            return *argv + length + 1;
    return otherwise;
}

static unsigned number(char **argv, const char *name, unsigned otherwise)
{
    const char *value = argument(argv, name, NULL);

    return value ? (unsigned)atoi(value) : otherwise;
}

static void *must(void *pointer, const struct error *err)
{
    if (!pointer) {
        fprintf(stderr, "fabricwatch: %s\n", err->text);
        exit(EXIT_FAILURE);
    }
    return pointer;
}

static void print(json_t *json)
{
    char *line = json_dumps(json, JSON_COMPACT);

    puts(line);
    free(line);
    json_decref(json);
}

static bool ignore_report(void *ctx, struct sa_report *report)
{
    (void)ctx, (void)report;
    return false;
}

static void ignore_change(void *ctx, enum sa_change change, uint64_t prefix, const char *reason)
{
    (void)ctx, (void)change, (void)prefix, (void)reason;
}

static json_t *hex(uint64_t guid)
{
    return json_sprintf("0x%016" PRIx64, guid);
}

static json_t *port_json(const struct fabric *fabric, const struct fabric_port *port)
{
    bool linked = port->peer_node != FABRIC_NONE;

    return json_pack("{si sb sb so si si si si sI s[iii] s[iii] so si}", "number", port->number,
                     "known", port->known, "silent", port->silent, "guid", hex(port->guid), "lid",
                     port->lid, "lmc", port->lmc, "state", port->state, "physical", port->physical,
                     "capabilities", (json_int_t)port->capabilities, "widths", port->width_active,
                     port->width_enabled, port->width_supported, "speeds", port->speed_active,
                     port->speed_enabled, port->speed_supported, "peer",
                     linked ? hex(fabric->nodes[port->peer_node].guid) : json_null(), "peer_port",
                     port->peer_port);
}

static json_t *node_json(const struct fabric *fabric, const struct fabric_node *node)
{
    json_t *ports = json_array();

    for (uint32_t i = 0; i < node->ports; i++)
        json_array_append_new(ports, port_json(fabric, &fabric->ports[node->first_port + i]));
    return json_pack("{so so si si si si ss so}", "guid", hex(node->guid), "system_guid",
                     hex(node->system_guid), "type", node->type, "port_count", node->port_count,
                     "vendor", (int)node->vendor, "device", node->device, "description",
                     node->description, "ports", ports);
}

static json_t *sm_json(const struct fabric *fabric, const struct fabric_sm *sm)
{
    return json_pack("{so so si si si}", "guid", hex(sm->guid), "node",
                     hex(fabric->nodes[sm->node].guid), "lid", sm->lid, "priority", sm->priority,
                     "state", sm->state);
}

static void print_fabric(void *ctx, struct fabric *fabric)
{
    json_t *nodes = json_array(), *sms = json_array(), *controllers = json_array();

    (void)ctx;
    for (uint32_t i = 0; i < fabric->node_count; i++)
        json_array_append_new(nodes, node_json(fabric, &fabric->nodes[i]));
    for (uint32_t i = 0; i < fabric->sm_count; i++)
        json_array_append_new(sms, sm_json(fabric, &fabric->sms[i]));
    for (uint32_t i = 0; i < fabric->controller_count; i++)
        json_array_append_new(controllers, hex(fabric->controllers[i].guid));
    print(json_pack("{sb so so so}", "complete", fabric->complete, "nodes", nodes, "sms", sms,
                    "controllers", controllers));
    fabric_unref(fabric);
}

static void print_counters(void *ctx, struct counter_reading *reading)
{
    json_t *ports = json_array();

    (void)ctx;
    for (size_t i = 0; i < reading->count; i++) {
        const struct counter_sample *sample = &reading->samples[i];
        json_t *port = json_pack("{so si}", "guid", hex(sample->node_guid), "port", sample->port);

        for (int c = 0; c < COUNTER_COUNT; c++)
            json_object_set_new(port, counter_name((enum counter)c),
                                json_integer((json_int_t)sample->values[c]));
        json_array_append_new(ports, port);
    }
    print(json_pack("{so si}", "counters", ports, "silent", (int)reading->silent));
    free(reading);
}

static struct sa_client *start_agent(struct umad_choice *choice, struct log *log)
{
    struct error err;
    const struct sa_options options = {
        .verify_us = 5 * CLOCK_US_PER_S,
        .refresh_us = 300 * CLOCK_US_PER_S,
        .opener = umad_opener(choice),
        .listener = {ignore_report, ignore_change, NULL},
        .clock = &clock_system,
        .random = &random_system,
        .log = log,
    };
    struct sa_client *client = sa_client_new(&options);

    must(sa_client_start(client, &err) ? client : NULL, &err);
    return client;
}

static enum counter_ports counted(const char *word)
{
    if (strcmp(word, "none") == 0)
        return COUNTERS_OFF;
    return strcmp(word, "all") == 0 ? COUNTERS_OF_ALL : COUNTERS_OF_SWITCHES;
}

static void obey(struct sweeper *sweeper)
{
    char line[80];

    while (fgets(line, sizeof(line), stdin)) {
        if (strcmp(line, "now\n") == 0)
            sweeper_sweep_now(sweeper);
        else if (strcmp(line, "poke\n") == 0)
            sweeper_trigger(sweeper);
    }
}

int main(int argc, char **argv)
{
    struct error err;
    struct umad_choice choice = {.device = ""};
    struct log *log = log_open(stderr, LOG_LEVEL_INFO, false, &clock_system);
    struct sa_client *client = start_agent(&choice, log);
    const struct sweeper_options options = {
        .method = strcmp(argument(argv, "method", "smp"), "sa") == 0 ? SWEEP_SA : SWEEP_SMP,
        .interval_us = number(argv, "interval", 3600000) * CLOCK_US_PER_MS,
        .settle_us = number(argv, "settle", 200) * CLOCK_US_PER_MS,
        .in_flight = number(argv, "in_flight", 16),
        .attempts = number(argv, "attempts", 3),
        .timeout_us = number(argv, "timeout", 1000) * CLOCK_US_PER_MS,
        .counters = counted(argument(argv, "counters", "none")),
        .counters_interval_us = number(argv, "interval", 3600000) * CLOCK_US_PER_MS,
        .client = client,
        .listener = {.fabric = print_fabric, .counters = print_counters},
        .clock = &clock_system,
        .random = &random_system,
        .log = log,
    };

    (void)argc;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct sweeper *sweeper = must(sweeper_start(&options, &err), &err);
    obey(sweeper);
    sweeper_stop(sweeper);
    sweeper_free(sweeper);
    sa_client_stop(client);
    sa_client_free(client);
    log_close(log);
    return EXIT_SUCCESS;
}
