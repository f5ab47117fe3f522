// SPDX-License-Identifier: BSD-2-Clause
// A snapshot's record of arbitrary octets, as in a damaged journal. A record that can be read gives
// a valid snapshot, writing and reading it again gives the same one, and its changes to another
// snapshot become events.
#include "fuzz.h"

#include "model/fabric_builder.h"
#include "model/fabric_record.h"
#include "topology/changes.h"

#include <string.h>

static void check_nodes(const struct fabric *f)
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < f->node_count; i++) {
        REQUIRE(i == 0 || f->nodes[i - 1].guid < f->nodes[i].guid);
        REQUIRE(fabric_find_node(f, f->nodes[i].guid) == i);
        REQUIRE(f->nodes[i].first_port == ports && f->nodes[i].ports <= 256);
        REQUIRE(memchr(f->nodes[i].description, '\0', FABRIC_DESCRIPTION_SIZE));
        ports += f->nodes[i].ports;
    }
    REQUIRE(ports == f->port_count);
}

static void check_ports(const struct fabric *f)
{
    for (uint32_t i = 0; i < f->port_count; i++) {
        uint32_t node = fabric_node_of_port(f, i), peer = fabric_peer(f, i);
        REQUIRE(fabric_find_port(f, node, f->ports[i].number) == i);
        REQUIRE((peer == FABRIC_NONE) == (f->ports[i].peer_node == FABRIC_NONE));
        REQUIRE(peer == FABRIC_NONE || (peer != i && fabric_peer(f, peer) == i));
    }
    for (uint32_t lid = 0; lid <= 0xFFFF; lid++) {
        uint32_t port = fabric_find_lid(f, (uint16_t)lid);
        REQUIRE(port == FABRIC_NONE || port < f->port_count);
    }
}

static void check_services(const struct fabric *f)
{
    for (uint32_t i = 0; i < f->sm_count; i++)
        REQUIRE(f->sms[i].node < f->node_count && (i == 0 || f->sms[i - 1].guid < f->sms[i].guid));
    for (uint32_t i = 0; i < f->controller_count; i++)
        REQUIRE(f->controllers[i].node < f->node_count);
}

// Compares the snapshot with an empty snapshot: everything is added or removed.
static void check_changes(const struct fabric *f)
{
    struct fabric *nothing = fabric_builder_finish(fabric_builder_new(), 0, 0, true);
    struct changes changes = {0};
    changes_between(nothing, f, NULL, &changes);
    changes_between(f, nothing, NULL, &changes);
    for (uint32_t i = 0; i < changes.count; i++)
        REQUIRE(changes.all[i].cause == FABRIC_NONE || changes.all[i].cause < i);
    REQUIRE(changes.count >= 2 * f->node_count);
    changes_clear(&changes);
    fabric_unref(nothing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {""};
    struct fabric *fabric = fabric_record_read(data, size, &err);
    if (!fabric) {
        REQUIRE(err.text[0] != '\0');
        return 0;
    }
    check_nodes(fabric);
    check_ports(fabric);
    check_services(fabric);
    check_changes(fabric);
    size_t written, written_again;
    uint8_t *record = fabric_record_write(fabric, &written);
    struct fabric *again = fabric_record_read(record, written, &err);
    REQUIRE(again);
    uint8_t *record_again = fabric_record_write(again, &written_again);
    REQUIRE(written == written_again && memcmp(record, record_again, written) == 0);
    free(record);
    free(record_again);
    fabric_unref(fabric);
    fabric_unref(again);
    return 0;
}
