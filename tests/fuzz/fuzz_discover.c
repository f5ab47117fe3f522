// Any answers to the directed-route SMPs of a sweep. The input is cut into answers, in the order in
// which the questions wait: an octet that says what is wrong with it, then its attribute: NodeInfo
// and PortInfo are given by the few of their fields that a sweep follows, so that whole fabrics come
// of small inputs, or octet by octet.
#include "fuzz.h"

#include "ib/smp_decode.h"
#include "ib/sweep.h"
#include "input.h"
#include "model/fabric_record.h"

enum { HEADER = 64, WAITING_MAX = 16, QUESTIONS_MAX = 2048, ATTRIBUTE_AT = 16 };
enum { NO_ANSWER = 1, BAD_STATUS = 2, RAW = 4 }; // of an answer's first octet

struct port {
    struct input in;
    uint8_t waiting[WAITING_MAX][MAD_SIZE]; // the questions
    size_t first, count;
    uint8_t answer[MAD_SIZE];
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
    (void)response_timeout_ms, (void)err;
    struct port *port = self;
    REQUIRE(agent == MAD_AGENT_SMP && to->lid == 0xFFFF && port->count < WAITING_MAX);
    memcpy(port->waiting[(port->first + port->count++) % WAITING_MAX], octets, MAD_SIZE);
    if (++port->asked == QUESTIONS_MAX)
        atomic_store(&port->stop, true); // a small input may stand for many ports
    return true;
}

// Few GUIDs, so that nodes meet again; a port number of the arrival.
static void write_node_info(struct input *in, uint8_t *data)
{
    data[0] = data[1] = 1;
    data[2] = (uint8_t)(input_number(in, 1) % 5); // type
    data[3] = (uint8_t)input_number(in, 1);       // ports
    data[19] = (uint8_t)(input_number(in, 1) % 16);
    data[11] = data[27] = data[19];
    data[36] = (uint8_t)input_number(in, 1); // LocalPortNum
}

static void write_port_info(struct input *in, uint8_t *data)
{
    data[32] = (uint8_t)input_number(in, 1); // PortState
    data[33] = (uint8_t)input_number(in, 1); // PortPhysicalState
    data[17] = (uint8_t)input_number(in, 1); // LID
}

static void write_attribute(struct input *in, unsigned attribute, bool raw, uint8_t *data)
{
    if (raw || attribute == SMP_NODE_DESCRIPTION)
        input_octets(in, data, SMP_DATA_SIZE);
    else if (attribute == SMP_NODE_INFO)
        write_node_info(in, data);
    else
        write_port_info(in, data);
}

// The answer to the question that waits longest.
static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    (void)err;
    struct port *port = self;
    if (input_left(&port->in) == 0 || port->count == 0) {
        port->now += timeout_ms * CLOCK_US_PER_MS;
        port->count = 0;
        return 0;
    }
    uint8_t how = (uint8_t)input_number(&port->in, 1);
    const uint8_t *question = port->waiting[port->first];
    port->first = (port->first + 1) % WAITING_MAX;
    port->count--;
    if (how & NO_ANSWER)
        return 0;
    memset(port->answer, 0, MAD_SIZE);
    memcpy(port->answer, question, HEADER);
    port->answer[3] |= MAD_METHOD_RESPONSE;
    port->answer[4] = 0x80 | (how & BAD_STATUS ? 0x1C : 0);
    write_attribute(&port->in, wire_get16(question + ATTRIBUTE_AT), how & RAW, port->answer + HEADER);
    *out = (struct mad_received){.octets = port->answer, .size = MAD_SIZE};
    return 1;
}

static void port_close(void *self)
{
    (void)self;
}

static void check_fabric(const struct fabric *fabric)
{
    struct error err;
    size_t size;
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        REQUIRE(node->guid != 0 && (i == 0 || fabric->nodes[i - 1].guid < node->guid));
        for (uint32_t p = node->first_port; p < node->first_port + node->ports; p++)
            REQUIRE(fabric->ports[p].number <= node->port_count);
    }
    for (uint32_t i = 0; i < fabric->port_count; i++) {
        uint32_t peer = fabric_peer(fabric, i);
        REQUIRE(peer == FABRIC_NONE || (peer != i && fabric_peer(fabric, peer) == i));
    }
    // What a sweep found can be kept.
    uint8_t *record = fabric_record_write(fabric, &size);
    REQUIRE(record);
    struct fabric *again = fabric_record_read(record, size, &err);
    REQUIRE(again && again->node_count == fabric->node_count &&
            again->port_count == fabric->port_count);
    fabric_release(again);
    free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct port port;
    port = (struct port){.in = {data, data + size}};
    const struct clock clock = {tell_time, tell_time, &port};
    const struct random random = {some_chance, NULL};
    struct sweep sweep = {.batch = {.io = {port_receive, NULL, port_send, port_close, &port},
                                    .in_flight = WAITING_MAX,
                                    .attempts = 1,
                                    .timeout_us = 50 * CLOCK_US_PER_MS,
                                    .clock = &clock,
                                    .stop = &port.stop},
                          .random = &random,
                          .complete = true};
    struct fabric_builder *builder = fabric_builder_new();
    struct error err = {""};
    bool ok = sweep_smp(&sweep, builder, &err);
    REQUIRE(ok || err.text[0] != '\0');
    struct fabric *fabric = fabric_builder_finish(builder, 0, 0, sweep.complete);
    REQUIRE(fabric);
    REQUIRE(!ok || fabric->node_count > 0);
    check_fabric(fabric);
    fabric_release(fabric);
    return 0;
}
