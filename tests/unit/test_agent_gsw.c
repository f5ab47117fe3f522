// SPDX-License-Identifier: BSD-2-Clause
// The tables of the IBSWITCH-MIB about the fabric: cell by cell on a small fabric, walked on a
// large one.
#include "generated.h"
#include "support.h"

#include "looks.h"

#include "agent/snapshot_events.h"
#include "base/wire.h"
#include "tables/gsw.h"
#include "tables/tables.h"

enum { INSTANCES_MAX = 400000, TEXT_MAX = 600 };
static const uint64_t SPINE = UINT64_C(0x0002C90300000010), LEAF = UINT64_C(0x0002C903000000A0),
                      ROUTER = UINT64_C(0x0002C90300000001), HOST = UINT64_C(0x0002C90300000B00);
#define SPINE_ID  "0.2.201.3.0.0.0.16.0.0.0.0.0.0.0.2"
#define LEAF_ID   "0.2.201.3.0.0.0.160.0.0.0.0.0.0.0.2"
#define ROUTER_ID "0.2.201.3.0.0.0.1.0.0.0.0.0.0.0.3"

static struct snapshot_source source;
static struct agent_snapshot snapshot;
static struct names *names;

// The view's list of elements is made here as agent/snapshot.h describes it.
static void look(const struct generated *g)
{
    struct fabric *fabric = generated_look(g, 0);
    source = (struct snapshot_source){.event_trap_level = 2};
    snapshot =
        (struct agent_snapshot){.time_us = SUPPORT_UTC_US, .source = &source, .fabric = fabric};
    snapshot.switches = calloc(fabric->node_count + 1, sizeof *snapshot.switches);
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        if (fabric->nodes[i].type != FABRIC_CA)
            snapshot.switches[snapshot.switch_count++] = i;
    }
}

static int end(void **state)
{
    (void)state;
    fabric_unref(snapshot.fabric);
    accumulated_unref(snapshot.accumulated);
    settings_unref(snapshot.settings);
    names_unref(names);
    free(snapshot.switches);
    snapshot = (struct agent_snapshot){.fabric = NULL};
    names = NULL;
    return 0;
}

// A spine, a leaf, a router at the spine, a host at the leaf; spine 1 and leaf 2 are one link.
static void make_small(struct generated *g)
{
    uint32_t spine = generated_add(g, FABRIC_SWITCH, SPINE, "the spine", 3);
    uint32_t leaf = generated_add(g, FABRIC_SWITCH, LEAF, "the leaf", 2);
    uint32_t router = generated_add(g, FABRIC_ROUTER, ROUTER, "the router", 2);
    uint32_t host = generated_add(g, FABRIC_CA, HOST, "node1 HCA-1", 1);
    generated_link(g, spine, 1, leaf, 2);
    generated_link(g, spine, 2, router, 1);
    generated_link(g, leaf, 1, host, 1);
    struct fabric_node *node = &g->nodes[spine].node;
    node->base_version = 1;
    node->class_version = 2;
    node->revision = 0xF00000A1;
    g->nodes[leaf].node.silent = true;
}

static void set_port_info(struct generated *g, uint32_t node)
{
    struct fabric_port *port = generated_port(g, node, 0);
    port->gid_prefix = UINT64_C(0xFE80000000000005);
    port->lid = 0x0102;
    port->lmc = 3;
    port->capabilities = UINT32_C(0x82000048);
    port->state = FABRIC_ARMED;
    port->physical = 6;
    port->width_enabled = 3;
    port->width_supported = 0x1F;
    port->width_active = 2;
    port->speed_enabled = FABRIC_SDR;
    port->speed_supported = FABRIC_SDR | FABRIC_DDR;
    port->speed_active = FABRIC_EDR;
    fabric_set_port_info(port, PORT_INFO_MASTER_SM_LID, 0x0304);
    fabric_set_port_info(port, PORT_INFO_DIAG_CODE, 5);
    fabric_set_port_info(port, PORT_INFO_MKEY_VIOLATIONS, 6);
    fabric_set_port_info(port, PORT_INFO_PKEY_VIOLATIONS, 7);
    fabric_set_port_info(port, PORT_INFO_QKEY_VIOLATIONS, 65535);
    fabric_set_port_info(port, PORT_INFO_LINK_DOWN_DEFAULT, 2);
    fabric_set_port_info(port, PORT_INFO_NEIGHBOR_MTU, 4);
    fabric_set_port_info(port, PORT_INFO_MTU_CAP, 5);
    fabric_set_port_info(port, PORT_INFO_VL_CAP, 3);
    fabric_set_port_info(port, PORT_INFO_OPERATIONAL_VLS, 1);
    fabric_set_port_info(port, PORT_INFO_LOCAL_PHY_ERRORS, 8);
    fabric_set_port_info(port, PORT_INFO_OVERRUN_ERRORS, 9);
}

static int begin(void **state)
{
    struct generated g = {0};
    (void)state;
    make_small(&g);
    set_port_info(&g, 0);
    generated_port(&g, 1, 2)->known = false;
    look(&g);
    generated_clear(&g);
    return 0;
}

static void add_text(struct text *t, const struct agentx_value *value)
{
    bool printable = value->size > 0;
    for (size_t i = 0; i < value->size; i++)
        printable = printable && value->octets[i] >= ' ' && value->octets[i] < 0x7F;
    switch (value->type) {
    case AGENTX_INTEGER:
        text_addf(t, "%lld", (long long)value->number);
        break;
    case AGENTX_OCTETS:
        if (printable)
            text_addf(t, "\"%.*s\"", value->size, (const char *)value->octets);
        else
            text_add_hex(t, value->octets, value->size);
        break;
    case AGENTX_IP_ADDRESS:
        text_addf(t, "%u.%u.%u.%u", value->octets[0], value->octets[1], value->octets[2],
                  value->octets[3]);
        break;
    case AGENTX_NO_SUCH_INSTANCE:
        text_add(t, "none");
        break;
    case AGENTX_NO_SUCH_OBJECT:
        text_add(t, "no object");
        break;
    default:
        fail_msg("a value of type %d", (int)value->type);
    }
}

// `column` and `index` with dots, below gsw.
static struct agentx_oid oid(const char *column, const char *index)
{
    static const uint32_t GSW[] = {TABLES_GSW_IDS};
    struct agentx_oid out = {.length = COUNT(GSW)};
    char all[200], *p = all;
    memcpy(out.ids, GSW, sizeof GSW);
    snprintf(all, sizeof all, "%s.%s", column, index);
    while (*p) {
        assert_true(agentx_oid_add(&out, (uint32_t)strtoul(p, &p, 10)));
        p += *p == '.';
    }
    return out;
}

static const char *get(const char *column, const char *index)
{
    static char out[TEXT_MAX];
    struct text t = text_in(out, sizeof out);
    struct agentx_value value = {.type = AGENTX_NULL};
    const struct agentx_oid name = oid(column, index);
    looks_get(&TABLES, &snapshot, &name, &value);
    add_text(&t, &value);
    return out;
}

struct cell {
    const char *column, *index, *value;
};

static void check_cells(const struct cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *found = get(cells[i].column, cells[i].index);
        if (strcmp(found, cells[i].value) != 0)
            fail_msg("%s.%s is %s, not %s", cells[i].column, cells[i].index, found, cells[i].value);
    }
}
#define CHECK(...)                                                                                 \
    check_cells((const struct cell[]){__VA_ARGS__}, COUNT(((const struct cell[]){__VA_ARGS__})))

TEST(the_inventory)
{
#define SPINE_LOCAL  "2.0.2.201.3.0.0.0.16"
#define ROUTER_LOCAL "3.0.2.201.3.0.0.0.1"
    CHECK({"2.2.1.1", SPINE_LOCAL, "2"}, {"2.2.1.1", ROUTER_LOCAL, "3"},
          {"2.2.1.2", SPINE_LOCAL, "0002c90300000010"}, {"2.2.1.7", SPINE_LOCAL, "\"the spine\""},
          {"2.2.1.7", ROUTER_LOCAL, "\"the router\""},
          {"2.2.1.8", SPINE_LOCAL, "0002c903000000100000000000000002"},
          {"2.2.1.8", ROUTER_LOCAL, "0002c903000000010000000000000003"},
          {"2.2.1.9", SPINE_LOCAL, "none"}, {"2.2.1.10", SPINE_LOCAL, "none"},
          {"2.2.1.11", SPINE_LOCAL, "none"}, {"2.2.1.12", SPINE_LOCAL, ""},
          {"2.2.1.13", SPINE_LOCAL, ""});
    CHECK({"2.2.1.1", "3.0.2.201.3.0.0.0.16", "none"}, {"2.2.1.1", "2.0.2.201.3.0.0.11.0", "none"},
          {"2.2.1.3", SPINE_LOCAL, "no object"});
}

static void set(enum setting_kind kind, uint64_t guid, uint8_t number, const char *value,
                size_t size)
{
    struct setting change = {.kind = kind, .guid = guid, .number = number, .size = (uint16_t)size};
    memcpy(change.value, value, size);
    struct settings *next = settings_with(snapshot.settings, &change, 1);
    assert_non_null(next);
    settings_unref(snapshot.settings);
    snapshot.settings = next;
}

TEST(what_was_set_is_told)
{
    static const char MAP[] = "0x0002C90300000010 \"spine by map\"\n"
                              "0x0002C903000000A0 \"leaf by map\"\n";
    struct error err;
    snapshot.names = names = names_parse("map", MAP, sizeof MAP - 1, &err);
    set(SETTING_SWITCH_NAME, SPINE, 0, "set", 3);
    set(SETTING_SAN_NAME, LEAF, 0, "san", 3);
    set(SETTING_FABRIC_NAME, ROUTER, 0, "fabric", 6);
    set(SETTING_EVENT_TRAP_LEVEL, LEAF, 0, "\5", 1);
    set(SETTING_COMMUNITY, LEAF, 6, "secret", 6);
    set(SETTING_TRAP_RECIPIENT, LEAF, 1, "\300\0\2\7", 4);
    CHECK({"2.2.1.7", SPINE_LOCAL, "\"set\""},
          {"2.2.1.7", "2.0.2.201.3.0.0.0.160", "\"leaf by map\""},
          {"2.2.1.12", "2.0.2.201.3.0.0.0.160", "\"san\""}, {"2.2.1.12", SPINE_LOCAL, ""},
          {"2.2.1.13", ROUTER_LOCAL, "\"fabric\""}, {"2.3.1.41", LEAF_ID, "5"},
          {"2.3.1.41", SPINE_ID, "2"}, {"25.11.1.3", LEAF_ID ".6", "\"secret\""},
          {"25.11.1.4", LEAF_ID ".6", "0.0.0.0"}, {"25.11.1.3", LEAF_ID ".1", ""},
          {"25.11.1.4", LEAF_ID ".1", "192.0.2.7"},
          {"25.11.1.1", LEAF_ID ".1", //
           "0002c903000000a00000000000000002"},
          {"25.11.1.2", ROUTER_ID ".4", "4"}, {"25.11.1.2", ROUTER_ID ".7", "none"},
          {"25.11.1.2", ROUTER_ID ".0", "none"});
}

TEST(a_long_name_has_256_octets_at_most)
{
    char longest[SETTING_VALUE_MAX];
    memset(longest, 'x', sizeof longest);
    set(SETTING_SWITCH_NAME, SPINE, 0, longest, sizeof longest);
    assert_int_equal(strlen(get("2.2.1.7", SPINE_LOCAL)), 256 + 2);
}

#define NOW "\"Sat Nov 21 03:19:03 2026 UTC\""

// draft-forbes-ibswitchmib-00, 3.1, 3.2 and 3.8: gswMIBCurrentDate, gswCurrentDate and
// gswEventTimeInfo are dates and times as text. A manager compares the times: they come from a
// single clock, wherever the gateway runs; gswEventTimeInfo is in UTC.
TEST(dates_are_those_of_one_clock)
{
    setenv("TZ", "NPT-5:45", 1);
    tzset();
    CHECK({"1.2", "0", NOW}, {"2.3.1.10", SPINE_ID, NOW}, {"2.3.1.10", ROUTER_ID, NOW});
    unsetenv("TZ");
    tzset();
}

TEST(what_elements_have_in_common)
{
    CHECK({"2.3.1.1", LEAF_ID, "0002c903000000a00000000000000002"}, {"2.3.1.2", LEAF_ID, "2"},
          {"2.3.1.2", SPINE_ID, "3"}, {"2.3.1.3", SPINE_ID, "none"}, {"2.3.1.10", SPINE_ID, NOW},
          {"2.3.1.11", SPINE_ID, "none"}, {"2.3.1.12", SPINE_ID, "none"},
          {"2.3.1.13", SPINE_ID, "none"}, {"2.3.1.14", SPINE_ID, "none"},
          {"2.3.1.20", SPINE_ID, "none"}, {"2.3.1.21", SPINE_ID, "\"0xf00000a1\""},
          {"2.3.1.22", SPINE_ID, "1"}, {"2.3.1.22", LEAF_ID, "2"}, {"2.3.1.23", LEAF_ID, "none"},
          {"2.3.1.26", SPINE_ID, ""}, {"2.3.1.30", SPINE_ID, "none"},
          {"2.3.1.31", SPINE_ID, "none"}, {"2.3.1.40", SPINE_ID, "6"}, {"2.3.1.41", SPINE_ID, "2"},
          {"2.3.1.42", SPINE_ID, "0"});
    CHECK({"2.4.1.1", ROUTER_ID ".1", "0002c903000000010000000000000003"},
          {"2.4.1.2", SPINE_ID ".0", "0"}, {"2.4.1.2", SPINE_ID ".3", "3"},
          {"2.4.1.2", SPINE_ID ".4", "none"}, {"2.4.1.3", SPINE_ID ".3", "2"},
          {"2.4.1.4", SPINE_ID ".3", "none"}, {"2.10.1.1", SPINE_ID ".1", "none"});
}

// draft-forbes-ibswitchmib-00, 3.2, gswSsn: the element's soft serial number, which managers may
// write; a DisplayString of 128 octets at most.
TEST(a_soft_serial_number_is_a_label)
{
    set(SETTING_SERIAL_NUMBER, LEAF, 0, "MT1234X00001", 12);
    CHECK({"2.3.1.26", LEAF_ID, "\"MT1234X00001\""}, {"2.3.1.26", ROUTER_ID, ""});
}

// 3.2, gswDiagResult: what the self test at power-on found: 1 says that all is well, any other
// number depends on the type of the switch. IBA 14.2.5.6: DiagCode in PortInfo is 0 when all is
// well.
TEST(the_self_test_says_1_when_all_is_well)
{
    struct generated g = {0};
    end(NULL);
    make_small(&g);
    generated_port(&g, 0, 0)->detail.known = true;
    fabric_set_port_info(generated_port(&g, 0, 1), PORT_INFO_DIAG_CODE, 7);
    generated_port(&g, 2, 1)->detail.known = true;
    fabric_set_port_info(generated_port(&g, 2, 2), PORT_INFO_DIAG_CODE, UINT16_MAX);
    look(&g);
    generated_clear(&g);
    CHECK({"2.3.1.40", SPINE_ID, "1"}, {"2.3.1.40", ROUTER_ID, "65536"},
          {"2.3.1.40", LEAF_ID, "none"});
}

TEST(elements_as_nodes_and_as_switches)
{
    CHECK({"2.20.1.1", SPINE_ID, "0002c903000000100000000000000002"},
          {"2.20.1.2", SPINE_ID, "\"the spine\""}, {"2.20.1.3", SPINE_ID, "1"},
          {"2.20.1.4", SPINE_ID, "2"}, {"2.20.1.3", LEAF_ID, "none"}, {"2.20.1.4", LEAF_ID, "none"},
          {"2.20.1.5", SPINE_ID, "2"}, {"2.20.1.5", ROUTER_ID, "3"}, {"2.20.1.6", SPINE_ID, "3"},
          {"2.20.1.7", ROUTER_ID, "0002c90300000001"}, {"2.20.1.8", ROUTER_ID, "0002c90300000002"},
          {"2.20.1.8", SPINE_ID, "0002c90300000010"}, {"2.20.1.9", SPINE_ID, "53000"},
          {"2.20.1.10", SPINE_ID, "-268435295"}, {"2.20.1.10", LEAF_ID, "0"},
          {"2.20.1.11", SPINE_ID, "713"});
    CHECK({"2.25.1.1", LEAF_ID, "0002c903000000a00000000000000002"}, {"2.25.1.8", LEAF_ID, "1"});
}

// draft-forbes-ibswitchmib-00, 3.2, gswIBBadMKeyCounter: the number of M_Key violations at the
// switch. PortInfo.M_KeyViolations is that number: of port 0 of a switch, and of each port of a
// router. The time depends neither on traps, which may be lost, nor on the journal, which forgets.
// Nothing is made up for a switch that has not answered.
TEST(mkey_violations_are_what_the_element_counted)
{
    struct generated g = {0};
    end(NULL);
    make_small(&g);
    set_port_info(&g, 0);
    fabric_set_port_info(generated_port(&g, 0, 1), PORT_INFO_MKEY_VIOLATIONS, 9);
    for (uint8_t port = 1; port <= 2; port++)
        fabric_set_port_info(generated_port(&g, 2, port), PORT_INFO_MKEY_VIOLATIONS, UINT16_MAX);
    look(&g);
    generated_clear(&g);
    CHECK({"2.25.1.6", SPINE_ID, "6"}, {"2.25.1.6", ROUTER_ID, "131070"},
          {"2.25.1.6", LEAF_ID, "none"});
}

// 3.2, gswIBBadBKeyCounter: the number of B_Key violations. Neither PortInfo nor a known trap has
// the number, and 0 would mean that there were none.
TEST(bkey_violations_are_not_known)
{
    CHECK({"2.25.1.7", SPINE_ID, "none"}, {"2.25.1.7", LEAF_ID, "none"});
}

static void check_description(const char *description, const char *expected)
{
    struct generated g = {0};
    end(NULL);
    generated_add(&g, FABRIC_SWITCH, SPINE, description, 1);
    look(&g);
    generated_clear(&g);
    CHECK({"2.20.1.2", SPINE_ID, expected});
}

TEST(a_description_is_ascii_of_64_octets_at_most)
{
    char longest[FABRIC_DESCRIPTION_SIZE], expected[64 + 3];
    check_description("K\u00F6ln \u20AC", "\"K?ln ?\"");
    snprintf(longest, sizeof longest, "%0100d", 0);
    snprintf(expected, sizeof expected, "\"%064d\"", 0);
    check_description(longest, expected);
}

TEST(links_between_elements_only)
{
    CHECK({"5.1.1.1", SPINE_ID ".1", "0002c903000000100000000000000002"},
          {"5.1.1.2", SPINE_ID ".1", "1"},
          {"5.1.1.3", SPINE_ID ".1", "0002c903000000a00000000000000002"},
          {"5.1.1.4", SPINE_ID ".1", "2"}, {"5.1.1.5", SPINE_ID ".1", "1"},
          {"5.1.1.3", SPINE_ID ".2", "0002c903000000010000000000000003"},
          {"5.1.1.4", LEAF_ID ".2", "1"}, {"5.1.1.4", ROUTER_ID ".1", "2"},
          {"5.1.1.4", LEAF_ID ".1", "none"}, {"5.1.1.4", SPINE_ID ".3", "none"},
          {"5.1.1.4", SPINE_ID ".0", "none"});
    CHECK({"5.5.1.1", SPINE_ID, "0002c903000000100000000000000002"}, {"5.5.1.2", SPINE_ID, "1"});
}

TEST(ports)
{
#define PORT SPINE_ID ".0"
    CHECK({"10.5.1.1", PORT, "0002c903000000100000000000000002"}, {"10.5.1.2", PORT, "0"},
          {"10.5.1.6", PORT, "fe80000000000005"}, {"10.5.1.7", PORT, "0102"},
          {"10.5.1.8", PORT, "0304"}, {"10.5.1.9", PORT, "-2113929144"}, {"10.5.1.10", PORT, "5"},
          {"10.5.1.12", PORT, "4"}, {"10.5.1.13", PORT, "32"}, {"10.5.1.14", PORT, "3"},
          {"10.5.1.15", PORT, "3"}, {"10.5.1.16", PORT, "4"}, {"10.5.1.17", PORT, "7"},
          {"10.5.1.18", PORT, "2"}, {"10.5.1.20", PORT, "3"}, {"10.5.1.21", PORT, "16"},
          {"10.5.1.22", PORT, "1"}, {"10.5.1.23", PORT, "4"}, {"10.5.1.24", PORT, "3"},
          {"10.5.1.25", PORT, "5"}, {"10.5.1.28", PORT, "1"}, {"10.5.1.29", PORT, "6"},
          {"10.5.1.30", PORT, "7"}, {"10.5.1.32", PORT, "65535"}, {"10.5.1.36", PORT, "8"},
          {"10.5.1.37", PORT, "9"}, {"10.5.1.38", PORT, "0"});
}

// A port of which the two states are known, as of a port that is down by the SA's records.
TEST(of_a_port_that_is_down_nothing_is_made_up)
{
    struct generated g = {0};
    end(NULL);
    make_small(&g);
    struct fabric_port *port = generated_port(&g, 0, 0);
    *port = (struct fabric_port){.number = 0,
                                 .known = true,
                                 .guid = port->guid,
                                 .lid = port->lid,
                                 .state = FABRIC_DOWN,
                                 .physical = 2,
                                 .peer_node = FABRIC_NONE};
    look(&g);
    generated_clear(&g);
    CHECK({"10.5.1.12", PORT, "none"}, {"10.5.1.13", PORT, "none"}, {"10.5.1.14", PORT, "none"},
          {"10.5.1.15", PORT, "none"}, {"10.5.1.16", PORT, "2"}, {"10.5.1.17", PORT, "3"},
          {"10.5.1.21", PORT, "none"}, {"10.5.1.22", PORT, "none"}, {"10.5.1.23", PORT, "none"},
          {"10.5.1.37", PORT, "none"});
}

// A port with these states, and PortInfo with `mtu` and `vls` as the active and the supported
// values.
static void see_port(uint8_t state, uint8_t physical, uint8_t link_down, uint8_t mtu, uint8_t vls)
{
    struct generated g = {0};
    end(NULL);
    make_small(&g);
    struct fabric_port *port = generated_port(&g, 0, 0);
    port->state = state;
    port->physical = physical;
    fabric_set_port_info(port, PORT_INFO_LINK_DOWN_DEFAULT, link_down);
    fabric_set_port_info(port, PORT_INFO_NEIGHBOR_MTU, mtu);
    fabric_set_port_info(port, PORT_INFO_MTU_CAP, mtu);
    fabric_set_port_info(port, PORT_INFO_VL_CAP, vls);
    fabric_set_port_info(port, PORT_INFO_OPERATIONAL_VLS, vls);
    look(&g);
    generated_clear(&g);
}

// draft-forbes-ibswitchmib-00, 3.5: MTU and VLs are the numbers 1 to 5, and 0 and 6 to 15 are
// reserved, as in InfiniBand itself: a manager finds no label and no meaning for them. States are
// one more than in PortInfo. InfiniBand has one more value of each than the document. The document
// reserves the number of this value: the label of this value is our own.
TEST(no_value_is_outside_its_enumeration)
{
    see_port(5, 7, 3, 0, 0);
    CHECK({"10.5.1.16", PORT, "6"}, {"10.5.1.17", PORT, "8"}, {"10.5.1.18", PORT, "none"},
          {"10.5.1.23", PORT, "none"}, {"10.5.1.24", PORT, "none"}, {"10.5.1.25", PORT, "none"},
          {"10.5.1.28", PORT, "none"}, {"10.5.1.29", PORT, "0"});
    see_port(6, 8, 0, 6, 15);
    CHECK({"10.5.1.16", PORT, "none"}, {"10.5.1.17", PORT, "none"}, {"10.5.1.18", PORT, "0"},
          {"10.5.1.23", PORT, "none"}, {"10.5.1.24", PORT, "none"}, {"10.5.1.25", PORT, "none"},
          {"10.5.1.28", PORT, "none"});
    see_port(0, 0, 0, 1, 5);
    CHECK({"10.5.1.16", PORT, "1"}, {"10.5.1.17", PORT, "1"}, {"10.5.1.23", PORT, "1"},
          {"10.5.1.24", PORT, "5"}, {"10.5.1.25", PORT, "1"}, {"10.5.1.28", PORT, "5"});
    see_port(0, 0, 0, 5, 1);
    CHECK({"10.5.1.23", PORT, "5"}, {"10.5.1.24", PORT, "1"}, {"10.5.1.25", PORT, "5"},
          {"10.5.1.28", PORT, "1"});
}

TEST(what_a_port_did_not_tell_is_not_made_up)
{
    CHECK({"10.5.1.2", LEAF_ID ".2", "2"}, {"10.5.1.7", LEAF_ID ".2", "none"},
          {"10.5.1.16", LEAF_ID ".2", "none"}, {"10.5.1.23", LEAF_ID ".2", "none"},
          {"10.5.1.38", LEAF_ID ".2", "0"});
    CHECK({"10.5.1.16", LEAF_ID ".1", "5"}, {"10.5.1.6", LEAF_ID ".1", "none"},
          {"10.5.1.8", LEAF_ID ".1", "none"}, {"10.5.1.10", LEAF_ID ".1", "none"},
          {"10.5.1.37", LEAF_ID ".1", "none"}, {"10.5.1.2", LEAF_ID ".3", "none"});
}

TEST(counters)
{
    struct counter_reading *reading = calloc(1, sizeof *reading + 2 * sizeof reading->samples[0]);
    reading->count = 2;
    reading->samples[0] = (struct counter_sample){.node_guid = SPINE, .port = 2};
    reading->samples[1] = (struct counter_sample){.node_guid = HOST, .port = 1};
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        reading->samples[0].values[c] = 0xC0 + c;
    reading->samples[0].values[COUNTER_XMIT_DATA] = UINT64_C(0x123456789ABCDEF0);
    snapshot.accumulated = accumulated_with(NULL, reading);
    free(reading);
    CHECK({"11.5.1.1", SPINE_ID ".2", "0002c903000000100000000000000002"},
          {"11.5.1.2", SPINE_ID ".2", "2"}, {"11.5.1.2", SPINE_ID ".1", "none"},
          {"11.5.1.15", SPINE_ID ".2", "0000000000000000123456789abcdef0"});
    // Columns 3 to 14 are in the order of PortCounters, as enum counter is; PortXmitWait and FEC
    // have none.
    for (unsigned column = 3; column <= 18; column++) {
        char number[20], expected[40];
        unsigned counter = column < 15 ? column - 3 : COUNTER_XMIT_DATA + column - 15;
        snprintf(number, sizeof number, "11.5.1.%u", column);
        snprintf(expected, sizeof expected, "%032x", 0xC0 + counter);
        if (column != 15)
            check_cells(&(struct cell){number, SPINE_ID ".2", expected}, 1);
    }
    CHECK({"11.5.1.19", SPINE_ID ".2", "no object"});
}

TEST(without_readings_there_are_no_counters)
{
    CHECK({"11.5.1.3", SPINE_ID ".2", "none"});
}

// Without readings a walk asks no port for each of the many counters: in a large fabric, a single
// request would take seconds.
TEST(without_readings_no_port_is_asked_for_counters)
{
    bool was_found[] = {false, false};
    for (size_t i = 0; i < OWN_PORTS.column_count; i++) {
        const struct table_column *column = &OWN_PORTS.columns[i];
        struct look look = look_at(&snapshot);
        look.table = &OWN_PORTS;
        look.column = column;
        look.after = true;
        const bool is_counter = column->type == AGENTX_COUNTER64 ||
                                strstr(column->name, "Errors") || strstr(column->name, "PortWait");
        const bool has = OWN_PORTS.seek(&look);
        assert_int_equal(has, !is_counter);
        was_found[has] = true;
    }
    assert_true(was_found[false] && was_found[true]);
}

TEST(what_may_be_written_is_what_the_settings_have)
{
    static const struct {
        const char *column, *index;
        enum setting_kind kind;
    } CASES[] = {
        {"2.2.1.7", SPINE_LOCAL, SETTING_SWITCH_NAME},
        {"2.2.1.12", SPINE_LOCAL, SETTING_SAN_NAME},
        {"2.2.1.13", SPINE_LOCAL, SETTING_FABRIC_NAME},
        {"2.3.1.26", SPINE_ID, SETTING_SERIAL_NUMBER},
        {"2.3.1.41", SPINE_ID, SETTING_EVENT_TRAP_LEVEL},
        {"25.11.1.3", SPINE_ID ".6", SETTING_COMMUNITY},
        {"25.11.1.4", SPINE_ID ".6", SETTING_TRAP_RECIPIENT},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const struct agentx_oid name = oid(CASES[i].column, CASES[i].index);
        struct look look = look_at(&snapshot);
        assert_int_equal(table_find_writable(&TABLES, &look, &name), AGENTX_NO_ERROR);
        assert_int_equal(look.column->setting, CASES[i].kind);
        assert_int_equal(look_node(&look)->guid, SPINE);
        assert_int_equal(look.number, i < 5 ? 0 : 6);
    }
    size_t writable = 0;
    for (size_t t = 0; t < TABLES.count; t++) {
        for (size_t c = 0; c < TABLES.tables[t]->column_count; c++)
            writable += TABLES.tables[t]->columns[c].setting != SETTING_NONE;
    }
    assert_int_equal(writable, COUNT(CASES));
}

// Walks.

static const struct table *const FABRIC_TABLES[] = {
    &GSW_INVENTORY, &GSW_SWITCHES,    &GSW_PORTS,       &GSW_SENSORS,
    &GSW_IB_NODES,  &GSW_IB_SWITCHES, &GSW_LINKS,       &GSW_IB_TOPOLOGY,
    &GSW_IB_PORTS,  &GSW_COUNTERS,    &GSW_COMMUNITIES,
};
static const struct table_list FABRIC = {.tables = FABRIC_TABLES, .count = COUNT(FABRIC_TABLES)};

// All instances of these tables, in order.
static struct agentx_oid *walk(size_t *count)
{
    static const uint32_t ROOT[] = {TABLES_GSW_IDS};
    static const struct agentx_oid NO_END = {.length = 0};
    struct agentx_oid *all = malloc(INSTANCES_MAX * sizeof *all), at = {.length = COUNT(ROOT)};
    struct agentx_value value;
    assert_non_null(all);
    memcpy(at.ids, ROOT, sizeof ROOT);
    for (*count = 0; looks_next(&FABRIC, &snapshot, &at, false, &NO_END, &all[*count], &value);) {
        assert_true(agentx_oid_compare(all[*count].ids, all[*count].length, at.ids, at.length) > 0);
        at = all[(*count)++];
        assert_in_range(*count, 1, INSTANCES_MAX - 1);
        looks_get(&FABRIC, &snapshot, &at, &value);
        assert_int_not_equal(value.type, AGENTX_NO_SUCH_INSTANCE);
    }
    return all;
}

// How many instances a column has.
static size_t count_column(const struct agentx_oid *all, size_t n, const char *column)
{
    struct agentx_oid above = oid(column, "0");
    size_t count = 0;
    above.length--;
    for (size_t i = 0; i < n; i++)
        count += all[i].length > above.length &&
                 agentx_oid_compare(all[i].ids, above.length, above.ids, above.length) == 0;
    return count;
}

static void check_counts(const struct agentx_oid *all, size_t n)
{
    const struct fabric *f = snapshot.fabric;
    size_t elements = 0, ports = 0, links = 0;
    for (uint32_t i = 0; i < f->node_count; i++) {
        if (f->nodes[i].type == FABRIC_CA)
            continue;
        elements++;
        ports += f->nodes[i].ports;
        for (uint32_t k = 0; k < f->nodes[i].ports; k++) {
            uint32_t peer = f->ports[f->nodes[i].first_port + k].peer_node;
            links += peer != FABRIC_NONE && f->nodes[peer].type != FABRIC_CA;
        }
    }
    assert_int_equal(count_column(all, n, "2.2.1.7"), elements);
    assert_int_equal(count_column(all, n, "2.3.1.2"), elements);
    assert_int_equal(count_column(all, n, "2.4.1.3"), ports);
    assert_int_equal(count_column(all, n, "2.20.1.7"), elements);
    assert_int_equal(count_column(all, n, "2.25.1.8"), elements);
    assert_int_equal(count_column(all, n, "5.1.1.4"), links);
    assert_int_equal(count_column(all, n, "5.5.1.2"), elements);
    assert_int_equal(count_column(all, n, "10.5.1.2"), ports);
    assert_int_equal(count_column(all, n, "11.5.1.3"), snapshot.accumulated ? ports : 0);
    assert_int_equal(count_column(all, n, "25.11.1.3"), 6 * elements);
}

// A sample for each port of each element, and of the hosts, which are in no table.
static void read_all(void)
{
    const struct fabric *f = snapshot.fabric;
    struct counter_reading *reading =
        calloc(1, sizeof *reading + f->port_count * sizeof reading->samples[0]);
    for (uint32_t i = 0; i < f->port_count; i++) {
        uint32_t node = fabric_node_of_port(f, i);
        reading->samples[reading->count++] =
            (struct counter_sample){.node_guid = f->nodes[node].guid, .port = f->ports[i].number};
    }
    snapshot.accumulated = accumulated_with(NULL, reading);
    assert_non_null(snapshot.accumulated);
    free(reading);
}

// A name near an existing instance: shorter, longer, or a sub-identifier greater or less by one.
static struct agentx_oid near(const struct agentx_oid *one, struct generated_chance *chance)
{
    static const uint32_t STEPS[] = {1, UINT32_MAX, 255, 256, UINT32_MAX - 255};
    struct agentx_oid out = *one;
    uint32_t changed = 10 + generated_below(chance, out.length - 10u);
    switch (generated_below(chance, 4)) {
    case 0:
        out.length = (uint8_t)changed;
        break;
    case 1:
        agentx_oid_add(&out, generated_below(chance, 3));
        break;
    case 2:
        out.ids[changed] += STEPS[generated_below(chance, COUNT(STEPS))];
        break;
    default:
        out.ids[changed] = generated_below(chance, 2) ? UINT32_MAX : 0;
    }
    return out;
}

static void ask(const struct agentx_oid *all, size_t n, const struct agentx_oid *name, bool include)
{
    static const struct agentx_oid NO_END = {.length = 0};
    struct agentx_oid found;
    struct agentx_value value;
    size_t expected = 0, high = n;
    while (expected < high) {
        size_t mid = expected + (high - expected) / 2;
        int order = agentx_oid_compare(all[mid].ids, all[mid].length, name->ids, name->length);
        if (order < 0 || (order == 0 && !include))
            expected = mid + 1;
        else
            high = mid;
    }
    bool any = looks_next(&FABRIC, &snapshot, name, include, &NO_END, &found, &value);
    assert_int_equal(any, expected < n);
    if (any)
        assert_int_equal(
            agentx_oid_compare(found.ids, found.length, all[expected].ids, all[expected].length),
            0);
}

static void check_walk(struct generated_chance *chance)
{
    size_t n;
    struct agentx_oid *all = walk(&n);
    check_counts(all, n);
    for (unsigned i = 0; n > 0 && i < 3000; i++) {
        struct agentx_oid name = all[generated_below(chance, (uint32_t)n)];
        name = near(&name, chance);
        ask(all, n, &name, i % 2);
    }
    free(all);
}

TEST(random_fabrics_are_walked_in_order)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct generated_chance chance = {seed};
        struct generated g = {0};
        generated_random(&g, &chance);
        look(&g);
        if (seed % 3)
            read_all();
        check_walk(&chance);
        end(NULL);
        generated_clear(&g);
    }
}

TEST(a_fat_tree_is_walked_in_order)
{
    struct generated_chance chance = {7};
    struct generated g = {0};
    generated_fat_tree(&g, 100, 4);
    look(&g);
    read_all();
    check_walk(&chance);
    generated_clear(&g);
}

TEST(without_a_fabric_there_are_no_rows)
{
    size_t n;
    uint32_t none;
    snapshot = (struct agent_snapshot){.source = &source, .switches = &none};
    free(walk(&n));
    assert_int_equal(n, 0);
    snapshot.switches = NULL;
}

int main(void)
{
#define SMALL(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        SMALL(the_inventory),
        SMALL(what_was_set_is_told),
        SMALL(a_long_name_has_256_octets_at_most),
        SMALL(dates_are_those_of_one_clock),
        SMALL(what_elements_have_in_common),
        SMALL(a_soft_serial_number_is_a_label),
        SMALL(the_self_test_says_1_when_all_is_well),
        SMALL(elements_as_nodes_and_as_switches),
        SMALL(mkey_violations_are_what_the_element_counted),
        SMALL(bkey_violations_are_not_known),
        SMALL(a_description_is_ascii_of_64_octets_at_most),
        SMALL(links_between_elements_only),
        SMALL(ports),
        SMALL(no_value_is_outside_its_enumeration),
        SMALL(of_a_port_that_is_down_nothing_is_made_up),
        SMALL(what_a_port_did_not_tell_is_not_made_up),
        SMALL(counters),
        SMALL(without_readings_there_are_no_counters),
        SMALL(without_readings_no_port_is_asked_for_counters),
        SMALL(what_may_be_written_is_what_the_settings_have),
        cmocka_unit_test_teardown(random_fabrics_are_walked_in_order, end),
        cmocka_unit_test_teardown(a_fat_tree_is_walked_in_order, end),
        cmocka_unit_test(without_a_fabric_there_are_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
