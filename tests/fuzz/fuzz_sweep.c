// Any answers to all that a sweep asks after the directed-route SMPs: the SA's tables, then subnet
// managers, I/O units and counters of the fabric that came of them. The input is cut into answers:
// two octets of length, as many behind the header.
#include "fuzz.h"

#include "ib/sweep.h"

#include <string.h>

enum { HEADER = 24, ANSWER_MAX = 8192, WAITING_MAX = 16, QUESTIONS_MAX = 4096 };

struct port {
    const uint8_t *data;
    size_t size;
    uint8_t waiting[WAITING_MAX][HEADER]; // the questions
    size_t first, count;
    uint8_t answer[ANSWER_MAX];
    unsigned asked;
    int64_t now;
    atomic_bool stop;
};

static int64_t tell_time(void *ctx)
{
    return ((struct port *)ctx)->now;
}

static void some_chance(void *ctx, void *out, size_t size)
{
    (void)ctx;
    memset(out, 0x5A, size);
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    (void)agent, (void)response_timeout_ms, (void)err;
    struct port *port = self;
    REQUIRE(to->lid != 0 && port->count < WAITING_MAX);
    memcpy(port->waiting[(port->first + port->count++) % WAITING_MAX], octets, HEADER);
    if (++port->asked == QUESTIONS_MAX)
        atomic_store(&port->stop, true); // a small input may stand for many ports
    return true;
}

// The answer to the question that waits longest, from the input.
static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    (void)err;
    struct port *port = self;
    if (port->size < 2 || port->count == 0) {
        port->now += timeout_ms * CLOCK_US_PER_MS;
        port->count = 0;
        return 0;
    }
    size_t length = (size_t)(port->data[0] << 8 | port->data[1]);
    if (length > port->size - 2)
        length = port->size - 2;
    if (length > ANSWER_MAX - HEADER)
        length = ANSWER_MAX - HEADER;
    memset(port->answer, 0, MAD_SIZE);
    memcpy(port->answer, port->waiting[port->first], HEADER);
    port->answer[3] |= MAD_METHOD_RESPONSE;
    memcpy(port->answer + HEADER, port->data + 2, length);
    port->data += 2 + length;
    port->size -= 2 + length;
    port->first = (port->first + 1) % WAITING_MAX;
    port->count--;
    size_t size = HEADER + length;
    *out = (struct mad_received){.octets = port->answer, .size = size < MAD_SIZE ? MAD_SIZE : size};
    return 1;
}

static void port_close(void *self)
{
    (void)self;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct port port;
    port = (struct port){.data = data, .size = size};
    const struct clock clock = {tell_time, tell_time, &port};
    const struct random random = {some_chance, NULL};
    struct sweep sweep = {.batch = {.io = {port_receive, NULL, port_send, port_close, &port},
                                    .in_flight = WAITING_MAX,
                                    .attempts = 1,
                                    .timeout_us = 50 * CLOCK_US_PER_MS,
                                    .clock = &clock,
                                    .stop = &port.stop},
                          .random = &random,
                          .port = {.lid = 7, .sm_lid = 1},
                          .complete = true};
    struct fabric_builder *builder = fabric_builder_new();
    struct error err;
    if (sweep_sa(&sweep, builder, &err) && sweep_subnet_managers(&sweep, builder, &err))
        sweep_io_units(&sweep, builder, &err);
    struct fabric *fabric = fabric_builder_finish(builder, 0, 0, sweep.complete);
    REQUIRE(fabric);
    check_fabric(fabric);
    struct counter_reading *reading = NULL;
    if (sweep_counters(&sweep, fabric, false, &reading, &err))
        check_reading(reading);
    free(reading);
    fabric_release(fabric);
    return 0;
}
