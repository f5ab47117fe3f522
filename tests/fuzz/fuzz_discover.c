// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary answers to the directed-route SMPs of a sweep. The input is split into answers, in the
// order of the pending queries. Each begins with an octet of faults; then comes the attribute.
// NodeInfo and PortInfo consist only of the few fields that a sweep uses, so that small inputs make
// whole fabrics, or of all octets.
#include "answering_port.h"
#include "fuzz.h"

#include "ib/smp_decode.h"
#include "model/fabric_builder.h"
#include "model/fabric_record.h"

enum { HEADER = 64, QUESTIONS_MAX = 2048, ATTRIBUTE_AT = 16 };
enum { NO_ANSWER = 1, BAD_STATUS = 2, RAW = 4 }; // bits of an answer's first octet

static void check_question(enum mad_agent agent, const struct mad_address *to)
{
    REQUIRE(agent == MAD_AGENT_SMP && to->lid == 0xFFFF);
}

// Only few GUIDs, so that the sweep finds nodes again; and the port number of the arrival.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct answering_port port = {
        .questions_max = QUESTIONS_MAX, .answer = answer, .check_question = check_question};
    struct sweep sweep = answering_port_sweep(&port, data, size);
    sweep.port = (struct mad_port){0};
    struct fabric_builder *builder = fabric_builder_new();
    struct error err = {""};
    bool ok = sweep_smp(&sweep, builder, &err);
    REQUIRE(ok || err.text[0] != '\0');
    struct fabric *fabric = fabric_builder_finish(builder, 0, 0, sweep.complete);
    REQUIRE(fabric);
    REQUIRE(!ok || fabric->node_count > 0);
    check_fabric(fabric);
    fabric_unref(fabric);
    return 0;
}
