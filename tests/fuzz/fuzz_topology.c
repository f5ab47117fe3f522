// SPDX-License-Identifier: BSD-2-Clause
// A topology file of arbitrary octets.
#include "fuzz.h"

#include "base/text.h"
#include "model/topology_file.h"

#include <string.h>

static void check_port(const struct fabric *fabric, uint32_t node, const struct fabric_port *port)
{
    const unsigned ports = fabric->nodes[node].port_count; // 0: any number
    REQUIRE(port->number >= 1 && port->number <= (ports > 0 ? ports : 254));
    REQUIRE(port->peer_node < fabric->node_count);
    const uint32_t peer = fabric_find_port(fabric, port->peer_node, port->peer_port);
    REQUIRE(peer != FABRIC_NONE);
    REQUIRE(fabric->ports[peer].peer_node == node);
    REQUIRE(fabric->ports[peer].peer_port == port->number);
}

static void check_node(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *n = &fabric->nodes[node];
    char clean[FABRIC_DESCRIPTION_SIZE];
    text_clean(n->description, strlen(n->description), clean, sizeof clean);
    REQUIRE(strcmp(clean, n->description) == 0);
    REQUIRE(n->type >= FABRIC_CA && n->type <= FABRIC_ROUTER && n->guid != 0);
    for (uint32_t i = n->first_port; i < n->first_port + n->ports; i++)
        check_port(fabric, node, &fabric->ports[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct fabric *fabric = topology_file_parse("net", (const char *)data, size, &err);
    if (!fabric) {
        char clean[sizeof err.text];
        text_clean(err.text, strlen(err.text), clean, sizeof clean);
        REQUIRE(strncmp(err.text, "net:", 4) == 0 && err.text[4] >= '1' && err.text[4] <= '9');
        REQUIRE(strcmp(clean, err.text) == 0);
        return 0;
    }
    REQUIRE(fabric->node_count > 0);
    for (uint32_t i = 0; i < fabric->node_count; i++)
        check_node(fabric, i);
    fabric_unref(fabric);
    return 0;
}
