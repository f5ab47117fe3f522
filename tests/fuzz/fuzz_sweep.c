// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary answers to all other queries of a sweep: the SA's tables, then subnet managers, I/O
// units and counters of the resulting fabric. The input is split into answers: two octets of
// length, and that many octets after the MAD's header. The last octet is the time that each part
// may take, and whether the first fabric is known to a second sweep.
#include "answering_port.h"
#include "fuzz.h"

#include "model/fabric_builder.h"

enum { HEADER = 24, QUESTIONS_MAX = 4096 };

static void check_question(enum mad_agent agent, const struct mad_address *to)
{
    (void)agent;
    REQUIRE(to->lid != 0);
}

static size_t answer(struct input *in, const uint8_t *question, uint8_t *out)
{
    size_t length, size;
    const uint8_t *data = input_part(in, 2, &length);
    size = HEADER + length;
    if (size > ANSWERING_ANSWER_MAX)
        size = ANSWERING_ANSWER_MAX;
    memset(out, 0, MAD_SIZE);
    memcpy(out, question, HEADER);
    out[3] |= MAD_METHOD_RESPONSE;
    memcpy(out + HEADER, data, size - HEADER);
    return size < MAD_SIZE ? MAD_SIZE : size;
}

static void check_text(const char *s)
{
    char clean[FABRIC_DESCRIPTION_SIZE];
    text_clean(s, strlen(s), clean, sizeof clean);
    REQUIRE(strcmp(s, clean) == 0);
}

static void check_fabric(const struct fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        check_text(node->description);
        REQUIRE(node->guid != 0 && (i == 0 || fabric->nodes[i - 1].guid < node->guid));
        REQUIRE(fabric_find_node(fabric, node->guid) == i);
        for (uint32_t p = node->first_port; p < node->first_port + node->ports; p++)
            REQUIRE(fabric->ports[p].number <= node->port_count &&
                    fabric_find_port(fabric, i, fabric->ports[p].number) == p);
    }
    for (uint32_t i = 0; i < fabric->port_count; i++) {
        uint32_t peer = fabric_peer(fabric, i);
        REQUIRE(peer == FABRIC_NONE || fabric_peer(fabric, peer) == i);
    }
    for (uint32_t i = 0; i < fabric->controller_count; i++)
        check_text(fabric->controllers[i].name);
}

static void check_reading(const struct counter_reading *reading)
{
    for (size_t i = 1; i < reading->count; i++) {
        const struct counter_sample *a = &reading->samples[i - 1], *b = &reading->samples[i];
        REQUIRE(a->node_guid < b->node_guid || (a->node_guid == b->node_guid && a->port < b->port));
    }
}

static struct fabric *look(struct sweep *sweep)
{
    struct fabric_builder *builder = fabric_builder_new();
    struct error err;
    sweep->complete = true;
    if (sweep_sa(sweep, builder, &err) && sweep_subnet_managers(sweep, builder, &err))
        sweep_io_units(sweep, builder, &err);
    struct fabric *fabric = fabric_builder_finish(builder, 0, 0, sweep->complete);
    REQUIRE(fabric);
    check_fabric(fabric);
    return fabric;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct answering_port port = {
        .questions_max = QUESTIONS_MAX, .answer = answer, .check_question = check_question};
    const uint8_t last = size > 0 ? data[size - 1] : 0;
    struct sweep_size counted;
    struct error err;
    struct sweep sweep = answering_port_sweep(&port, data, size);
    sweep.port = (struct mad_port){.lid = 7, .sm_lid = 1};
    sweep.limits.part_us = last / 2 * 50 * CLOCK_US_PER_MS;
    struct fabric *fabric = look(&sweep);
    struct counter_reading *reading = NULL;
    if (sweep_counters(&sweep, fabric, &(struct sweep_choice){0}, &reading, &err))
        check_reading(reading);
    free(reading);
    sweep.known = fabric;
    if (last % 2)
        fabric_unref(look(&sweep));
    if (!sweep_sa_count(&sweep, &counted, &err))
        REQUIRE(err.text[0] != '\0');
    fabric_unref(fabric);
    return 0;
}
