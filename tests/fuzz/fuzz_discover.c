// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary answers to the directed-route SMPs of a sweep. The input is split into answers, in the
// order of the pending queries. Each begins with an octet of faults; then comes the attribute.
// NodeInfo and PortInfo consist only of the few fields that a sweep uses, so that small inputs make
// whole fabrics, or of all octets. The input's last three octets are the limits of nodes and ports,
// and whether what a first sweep found is known to a second one.
#include "answering_port.h"
#include "fuzz.h"

#include "ib/node_mad.h"
#include "model/fabric_builder.h"
#include "model/fabric_record.h"

enum { HEADER = 64, QUESTIONS_MAX = 2048, ATTRIBUTE_AT = 16 };
enum { NO_ANSWER = 1, BAD_STATUS = 2, RAW = 4 }; // bits of an answer's first octet

static void check_question(enum mad_agent agent, const struct mad_address *to)
{
    REQUIRE(agent == MAD_AGENT_SMP && to->lid == 0xFFFF);
}

// Only few GUIDs: the sweep finds nodes again; and the port number of the arrival.
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

static size_t answer(struct input *in, const uint8_t *question, uint8_t *out)
{
    uint8_t how = (uint8_t)input_number(in, 1);
    if (how & NO_ANSWER)
        return 0;
    memset(out, 0, MAD_SIZE);
    memcpy(out, question, HEADER);
    out[3] |= MAD_METHOD_RESPONSE;
    out[4] = 0x80 | (how & BAD_STATUS ? 0x1C : 0);
    write_attribute(in, wire_get16(question + ATTRIBUTE_AT), how & RAW, out + HEADER);
    return MAD_SIZE;
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
    // The snapshot can be written as a record.
    uint8_t *record = fabric_record_write(fabric, &size);
    REQUIRE(record);
    struct fabric *again = fabric_record_read(record, size, &err);
    REQUIRE(again && again->node_count == fabric->node_count &&
            again->port_count == fabric->port_count);
    fabric_unref(again);
    free(record);
}

// A few more may be found by the answers that are under way at the limit; a switch has 255 ports.
static void check_limits(const struct sweep *sweep, const struct fabric *fabric, uint64_t sent)
{
    const struct sweep_limits *limits = &sweep->limits;
    REQUIRE(!sweep->overflow.happened || !sweep->complete);
    REQUIRE(limits->nodes == 0 || fabric->node_count <= limits->nodes + ANSWERING_IN_FLIGHT);
    if (limits->ports > 0) {
        uint32_t ports = limits->ports + ANSWERING_IN_FLIGHT * 255;
        REQUIRE(fabric->port_count <= 2 * ports); // and the other ends of their links
        REQUIRE(sent <= 4 * ports);
    }
    if (sweep->overflow.happened && sweep->overflow.node_guid != 0)
        REQUIRE(fabric_find_node(fabric, sweep->overflow.node_guid) != FABRIC_NONE);
    REQUIRE(sweep->twin_count <= SWEEP_TWINS_MAX);
    for (size_t i = 0; i < sweep->twin_count; i++)
        REQUIRE(fabric_find_node(fabric, sweep->twins[i].guid) != FABRIC_NONE);
}

static struct fabric *look(struct answering_port *port, struct sweep *sweep)
{
    struct fabric_builder *builder = fabric_builder_new();
    struct error err = {""};
    uint64_t sent = port->port.sent;
    bool ok = sweep_smp(sweep, builder, &err);
    REQUIRE(ok || err.text[0] != '\0');
    struct fabric *fabric = fabric_builder_finish(builder, 0, 0, sweep->complete);
    REQUIRE(fabric);
    REQUIRE(!ok || fabric->node_count > 0);
    check_fabric(fabric);
    if (ok)
        check_limits(sweep, fabric, port->port.sent - sent);
    return fabric;
}

// The second sweep, with the findings of the first, gets the remaining answers.
static void look_again(struct answering_port *port, struct sweep *sweep, const struct fabric *known)
{
    sweep->known = known;
    sweep->complete = true;
    sweep->overflow = (struct sweep_overflow){.happened = false};
    sweep->twin_count = 0;
    fabric_unref(look(port, sweep));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct answering_port port = {
        .questions_max = QUESTIONS_MAX, .answer = answer, .check_question = check_question};
    const uint8_t *last = size >= 3 ? data + size - 3 : (const uint8_t[3]){0};
    struct sweep sweep = answering_port_sweep(&port, data, size);
    sweep.port = (struct mad_port){0};
    sweep.limits.nodes = last[0];
    sweep.limits.ports = last[1];
    struct fabric *fabric = look(&port, &sweep);
    if (last[2] % 2)
        look_again(&port, &sweep, fabric);
    fabric_unref(fabric);
    return 0;
}
