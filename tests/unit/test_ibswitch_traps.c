// SPDX-License-Identifier: BSD-2-Clause
// What the traps of the IBSWITCH-MIB say, against its document (draft-forbes-ibswitchmib-00), whose
// requirement stands above each test in words of our own, with its section. test_snmp_pdu.c has the
// octets.
#include "support.h"

#include "golden.h"

#include "base/wire.h"
#include "event/event_builder.h"
#include "sink/snmp_pdu.h"
#include "sink/snmp_target.h"

enum { LINE_SIZE = 1024 };

static struct support_time now = {SUPPORT_UTC_US, 1};
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static char line[LINE_SIZE];

#define ROUTER_GUID UINT64_C(0x00000000000000AA)
#define LEAF_GUID   UINT64_C(0x0000000000000011)
#define SPINE_GUID  UINT64_C(0x0000000000000051)
#define HOST_GUID   UINT64_C(0x00000000000000B0)

static const struct endpoint ROUTER = {.guid = GOLDEN_CA_GUID,
                                       .node_guid = ROUTER_GUID,
                                       .lid = 7,
                                       .type = FABRIC_ROUTER,
                                       .port = 1,
                                       .name = "router1"};
static const struct endpoint SPINE_3 = {.guid = SPINE_GUID,
                                        .node_guid = SPINE_GUID,
                                        .lid = 2,
                                        .type = FABRIC_SWITCH,
                                        .port = 3,
                                        .name = "spine1"};
static const struct endpoint HOST = {.guid = HOST_GUID + 1,
                                     .node_guid = HOST_GUID,
                                     .lid = 9,
                                     .type = FABRIC_CA,
                                     .port = 1,
                                     .name = "host1"};
static const struct endpoint LEAF_17 = {.guid = LEAF_GUID,
                                        .node_guid = LEAF_GUID,
                                        .lid = 3,
                                        .type = FABRIC_SWITCH,
                                        .port = 17,
                                        .name = "leaf1"};

static bool find_router_lid(void *ctx, uint16_t lid, struct endpoint *out)
{
    (void)ctx;
    *out = ROUTER;
    return lid == ROUTER.lid;
}

static bool find_router_guid(void *ctx, uint64_t guid, struct endpoint *out)
{
    (void)ctx;
    *out = ROUTER;
    return guid == ROUTER.guid || guid == ROUTER.node_guid;
}

static bool find_no_peer(void *ctx, uint64_t node_guid, uint8_t port, struct endpoint *out)
{
    (void)ctx, (void)node_guid, (void)port, (void)out;
    return false;
}

static const struct event_builder_lookup FABRIC = {find_router_lid, find_router_guid, find_no_peer,
                                                   NULL};
static struct event_builder builder;

static int begin(void **state)
{
    (void)state;
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder = (struct event_builder){
        .clock = &clock_, .random = &chance, .subnet_prefix = GOLDEN_PREFIX, .lookup = &FABRIC};
    return 0;
}

// A GswGlobalId as "aa/3": GUID and type.
static void add_id(struct text *t, const uint32_t ids[MIB_GLOBAL_ID_SIZE])
{
    uint64_t guid = 0;
    for (size_t i = 0; i < MIB_GLOBAL_ID_SIZE; i++) {
        assert_true(ids[i] <= UINT8_MAX && (i < 8 || i == 15 || ids[i] == 0));
        guid = i < 8 ? guid << 8 | ids[i] : guid;
    }
    text_addf(t, "%llx/%u", (unsigned long long)guid, ids[15]);
}

static void add_value(struct text *t, const struct mib_varbind *v)
{
    uint32_t ids[MIB_GLOBAL_ID_SIZE];
    text_add(t, " ");
    if (v->syntax != MIB_OCTETS) {
        text_addf(t, "%u", v->number);
    } else if (v->size != MIB_GLOBAL_ID_SIZE) {
        text_add_n(t, (const char *)v->octets, v->size);
    } else {
        for (size_t i = 0; i < v->size; i++)
            ids[i] = v->octets[i];
        add_id(t, ids);
    }
}

// "gswTopoComTrap [aa/3 1] aa/3 11/2 2": the instance of all objects, then their values.
static void add_notification(struct text *t, const struct mib_notification *n,
                             const struct event *event)
{
    struct mib_varbind v;
    for (size_t i = 0; n->objects[i]; i++) {
        mib_encode(n->objects[i], event, &v);
        const uint32_t *instance = v.oid + n->objects[i]->oid.length;
        const size_t length = v.oid_length - n->objects[i]->oid.length;
        if (i == 0) {
            text_addf(t, "%s%s [", t->len > 0 ? ", " : "", n->name);
            add_id(t, instance);
            if (length > MIB_GLOBAL_ID_SIZE)
                text_addf(t, " %u", instance[MIB_GLOBAL_ID_SIZE]);
            text_add(t, "]");
        }
        add_value(t, &v);
    }
}

// The event's traps in the IBSWITCH-MIB, but for gswEventTrap, which `sets` adds.
static const char *traps(struct event *event, unsigned sets)
{
    const struct mib_notification *all[SNMP_PDU_NOTIFICATIONS_MAX];
    struct text t = text_in(line, sizeof line);
    assert_non_null(event);
    const size_t n = snmp_pdu_notifications(event, SNMP_SET_SWITCH | sets, false, all);
    for (size_t i = 0; i < n; i++)
        add_notification(&t, all[i], event);
    assert_false(t.cut);
    event_unref(event);
    return line;
}

static struct event *make_notice(enum golden golden, uint16_t trap, unsigned producer)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    wire_put(wire + 1, 3, producer);
    wire_put(wire + 4, 2, trap);
    return event_builder_from_notice(&builder, wire);
}

static struct event *make_change(enum catalogue_event type, const struct endpoint *subject,
                                 const struct endpoint *peer, uint64_t switch_guid)
{
    struct change change = {
        .type = type, .subject = *subject, .peer = *peer, .switch_guid = switch_guid};
    return event_builder_from_change(&builder, &change, false, NULL, NULL);
}

// Routers.

// 3.2, gswInventoryTable and gswSwitchGlobalId: elements are switches and routers; the global id is
// an element's GUID together with its type, and the type of a router is 3. 3.5, gswIBPortTable: its
// rows are ports of routers, too. 3.13, gswIBPortTrap: refers to such a row.
TEST(notices_of_a_routers_port_are_told_under_its_id)
{
    assert_string_equal(traps(make_notice(GOLDEN_131, 129, NOTICE_PRODUCER_ROUTER), 0),
                        "gswIBPortTrap [aa/3 1] aa/3 1 1");
    assert_string_equal(traps(make_notice(GOLDEN_131, 130, NOTICE_PRODUCER_ROUTER), 0),
                        "gswIBPortTrap [aa/3 1] aa/3 1 2");
    assert_string_equal(traps(make_notice(GOLDEN_131, 131, NOTICE_PRODUCER_ROUTER), 0),
                        "gswIBPortTrap [aa/3 1] aa/3 1 3");
}

// 3.2, gswIBSwTable: has a row for each router. 3.13, gswIBSwitchTrap: refers to such a row.
TEST(a_wrong_mkey_at_a_router_is_told_under_its_id)
{
    assert_string_equal(traps(make_notice(GOLDEN_257, 256, NOTICE_PRODUCER_ROUTER), 0),
                        "gswIBSwitchTrap [aa/3] aa/3 2");
}

// A threshold found in a counter is sent like the threshold of a Notice.
TEST(a_derived_notice_of_a_router_is_told_under_its_id)
{
    const struct counter_statement change = {
        .key = {.kind = ALARM_KEY_PORT,
                .guid = ROUTER_GUID,
                .port = 1,
                .about = ALARM_ABOUT_GROWTH,
                .counter = COUNTER_LOCAL_LINK_INTEGRITY_ERRORS},
        .raised = true,
        .before = 0,
        .after = 3};
    assert_string_equal(traps(event_builder_from_counter(&builder, &change, &ROUTER, NULL, 0), 0),
                        "gswIBPortTrap [aa/3 1] aa/3 1 1");
}

// A router that no sweep found: its port's GUID is not its node's, so there is no id.
TEST(notices_of_an_unknown_router_are_not_told)
{
    builder.lookup = NULL;
    const struct mib_notification *all[SNMP_PDU_NOTIFICATIONS_MAX];
    struct event *event = make_notice(GOLDEN_131, 131, NOTICE_PRODUCER_ROUTER);
    assert_int_equal(snmp_pdu_notifications(event, SNMP_SET_SWITCH, false, all), 0);
    event_unref(event);
}

// 3.13, gswTopoComTrap: added or removed elements, and links between two of them.
TEST(routers_and_their_links_come_and_go)
{
    struct endpoint node = ROUTER;
    node.port = 0;
    assert_non_null(
        strstr(traps(make_change(CATALOGUE_ROUTER_ADDED, &node, &LEAF_17, ROUTER_GUID), 0),
               "] aa/3 11/2 2, gswIBTopoTrap [aa/3] aa/3 3"));
    assert_non_null(
        strstr(traps(make_change(CATALOGUE_ROUTER_REMOVED, &node, &LEAF_17, ROUTER_GUID), 0),
               "] aa/3 11/2 3, gswIBTopoTrap [aa/3] aa/3 3"));
    assert_string_equal(traps(make_change(CATALOGUE_LINK_UP, &LEAF_17, &ROUTER, LEAF_GUID), 0),
                        "gswTopoComTrap [11/2 17] 11/2 aa/3 4, gswIBTopoTrap [11/2] 11/2 2");
    assert_string_equal(traps(make_change(CATALOGUE_LINK_DOWN, &LEAF_17, &ROUTER, LEAF_GUID), 0),
                        "gswTopoComTrap [11/2 17] 11/2 aa/3 5, gswIBTopoTrap [11/2] 11/2 2");
    // A further port of a router is an end of such a link; the port of a host is not.
    assert_string_equal(
        traps(make_change(CATALOGUE_PORT_REMOVED, &ROUTER, &LEAF_17, ROUTER_GUID), 0),
        "gswTopoComTrap [aa/3 1] aa/3 11/2 5, gswIBTopoTrap [aa/3] aa/3 2");
    assert_string_equal(traps(make_change(CATALOGUE_PORT_ADDED, &ROUTER, &LEAF_17, ROUTER_GUID), 0),
                        "gswTopoComTrap [aa/3 1] aa/3 11/2 4, gswIBTopoTrap [aa/3] aa/3 2");
    assert_string_equal(traps(make_change(CATALOGUE_PORT_REMOVED, &HOST, &LEAF_17, LEAF_GUID), 0),
                        "gswIBTopoTrap [11/2] 11/2 2");
}

// 3.8, gswEventSwitchId: is the global id of the element that the event belongs to.
TEST(an_event_of_a_router_is_told_under_its_id)
{
    const struct event_builder_occurrence set = {.type = CATALOGUE_SETTING_CHANGED,
                                                 .switch_guid = ROUTER_GUID};
    struct event *event = event_builder_from_occurrence(&builder, &set);
    assert_non_null(event);
    event->event_trap = true;
    event->number = 7;
    const char *told = traps(event, SNMP_SET_EVENT);
    assert_int_equal(strncmp(told, "gswEventTrap [aa/3 7] aa/3 7 ", 29), 0);
}

// Recabling. 3.3 and 3.13, gswTopoComTrap: reports that a link between elements was added or
// deleted. 3.13, gswIBTopoTrap: reports that ports, nodes or hosts were. A cable in another place
// is a link less and a link more. This also holds when both are one event, with the link-down and
// the link-up as suppressed consequences.

static struct event *make_move(enum catalogue_event type, const struct endpoint *subject,
                               const struct endpoint *peer, struct event_former_link former,
                               uint8_t uplink)
{
    struct change change = {.type = type,
                            .subject = *subject,
                            .peer = *peer,
                            .switch_guid = fabric_is_element(subject->type) ? subject->node_guid
                                                                            : peer->node_guid,
                            .uplink = uplink,
                            .former = former};
    return event_builder_from_change(&builder, &change, false, NULL, NULL);
}

TEST(a_link_that_moved_is_a_link_less_and_a_link_more)
{
    const struct event_former_link spine2 = {0x52, FABRIC_SWITCH, 17}, host = {0xB8, FABRIC_CA, 17};
    assert_string_equal(traps(make_move(CATALOGUE_LINK_MOVED, &LEAF_17, &SPINE_3, spine2, 0), 0),
                        "gswTopoComTrap [11/2 17] 11/2 52/2 5, "
                        "gswTopoComTrap [11/2 17] 11/2 51/2 4, gswIBTopoTrap [11/2] 11/2 2");
    // Of links to hosts that table and trap do not know.
    assert_string_equal(traps(make_move(CATALOGUE_LINK_MOVED, &LEAF_17, &HOST, spine2, 0), 0),
                        "gswTopoComTrap [11/2 17] 11/2 52/2 5, gswIBTopoTrap [11/2] 11/2 2");
    assert_string_equal(traps(make_move(CATALOGUE_LINK_MOVED, &LEAF_17, &SPINE_3, host, 0), 0),
                        "gswTopoComTrap [11/2 17] 11/2 51/2 4, gswIBTopoTrap [11/2] 11/2 2");
}

TEST(a_switch_or_router_that_moved_has_another_uplink)
{
    struct endpoint leaf = LEAF_17, router = ROUTER;
    const struct event_former_link spine2 = {0x52, FABRIC_SWITCH, 18}, leaf2 = {0x12, 2, 1};
    leaf.port = router.port = 0;
    assert_string_equal(traps(make_move(CATALOGUE_SWITCH_MOVED, &leaf, &SPINE_3, spine2, 17), 0),
                        "gswTopoComTrap [11/2 18] 11/2 52/2 5, "
                        "gswTopoComTrap [11/2 17] 11/2 51/2 4, gswIBTopoTrap [11/2] 11/2 2");
    assert_string_equal(traps(make_move(CATALOGUE_ROUTER_MOVED, &router, &LEAF_17, leaf2, 2), 0),
                        "gswTopoComTrap [aa/3 1] aa/3 12/2 5, "
                        "gswTopoComTrap [aa/3 2] aa/3 11/2 4, gswIBTopoTrap [aa/3] aa/3 2");
}

TEST(a_host_or_port_that_moved_is_told_at_its_new_switch)
{
    struct endpoint host = HOST;
    const struct event_former_link leaf2 = {0x12, FABRIC_SWITCH, 1};
    host.port = 0;
    assert_string_equal(traps(make_move(CATALOGUE_HOST_MOVED, &host, &LEAF_17, leaf2, 1), 0),
                        "gswIBTopoTrap [11/2] 11/2 4");
    assert_string_equal(traps(make_move(CATALOGUE_PORT_MOVED, &HOST, &LEAF_17, leaf2, 0), 0),
                        "gswIBTopoTrap [11/2] 11/2 2");
    assert_string_equal(traps(make_move(CATALOGUE_PORT_MOVED, &ROUTER, &LEAF_17, leaf2, 0), 0),
                        "gswTopoComTrap [aa/3 1] aa/3 12/2 5, "
                        "gswTopoComTrap [aa/3 1] aa/3 11/2 4, gswIBTopoTrap [aa/3] aa/3 2");
}

// The MIB's traps do not say that something moved: receivers get that, too, by default.
TEST(what_moved_is_told_in_the_own_mib_beside)
{
    const struct mib_notification *all[SNMP_PDU_NOTIFICATIONS_MAX];
    const struct event_former_link spine2 = {0x52, FABRIC_SWITCH, 17};
    struct event *event = make_move(CATALOGUE_LINK_MOVED, &LEAF_17, &SPINE_3, spine2, 0);
    assert_int_equal(snmp_pdu_notifications(event, 0, false, all), 4);
    assert_ptr_equal(all[3], &mib_ibtrapdLinkMoved);
    event->event_trap = true;
    assert_int_equal(
        snmp_pdu_notifications(
            event, SNMP_SET_SMA | SNMP_SET_SWITCH | SNMP_SET_EVENT | SNMP_SET_OWN, false, all),
        5);
    event_unref(event);
}

// Instances. 3.3, gswTopoComTable: has a row for each port of an element that is linked to another
// element. 3.13, gswTopoComTrap: its objects belong to a row of this kind. So the trap of an
// element that joined or left names the row of its uplink. An element without a linked element has
// no row.
TEST(an_element_that_comes_or_goes_is_told_by_the_row_of_its_uplink)
{
    struct endpoint leaf = LEAF_17;
    const struct event_former_link none = {0};
    leaf.port = 0;
    assert_string_equal(traps(make_move(CATALOGUE_SWITCH_ADDED, &leaf, &SPINE_3, none, 17), 0),
                        "gswTopoComTrap [11/2 17] 11/2 51/2 2, gswIBTopoTrap [11/2] 11/2 3");
    assert_string_equal(traps(make_move(CATALOGUE_SWITCH_REMOVED, &leaf, &SPINE_3, none, 17), 0),
                        "gswTopoComTrap [11/2 17] 11/2 51/2 3, gswIBTopoTrap [11/2] 11/2 3");
}

#define TRAPS_TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRAPS_TEST(notices_of_a_routers_port_are_told_under_its_id),
        TRAPS_TEST(a_wrong_mkey_at_a_router_is_told_under_its_id),
        TRAPS_TEST(a_derived_notice_of_a_router_is_told_under_its_id),
        TRAPS_TEST(notices_of_an_unknown_router_are_not_told),
        TRAPS_TEST(routers_and_their_links_come_and_go),
        TRAPS_TEST(an_event_of_a_router_is_told_under_its_id),
        TRAPS_TEST(a_link_that_moved_is_a_link_less_and_a_link_more),
        TRAPS_TEST(a_switch_or_router_that_moved_has_another_uplink),
        TRAPS_TEST(a_host_or_port_that_moved_is_told_at_its_new_switch),
        TRAPS_TEST(what_moved_is_told_in_the_own_mib_beside),
        TRAPS_TEST(an_element_that_comes_or_goes_is_told_by_the_row_of_its_uplink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
