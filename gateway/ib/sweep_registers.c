// SPDX-License-Identifier: BSD-2-Clause
#include "base/memory.h"
#include "ib/node_mad.h"
#include "ib/register_mad.h"
#include "ib/sweep.h"
#include "ib/sweep_ask.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Devices.

enum { DEVICES_MAX = 1 << 16 }; // beyond that, all are asked again

// A bit of `refused` is a page, or the whole device.
enum { REFUSES_ALL = 1 << REGISTER_PAGES };

struct sweep_device {
    struct hash_node node;
    uint64_t guid;
    bool has_access;  // GeneralInfo said so
    uint32_t refused; // until `until_us`
    uint32_t told;    // the same, ever: the log says each refusal once
    int64_t until_us; // monotonic
};

void sweep_devices_clear(struct sweep_devices *devices)
{
    hash_clear(&devices->by_guid);
    free(devices->all);
    devices->all = NULL;
    devices->count = 0;
}

static struct sweep_device *sweep_registers_look_up(const struct sweep_devices *devices,
                                                    uint64_t guid, uint64_t digest)
{
    struct hash_node *node = hash_find(&devices->by_guid, digest);
    for (; node; node = hash_find_next(node)) {
        struct sweep_device *device = HASH_THING(node, struct sweep_device, node);
        if (device->guid == guid)
            return device;
    }
    return NULL;
}

struct sweep_device *sweep_devices_find(const struct sweep_devices *devices, uint64_t guid)
{
    if (!devices || !devices->all)
        return NULL;
    struct sweep_device *found =
        sweep_registers_look_up(devices, guid, hash_digest(&devices->by_guid, &guid, sizeof guid));
    return found && found->has_access ? found : NULL;
}

bool sweep_device_has(const struct sweep_device *device, enum register_page page)
{
    return !(device->refused & (1U << page | REFUSES_ALL));
}

static struct sweep_device *sweep_registers_device(const struct sweep *sweep,
                                                   struct sweep_devices *devices, uint64_t guid)
{
    if (!devices->all) {
        devices->all = memory_zeroed(DEVICES_MAX, sizeof *devices->all);
        hash_init(&devices->by_guid, DEVICES_MAX, sweep->random);
    }
    const uint64_t digest = hash_digest(&devices->by_guid, &guid, sizeof guid);
    struct sweep_device *device = sweep_registers_look_up(devices, guid, digest);
    if (device)
        return device;
    device = &devices->all[devices->count++];
    device->guid = guid;
    hash_add(&devices->by_guid, &device->node, digest);
    return device;
}

// The part.

// The questions to one device: those of the list from `next` to `end`.
struct sweep_registers_group {
    struct sweep_device *device;
    uint32_t next, end;
    uint16_t lid;
};

struct sweep_registers {
    struct sweep_part part;
    struct sweep_registers_group *groups;
    struct device_readings *list;
};

static sweep_take sweep_registers_take_node, sweep_registers_take_info, sweep_registers_take_page;

static void sweep_registers_ask(struct sweep_registers *r, const struct sweep_registers_group *g,
                                const struct sweep_query *query)
{
    struct sweep_query whole = *query;
    whole.guid = g->device->guid;
    whole.at = (uint32_t)(g - r->groups);
    whole.lid = g->lid;
    sweep_part_ask(&r->part, &whole);
}

// Asks for the next page that the device does not refuse.
static void sweep_registers_go_on(struct sweep_registers *r, struct sweep_registers_group *g)
{
    while (g->next < g->end && !sweep_device_has(g->device, r->list->all[g->next].page))
        g->next++;
    if (g->next < g->end)
        sweep_registers_ask(r, g,
                            &(struct sweep_query){.take = sweep_registers_take_page,
                                                  .mgmt_class = MAD_CLASS_VENDOR,
                                                  .attribute = REGISTER_MAD_ACCESS,
                                                  .page = r->list->all[g->next].page,
                                                  .port = r->list->all[g->next].port});
}

static void sweep_registers_ask_info(struct sweep_registers *r, struct sweep_registers_group *g)
{
    if (g->device->has_access)
        sweep_registers_go_on(r, g);
    else
        sweep_registers_ask(r, g,
                            &(struct sweep_query){.take = sweep_registers_take_info,
                                                  .mgmt_class = MAD_CLASS_VENDOR,
                                                  .attribute = REGISTER_MAD_GENERAL_INFO,
                                                  .page = REGISTER_PAGES});
}

static void sweep_registers_refuse(const struct sweep *sweep, struct sweep_device *device,
                                   uint32_t what, const struct request_answer *answer)
{
    const struct requests_options *options = &sweep->requests;
    if (device->refused == 0)
        device->until_us = clock_monotonic(options->clock) + REGISTER_MAD_REFUSAL_US;
    device->refused |= what;
    if (!(device->told & what))
        log_debug(options->log,
                  "the device of port GUID 0x%016" PRIx64 " %s; it is not asked for a day",
                  device->guid,
                  what == REFUSES_ALL ? "does not tell its registers"
                  : answer->mad       ? "lacks a register"
                                      : "does not answer for a register");
    device->told |= what;
}

// NULL: no attempt was answered from the LID of the question, or the device is busy.
static const uint8_t *sweep_registers_answer(const struct sweep_query *query,
                                             const struct request_answer *answer)
{
    return mad_is_busy(answer->mad, answer->size) || answer->from_lid != query->lid ? NULL
                                                                                    : answer->mad;
}

const uint8_t *sweep_device_take(const struct sweep *sweep, struct sweep_device *device,
                                 const struct sweep_query *query,
                                 const struct request_answer *answer)
{
    const uint8_t *mad = sweep_registers_answer(query, answer);
    if (!answer->mad || register_mad_is_refusal(mad, answer->size))
        sweep_registers_refuse(sweep, device, 1U << query->page, answer);
    return register_mad_read(mad, answer->size, query->page, query->port);
}

// The LID may have become that of another port after the sweep.
static void sweep_registers_take_node(struct sweep_part *part, const struct sweep_query *query,
                                      const struct request_answer *answer)
{
    struct sweep_registers *r = part->own;
    struct fabric_node ignored;
    uint64_t guid;
    uint8_t number;
    if (answer->data && sweep_registers_answer(query, answer) &&
        smp_read_node_info(answer->data, &ignored, &guid, &number) && guid == query->guid)
        sweep_registers_ask_info(r, &r->groups[query->at]);
}

static void sweep_registers_take_info(struct sweep_part *part, const struct sweep_query *query,
                                      const struct request_answer *answer)
{
    struct sweep_registers *r = part->own;
    struct sweep_registers_group *g = &r->groups[query->at];
    const uint8_t *mad = sweep_registers_answer(query, answer);
    g->device->has_access = register_mad_has_access(mad, answer->size);
    if (g->device->has_access)
        sweep_registers_go_on(r, g);
    else if (mad || !answer->mad)
        sweep_registers_refuse(part->sweep, g->device, REFUSES_ALL, answer);
}

static void sweep_registers_take_page(struct sweep_part *part, const struct sweep_query *query,
                                      const struct request_answer *answer)
{
    struct sweep_registers *r = part->own;
    struct sweep_registers_group *g = &r->groups[query->at];
    struct device_reading *reading = &r->list->all[g->next];
    const uint8_t *octets = sweep_device_take(part->sweep, g->device, query, answer);
    reading->answered = octets != NULL;
    if (octets)
        memcpy(reading->octets, octets, sizeof reading->octets);
    g->next++;
    sweep_registers_go_on(r, g);
}

// The port that answers for a port of a node: of a switch port 0; of another node the port itself
// or, while its link is down, another port. FABRIC_NONE: no port does.
static uint32_t sweep_registers_answering(const struct fabric *fabric, uint32_t node, uint8_t port)
{
    const struct fabric_node *n = &fabric->nodes[node];
    const uint32_t own = fabric_find_port(fabric, node, n->type == FABRIC_SWITCH ? 0 : port);
    if (n->silent)
        return FABRIC_NONE;
    if (n->type == FABRIC_SWITCH || (own != FABRIC_NONE && fabric->ports[own].state > FABRIC_DOWN))
        return own != FABRIC_NONE && fabric->ports[own].lid != 0 ? own : FABRIC_NONE;
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++) {
        if (fabric->ports[i].known && fabric->ports[i].state > FABRIC_DOWN &&
            fabric->ports[i].lid != 0)
            return i;
    }
    return FABRIC_NONE;
}

// Groups the list, whose questions about a node follow each other, by the ports that answer.
static void sweep_registers_begin(struct sweep_registers *r, const struct fabric *fabric,
                                  struct sweep_devices *devices)
{
    const struct sweep *sweep = r->part.sweep;
    const int64_t now = clock_monotonic(sweep->requests.clock);
    uint32_t count = 0;
    if (devices->count + r->list->count > DEVICES_MAX) // before a group refers to a device
        sweep_devices_clear(devices);
    for (uint32_t i = 0; i < r->list->count; i++) {
        const struct device_reading *one = &r->list->all[i];
        const uint32_t node = fabric_find_node(fabric, one->node_guid);
        const uint32_t port =
            node == FABRIC_NONE ? FABRIC_NONE : sweep_registers_answering(fabric, node, one->port);
        if (port == FABRIC_NONE)
            continue;
        struct sweep_device *device =
            sweep_registers_device(sweep, devices, fabric->ports[port].guid);
        if (now >= device->until_us)
            device->refused = 0;
        struct sweep_registers_group *last = count > 0 ? &r->groups[count - 1] : NULL;
        if (last && last->device == device && last->end == i)
            last->end++;
        else
            r->groups[count++] = (struct sweep_registers_group){
                .device = device, .next = i, .end = i + 1, .lid = fabric->ports[port].lid};
    }
    for (uint32_t i = 0; i < count; i++) {
        if (r->groups[i].device->refused & REFUSES_ALL)
            continue;
        if (sweep->no_smps || sweep->by_sa)
            sweep_registers_ask_info(r, &r->groups[i]);
        else
            sweep_registers_ask(r, &r->groups[i],
                                &(struct sweep_query){.take = sweep_registers_take_node,
                                                      .mgmt_class = MAD_CLASS_SMP_LID,
                                                      .attribute = SMP_NODE_INFO});
    }
}

bool sweep_registers(struct sweep *sweep, const struct fabric *fabric,
                     struct sweep_devices *devices, struct device_readings *list, struct error *err)
{
    struct sweep_registers r = {
        .part = {.sweep = sweep, .is_optional = true, .own = &r},
        .groups = memory_zeroed(list->count + 1, sizeof *r.groups),
        .list = list,
    };
    sweep_part_begin(&r.part);
    sweep_registers_begin(&r, fabric, devices);
    const bool ok = sweep_part_end(&r.part, err);
    list->complete = ok && !r.part.ended;
    free(r.groups);
    return ok;
}

// A round.

// What is asked of a switch, and of each port.
static const enum register_page OF_SWITCH[] = {
    REGISTER_FIRMWARE,     REGISTER_BOARD, REGISTER_TEMPERATURE, REGISTER_AMBIENT,
    REGISTER_WARM_SENSORS, REGISTER_FANS,  REGISTER_FANS_OUT,    REGISTER_SUPPLIES};

enum { OF_SWITCH_COUNT = sizeof OF_SWITCH / sizeof *OF_SWITCH };

static void sweep_registers_list_node(const struct fabric *fabric, const struct fabric_node *node,
                                      struct device_readings *out)
{
    const bool is_switch = node->type == FABRIC_SWITCH;
    for (size_t i = 0; is_switch && i < OF_SWITCH_COUNT; i++)
        device_readings_ask(out, node->guid, 0, OF_SWITCH[i]);
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        const struct fabric_port *port = &fabric->ports[i];
        if (port->known && port->number > 0)
            device_readings_ask(out, node->guid, port->number, REGISTER_MODULE);
        if (port->known && port->number > 0 && port->peer_node != FABRIC_NONE)
            device_readings_ask(out, node->guid, port->number, REGISTER_PHYSICAL);
    }
}

struct device_readings *sweep_list_registers(const struct fabric *fabric, uint64_t *after)
{
    struct device_readings *out = device_readings_new(DEVICE_READINGS_MAX);
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        if (node->guid <= *after || node->silent || !fabric_is_nvidia(node))
            continue;
        if (out->count + OF_SWITCH_COUNT + (size_t)2 * node->ports > out->room)
            return out;
        sweep_registers_list_node(fabric, node, out);
        *after = node->guid;
    }
    out->ends_round = true;
    *after = 0;
    return out;
}

// Why links went down.

// The pages of each port; each adds to what the port says.
static const struct {
    enum register_page page;
    void (*read)(const uint8_t octets[REGISTER_MAD_SIZE], struct link_reason *out);
} REASONS[] = {{REGISTER_LINK_DOWN, register_mad_read_link_down},
               {REGISTER_TROUBLESHOOTING, register_mad_read_trouble}};

enum { REASON_PAGES = sizeof REASONS / sizeof *REASONS };

bool sweep_link_reasons(struct sweep *sweep, const struct fabric *fabric,
                        struct sweep_devices *devices, struct link_reasons *list,
                        struct device_readings **out, struct error *err)
{
    struct device_readings *readings = *out = device_readings_new(REASON_PAGES * list->count);
    for (size_t i = 0; i < REASON_PAGES * list->count; i++) {
        const struct link_reason *one = &list->all[i / REASON_PAGES];
        if (!one->known)
            device_readings_ask(readings, one->node_guid, one->port,
                                REASONS[i % REASON_PAGES].page);
    }
    const bool ok = sweep_registers(sweep, fabric, devices, readings, err);
    const struct device_reading *reading = readings->all;
    for (size_t i = 0; i < list->count; i++) {
        if (list->all[i].known)
            continue;
        for (size_t page = 0; page < REASON_PAGES; page++, reading++) {
            if (reading->answered)
                REASONS[page].read(reading->octets, &list->all[i]);
        }
    }
    list->complete = readings->complete;
    return ok;
}

// The lost links.

static bool sweep_registers_is_slower(const struct fabric_port *before,
                                      const struct fabric_port *after)
{
    return fabric_lanes(after->width_active) < fabric_lanes(before->width_active) ||
           fabric_is_slower(after->speed_active, before->speed_active);
}

// Adds the ports of a node that were linked, and are down or slower. A port that is up again tells
// of an earlier failure.
static void sweep_registers_add_ports(const struct fabric *before, const struct fabric_node *was,
                                      const struct fabric *after, uint32_t node,
                                      struct link_reasons *out)
{
    for (uint32_t i = was->first_port; i < was->first_port + was->ports; i++) {
        const struct fabric_port *port = &before->ports[i];
        if (port->peer_node == FABRIC_NONE || out->count == LINK_REASONS_MAX)
            continue;
        const uint32_t now = fabric_find_port(after, node, port->number);
        if (now != FABRIC_NONE && after->ports[now].known &&
            (after->ports[now].state == FABRIC_DOWN ||
             sweep_registers_is_slower(port, &after->ports[now])))
            out->all[out->count++] =
                (struct link_reason){.node_guid = was->guid, .port = port->number};
    }
}

void sweep_list_lost_links(const struct fabric *before, const struct fabric *after,
                           struct link_reasons *out)
{
    *out = (struct link_reasons){0};
    for (uint32_t i = 0; i < before->node_count; i++) {
        const uint32_t node = fabric_find_node(after, before->nodes[i].guid);
        if (node != FABRIC_NONE && fabric_is_nvidia(&after->nodes[node]))
            sweep_registers_add_ports(before, &before->nodes[i], after, node, out);
    }
}
