// SPDX-License-Identifier: BSD-2-Clause
#include "generated.h"
#include "support.h"

#include "base/wire.h"
#include "topology/changes.h"

static const char *const NAMES[CATALOGUE_COUNT] = {
    [CATALOGUE_SWITCH_ADDED] = "switch-added",
    [CATALOGUE_SWITCH_REMOVED] = "switch-removed",
    [CATALOGUE_SWITCH_MOVED] = "switch-moved",
    [CATALOGUE_HOST_ADDED] = "host-added",
    [CATALOGUE_HOST_REMOVED] = "host-removed",
    [CATALOGUE_HOST_MOVED] = "host-moved",
    [CATALOGUE_ROUTER_ADDED] = "router-added",
    [CATALOGUE_ROUTER_REMOVED] = "router-removed",
    [CATALOGUE_ROUTER_MOVED] = "router-moved",
    [CATALOGUE_PORT_ADDED] = "port-added",
    [CATALOGUE_PORT_REMOVED] = "port-removed",
    [CATALOGUE_PORT_MOVED] = "port-moved",
    [CATALOGUE_LINK_UP] = "link-up",
    [CATALOGUE_LINK_DOWN] = "link-down",
    [CATALOGUE_LINK_MOVED] = "link-moved",
    [CATALOGUE_LINK_DEGRADED] = "link-degraded",
    [CATALOGUE_LINK_RESTORED] = "link-restored",
    [CATALOGUE_NODE_RENAMED] = "node-renamed",
    [CATALOGUE_LID_CHANGED] = "lid-changed",
    [CATALOGUE_SM_APPEARED] = "sm-appeared",
    [CATALOGUE_SM_VANISHED] = "sm-vanished",
    [CATALOGUE_SM_FAILED_OVER] = "sm-failed-over",
    [CATALOGUE_IO_UNIT_ADDED] = "io-unit-added",
    [CATALOGUE_IO_UNIT_REMOVED] = "io-unit-removed",
    [CATALOGUE_IO_CONTROLLER_ADDED] = "io-controller-added",
    [CATALOGUE_IO_CONTROLLER_REMOVED] = "io-controller-removed",
};

// A small fabric: two spines, three leaves on both of them, two hosts at each of the leaves 1
// and 2.
struct scene {
    struct generated g;
    uint32_t spine1, spine2, leaf1, leaf2, leaf3, host[4];
    struct fabric *before, *after;
    struct names *names;
    struct changes changes;
};

enum { S1 = 0x51, S2 = 0x52, L1 = 0x11, L2 = 0x12, L3 = 0x13, H = 0xA0 };

static uint32_t add_leaf(struct scene *s, uint64_t guid, const char *name, uint8_t spine_port)
{
    uint32_t leaf = generated_add(&s->g, FABRIC_SWITCH, guid, name, 8);
    generated_link(&s->g, leaf, 7, s->spine1, spine_port);
    generated_link(&s->g, leaf, 8, s->spine2, spine_port);
    return leaf;
}

static uint32_t add_host(struct scene *s, uint64_t guid, const char *name, uint32_t leaf,
                         uint8_t port)
{
    uint32_t host = generated_add(&s->g, FABRIC_CA, guid, name, 2);
    if (leaf != FABRIC_NONE)
        generated_link(&s->g, host, 1, leaf, port);
    return host;
}

static struct scene make_scene(void)
{
    struct scene s = {0};
    s.spine1 = generated_add(&s.g, FABRIC_SWITCH, S1, "spine1", 8);
    s.spine2 = generated_add(&s.g, FABRIC_SWITCH, S2, "spine2", 8);
    s.leaf1 = add_leaf(&s, L1, "leaf1", 1);
    s.leaf2 = add_leaf(&s, L2, "leaf2", 2);
    s.leaf3 = add_leaf(&s, L3, "leaf3", 3);
    s.host[0] = add_host(&s, H + 0x00, "host0", s.leaf1, 1);
    s.host[1] = add_host(&s, H + 0x10, "host1", s.leaf1, 2);
    s.host[2] = add_host(&s, H + 0x20, "host2", s.leaf2, 1);
    s.host[3] = add_host(&s, H + 0x30, "host3", s.leaf2, 2);
    return s;
}

// Makes the present fabric the previous snapshot.
static void settle(struct scene *s)
{
    fabric_unref(s->before);
    s->before = generated_look(&s->g, 0);
}

static void see(struct scene *s)
{
    changes_clear(&s->changes);
    fabric_unref(s->after);
    s->after = generated_look(&s->g, 3);
    changes_between(s->before, s->after, s->names, &s->changes);
}

static void end(struct scene *s)
{
    changes_clear(&s->changes);
    fabric_unref(s->before);
    fabric_unref(s->after);
    names_unref(s->names);
    generated_clear(&s->g);
}

static void add_end(struct text *t, const struct endpoint *who)
{
    text_add(t, who->name);
    if (who->port != 0)
        text_addf(t, "/%u", who->port);
}

// Adds the reason without the LID of a former place.
static void add_reason(struct text *t, const char *reason)
{
    const char *lid = strstr(reason, " (LID ");
    text_add_n(t, reason, lid ? (size_t)(lid - reason) : strlen(reason));
}

// "link-down leaf1/1 to host0/1 (reason) <0": the cause's index is behind the <.
static void render(const struct change *change, char *out, size_t size)
{
    struct text t = text_in(out, size);
    text_addf(&t, "%s ", NAMES[change->type]);
    add_end(&t, &change->subject);
    if (change->peer.guid != 0) {
        text_add(&t, " to ");
        add_end(&t, &change->peer);
    }
    if (change->reason[0] != '\0') {
        text_add(&t, " (");
        add_reason(&t, change->reason);
        text_add(&t, ")");
    }
    if (change->cause != FABRIC_NONE)
        text_addf(&t, " <%u", change->cause);
}

static void print_all(const struct changes *changes)
{
    char line[600];
    for (uint32_t i = 0; i < changes->count; i++) {
        render(&changes->all[i], line, sizeof line);
        print_message("%u %s\n", i, line);
    }
}

static void check(const struct scene *s, const char *const *lines, uint32_t count)
{
    char line[600];
    for (uint32_t i = 0; i < count && i < s->changes.count; i++) {
        render(&s->changes.all[i], line, sizeof line);
        if (strcmp(line, lines[i]) != 0)
            print_all(&s->changes);
        assert_string_equal(line, lines[i]);
    }
    if (s->changes.count != count)
        print_all(&s->changes);
    assert_int_equal(s->changes.count, count);
}

#define EXPECT(...)                                                                                \
    do {                                                                                           \
        static const char *const LINES[] = {__VA_ARGS__};                                          \
        see(&s);                                                                                   \
        check(&s, LINES, COUNT(LINES));                                                            \
    } while (0)

#define EXPECT_NOTHING()                                                                           \
    do {                                                                                           \
        see(&s);                                                                                   \
        check(&s, NULL, 0);                                                                        \
    } while (0)

static void check_key(const struct scene *s, uint32_t index, const char *key)
{
    assert_true(index < s->changes.count);
    assert_string_equal(s->changes.all[index].alarm_key, key);
}

static void check_switch(const struct scene *s, uint32_t index, uint64_t guid)
{
    assert_true(index < s->changes.count);
    assert_int_equal(s->changes.all[index].switch_guid, guid);
}

// What the traps of the IBSWITCH-MIB need: the subject's port to its peer, and where it was.
static void check_ports(const struct scene *s, uint32_t index, uint8_t uplink, uint64_t former,
                        uint8_t former_port)
{
    assert_true(index < s->changes.count);
    const struct change *change = &s->changes.all[index];
    assert_int_equal(change->uplink, uplink);
    assert_int_equal(change->former.node_guid, former);
    assert_int_equal(change->former.port, former_port);
    if (former != 0)
        assert_int_equal(change->former.type, FABRIC_SWITCH);
}

TEST(nothing_happened)
{
    struct scene s = make_scene();
    settle(&s);
    EXPECT_NOTHING();
    end(&s);
}

TEST(a_link_between_switches_goes_and_comes)
{
    struct scene s = make_scene();
    settle(&s);
    generated_unlink(&s.g, s.spine1, 2);
    EXPECT("link-down leaf2/7 to spine1/2");
    check_key(&s, 0, "link 0x0000000000000012/7-0x0000000000000051/2");
    check_switch(&s, 0, L2);
    assert_int_equal(s.changes.all[0].subject.guid, L2);
    assert_int_equal(s.changes.all[0].subject.type, FABRIC_SWITCH);
    assert_int_equal(s.changes.all[0].subject.lid, generated_port(&s.g, s.leaf2, 0)->lid);
    assert_int_equal(s.changes.all[0].peer.node_guid, S1);
    settle(&s);
    generated_link(&s.g, s.leaf2, 7, s.spine1, 2);
    EXPECT("link-up leaf2/7 to spine1/2");
    check_key(&s, 0, "link 0x0000000000000012/7-0x0000000000000051/2");
    end(&s);
}

TEST(parallel_links_are_independent)
{
    struct scene s = make_scene();
    generated_link(&s.g, s.leaf1, 5, s.spine1, 5);
    settle(&s);
    generated_unlink(&s.g, s.leaf1, 5);
    EXPECT("link-down leaf1/5 to spine1/5");
    check_key(&s, 0, "link 0x0000000000000011/5-0x0000000000000051/5");
    settle(&s);
    generated_unlink(&s.g, s.leaf1, 7);
    EXPECT("link-down leaf1/7 to spine1/1");
    settle(&s);
    generated_link(&s.g, s.leaf1, 5, s.spine1, 5);
    EXPECT("link-up leaf1/5 to spine1/5");
    end(&s);
}

TEST(a_host_goes_and_comes)
{
    struct scene s = make_scene();
    settle(&s);
    generated_remove(&s.g, s.host[1]);
    EXPECT("host-removed host1 to leaf1/2", "link-down leaf1/2 to host1/1 <0");
    check_key(&s, 0, "node 0x00000000000000b0");
    check_switch(&s, 0, L1);
    check_switch(&s, 1, L1);
    assert_int_equal(s.changes.all[0].affected, 0);
    assert_int_equal(s.changes.all[0].subject.node_guid, H + 0x10);
    assert_int_equal(address_gid_interface(s.changes.all[0].subject.gid), H + 0x11);
    assert_int_equal(wire_get64(s.changes.all[0].subject.gid), UINT64_C(0xFE80) << 48);
    assert_int_equal(s.changes.all[1].peer.guid, H + 0x11);
    settle(&s);
    add_host(&s, H + 0x10, "host1", s.leaf1, 2);
    EXPECT("host-added host1 to leaf1/2", "link-up leaf1/2 to host1/1 <0");
    check_key(&s, 0, "node 0x00000000000000b0");
    check_key(&s, 1, "link 0x0000000000000011/2-0x00000000000000b0/1");
    end(&s);
}

TEST(a_router_goes_and_comes_and_moves)
{
    struct scene s = make_scene();
    settle(&s);
    uint32_t router = generated_add(&s.g, FABRIC_ROUTER, 0xE0, "router", 1);
    generated_link(&s.g, router, 1, s.leaf1, 4);
    EXPECT("router-added router to leaf1/4", "link-up leaf1/4 to router/1 <0");
    check_switch(&s, 0, 0xE0);
    check_switch(&s, 1, L1);
    check_ports(&s, 0, 1, 0, 0);
    check_ports(&s, 1, 0, 0, 0);
    settle(&s);
    generated_link(&s.g, router, 1, s.leaf2, 4);
    EXPECT("router-moved router to leaf2/4 (port 4 of leaf1)", "link-down leaf1/4 to router/1 <0",
           "link-up leaf2/4 to router/1 <0");
    check_ports(&s, 0, 1, L1, 1);
    settle(&s);
    generated_remove(&s.g, router);
    EXPECT("router-removed router to leaf2/4", "link-down leaf2/4 to router/1 <0");
    check_switch(&s, 0, 0xE0);
    end(&s);
}

TEST(a_former_place_has_its_lid)
{
    char place[64];
    struct scene s = make_scene();
    settle(&s);
    generated_link(&s.g, s.host[0], 1, s.leaf3, 4);
    see(&s);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_MOVED);
    snprintf(place, sizeof place, "port 1 of leaf1 (LID %u)",
             (unsigned)generated_port(&s.g, s.leaf1, 0)->lid);
    assert_string_equal(s.changes.all[0].reason, place);
    end(&s);
}

TEST(a_host_moves)
{
    struct scene s = make_scene();
    settle(&s);
    generated_link(&s.g, s.host[0], 1, s.leaf3, 4);
    EXPECT("host-moved host0 to leaf3/4 (port 1 of leaf1)", "link-down leaf1/1 to host0/1 <0",
           "link-up leaf3/4 to host0/1 <0");
    check_key(&s, 0, "");
    check_key(&s, 1, "link 0x0000000000000011/1-0x00000000000000a0/1");
    check_key(&s, 2, "link 0x0000000000000013/4-0x00000000000000a0/1");
    check_switch(&s, 0, L3);
    end(&s);
}

TEST(a_host_with_another_port_on_the_same_place_stays)
{
    struct scene s = make_scene();
    settle(&s);
    generated_link(&s.g, s.host[0], 2, s.leaf1, 1); // the cable moved from its port 1 to its port 2
    EXPECT("port-removed host0/1 to leaf1/1", "port-added host0/2 to leaf1/1",
           "link-down leaf1/1 to host0/1 <0", "link-up leaf1/1 to host0/2 <1");
    end(&s);
}

TEST(two_hosts_swap_their_places)
{
    struct scene s = make_scene();
    settle(&s);
    generated_link(&s.g, s.host[0], 1, s.leaf2, 1);
    generated_link(&s.g, s.host[2], 1, s.leaf1, 1);
    EXPECT("host-moved host0 to leaf2/1 (port 1 of leaf1)",
           "host-moved host2 to leaf1/1 (port 1 of leaf2)", "link-down leaf1/1 to host0/1 <0",
           "link-down leaf2/1 to host2/1 <1", "link-up leaf1/1 to host2/1 <1",
           "link-up leaf2/1 to host0/1 <0");
    end(&s);
}

TEST(a_host_takes_another_ones_place)
{
    struct scene s = make_scene();
    settle(&s);
    generated_remove(&s.g, s.host[0]);
    add_host(&s, 0xF0, "new", s.leaf1, 1);
    EXPECT("host-removed host0 to leaf1/1", "host-added new to leaf1/1",
           "link-down leaf1/1 to host0/1 <0", "link-up leaf1/1 to new/1 <1");
    end(&s);
}

TEST(further_ports_come_move_and_go)
{
    struct scene s = make_scene();
    settle(&s);
    generated_link(&s.g, s.host[0], 2, s.leaf2, 5);
    EXPECT("port-added host0/2 to leaf2/5", "link-up leaf2/5 to host0/2 <0");
    check_key(&s, 0, "port 0x00000000000000a0/2");
    check_switch(&s, 0, L2);
    assert_int_equal(s.changes.all[0].subject.guid, H + 2);
    settle(&s);
    generated_link(&s.g, s.host[0], 2, s.leaf3, 6);
    EXPECT("port-moved host0/2 to leaf3/6 (port 5 of leaf2)", "link-down leaf2/5 to host0/2 <0",
           "link-up leaf3/6 to host0/2 <0");
    check_ports(&s, 0, 0, L2, 2);
    check_key(&s, 1, "link 0x0000000000000012/5-0x00000000000000a0/2");
    settle(&s);
    generated_unlink(&s.g, s.host[0], 2);
    EXPECT("port-removed host0/2 to leaf3/6", "link-down leaf3/6 to host0/2 <0");
    check_key(&s, 0, "port 0x00000000000000a0/2");
    check_key(&s, 1, "link 0x0000000000000013/6-0x00000000000000a0/2");
    end(&s);
}

TEST(a_port_that_is_recabled_between_switches)
{
    struct scene s = make_scene();
    generated_link(&s.g, s.leaf1, 5, s.spine1, 5);
    settle(&s);
    generated_link(&s.g, s.leaf1, 5, s.spine2, 5);
    EXPECT("link-moved leaf1/5 to spine2/5 (port 5 of spine1)", "link-down leaf1/5 to spine1/5 <0",
           "link-up leaf1/5 to spine2/5 <0");
    check_switch(&s, 0, L1);
    check_ports(&s, 0, 0, S1, 5);
    check_key(&s, 1, "link 0x0000000000000011/5-0x0000000000000051/5");
    end(&s);
}

TEST(two_cables_are_swapped)
{
    struct scene s = make_scene();
    settle(&s);
    generated_link(&s.g, s.leaf1, 7, s.spine2, 1);
    generated_link(&s.g, s.leaf1, 8, s.spine1, 1);
    EXPECT("link-moved leaf1/7 to spine2/1 (port 1 of spine1)",
           "link-moved leaf1/8 to spine1/1 (port 1 of spine2)", "link-down leaf1/7 to spine1/1 <0",
           "link-down leaf1/8 to spine2/1 <1", "link-up leaf1/7 to spine2/1 <0",
           "link-up leaf1/8 to spine1/1 <1");
    end(&s);
}

TEST(a_switch_moves_when_none_of_its_places_is_left)
{
    struct scene s = make_scene();
    uint32_t spine3 = generated_add(&s.g, FABRIC_SWITCH, 0x53, "spine3", 8);
    generated_link(&s.g, spine3, 1, s.leaf1, 5);
    settle(&s);
    generated_link(&s.g, s.leaf3, 7, spine3, 4);
    EXPECT("link-moved leaf3/7 to spine3/4 (port 3 of spine1)", "link-down leaf3/7 to spine1/3 <0",
           "link-up leaf3/7 to spine3/4 <0");
    generated_unlink(&s.g, s.leaf3, 8);
    EXPECT("switch-moved leaf3 to spine3/4 (port 3 of spine1)", "link-down leaf3/7 to spine1/3 <0",
           "link-down leaf3/8 to spine2/3", "link-up leaf3/7 to spine3/4 <0");
    check_switch(&s, 0, L3);
    check_ports(&s, 0, 7, S1, 7);
    end(&s);
}

TEST(a_switch_dies_with_its_hosts)
{
    struct scene s = make_scene();
    settle(&s);
    generated_remove(&s.g, s.leaf1);
    generated_remove(&s.g, s.host[0]);
    generated_remove(&s.g, s.host[1]);
    EXPECT("switch-removed leaf1 to spine1/1 (with it went 2 nodes: host0, host1)",
           "host-removed host0 to leaf1/1 <0", "host-removed host1 to leaf1/2 <0",
           "link-down leaf1/1 to host0/1 <0", "link-down leaf1/2 to host1/1 <0",
           "link-down leaf1/7 to spine1/1 <0", "link-down leaf1/8 to spine2/1 <0");
    assert_int_equal(s.changes.all[0].affected, 2);
    check_switch(&s, 0, L1);
    check_key(&s, 0, "node 0x0000000000000011");
    check_switch(&s, 1, L1);
    // And comes back with them.
    struct fabric *before = s.before;
    s.before = s.after;
    s.after = before;
    changes_clear(&s.changes);
    changes_between(s.before, s.after, NULL, &s.changes);
    static const char *const LINES[] = {
        "switch-added leaf1 to spine1/1 (with it came 2 nodes: host0, host1)",
        "host-added host0 to leaf1/1 <0",
        "host-added host1 to leaf1/2 <0",
        "link-up leaf1/1 to host0/1 <0",
        "link-up leaf1/2 to host1/1 <0",
        "link-up leaf1/7 to spine1/1 <0",
        "link-up leaf1/8 to spine2/1 <0",
    };
    check(&s, LINES, COUNT(LINES));
    end(&s);
}

TEST(many_that_go_with_a_switch_are_counted)
{
    struct scene s = make_scene();
    uint32_t leaf = add_leaf(&s, 0x14, "leaf4", 4), host[6];
    for (uint8_t i = 0; i < 6; i++) {
        char name[20];
        snprintf(name, sizeof name, "many%u", i);
        host[i] = add_host(&s, 0x1000 + i * 16u, name, leaf, (uint8_t)(i + 1));
    }
    settle(&s);
    generated_remove(&s.g, leaf);
    for (size_t i = 0; i < COUNT(host); i++)
        generated_remove(&s.g, host[i]);
    see(&s);
    assert_int_equal(s.changes.all[0].affected, 6);
    assert_string_equal(s.changes.all[0].reason,
                        "with it went 6 nodes: many0, many1, many2, many3, many4, many5");
    end(&s);
}

TEST(long_names_do_not_push_the_count_out)
{
    struct scene s = make_scene();
    char name[100];
    memset(name, 'x', sizeof name);
    name[99] = '\0';
    for (size_t i = 0; i < 2; i++) {
        name[98] = (char)('a' + i); // else they would be one host
        generated_rename(&s.g, s.host[i], name);
    }
    name[98] = 'x';
    generated_link(&s.g, add_host(&s, H + 0x80, name, s.leaf1, 3), 2, s.leaf1, 4);
    settle(&s);
    generated_remove(&s.g, s.leaf1);
    generated_remove(&s.g, s.host[0]);
    generated_remove(&s.g, s.host[1]);
    generated_remove(&s.g, s.g.count - 1);
    see(&s);
    const char *reason = s.changes.all[0].reason;
    assert_memory_equal(reason, "with it went 3 nodes: xxx", 25);
    assert_string_equal(reason + strlen(reason) - 16, "xxxxb and 1 more");
    end(&s);
}

TEST(a_host_that_hangs_elsewhere_too_does_not_go_with_a_switch)
{
    struct scene s = make_scene();
    generated_link(&s.g, s.host[0], 2, s.leaf2, 5);
    settle(&s);
    generated_remove(&s.g, s.leaf1);
    generated_remove(&s.g, s.host[1]);
    EXPECT("switch-removed leaf1 to spine1/1 (with it went 1 node: host1)",
           "host-removed host1 to leaf1/2 <0", "port-removed host0/1 to leaf1/1 <0",
           "link-down leaf1/1 to host0/1 <0", "link-down leaf1/2 to host1/1 <0",
           "link-down leaf1/7 to spine1/1 <0", "link-down leaf1/8 to spine2/1 <0");
    generated_remove(&s.g, s.host[0]); // not a consequence: leaf2 still exists
    EXPECT("switch-removed leaf1 to spine1/1 (with it went 1 node: host1)",
           "host-removed host0 to leaf1/1", "host-removed host1 to leaf1/2 <0",
           "link-down leaf1/1 to host0/1 <0", "link-down leaf1/2 to host1/1 <0",
           "link-down leaf1/7 to spine1/1 <0", "link-down leaf1/8 to spine2/1 <0",
           "link-down leaf2/5 to host0/2 <1");
    end(&s);
}

TEST(switches_behind_a_switch_go_with_it)
{
    struct scene s = make_scene();
    uint32_t far =
        generated_add(&s.g, FABRIC_SWITCH, 0x01, "far", 4); // the smallest GUID, and not the root
    generated_link(&s.g, far, 1, s.leaf3, 1);
    uint32_t farther = generated_add(&s.g, FABRIC_SWITCH, 0x02, "farther", 4);
    generated_link(&s.g, farther, 1, far, 2);
    uint32_t host = add_host(&s, 0x1000, "last", farther, 2);
    settle(&s);
    generated_remove(&s.g, s.leaf3);
    generated_remove(&s.g, far);
    generated_remove(&s.g, farther);
    generated_remove(&s.g, host);
    EXPECT("switch-removed leaf3 to spine1/3 (with it went 3 nodes: far, farther, last)",
           "switch-removed far to leaf3/1 <0", "switch-removed farther to far/2 <0",
           "host-removed last to farther/2 <0", "link-down far/1 to leaf3/1 <0",
           "link-down far/2 to farther/1 <1", "link-down farther/2 to last/1 <2",
           "link-down leaf3/7 to spine1/3 <0", "link-down leaf3/8 to spine2/3 <0");
    assert_int_equal(s.changes.all[0].affected, 3);
    assert_int_equal(s.changes.all[1].affected, 0);
    end(&s);
}

TEST(what_hung_on_two_dead_switches_went_with_the_first)
{
    struct scene s = make_scene();
    uint32_t shared = add_host(&s, 0x1000, "shared", s.leaf1, 5);
    generated_link(&s.g, shared, 2, s.leaf2, 5);
    for (size_t i = 0; i < 4; i++)
        generated_remove(&s.g, s.host[i]);
    settle(&s);
    generated_remove(&s.g, s.leaf1);
    generated_remove(&s.g, s.leaf2);
    generated_remove(&s.g, shared);
    see(&s);
    assert_string_equal(s.changes.all[0].reason, "with it went 1 node: shared");
    assert_string_equal(s.changes.all[1].reason, "");
    assert_int_equal(s.changes.all[2].type, CATALOGUE_HOST_REMOVED);
    assert_int_equal(s.changes.all[2].cause, 0);
    end(&s);
}

TEST(everything_is_gone)
{
    struct scene s = make_scene();
    settle(&s);
    for (uint32_t i = 0; i < s.g.count; i++)
        generated_remove(&s.g, i);
    see(&s);
    // No common neighbour is left: the switch with the smallest GUID is the root cause of all.
    assert_string_equal(s.changes.all[0].subject.name, "leaf1");
    assert_int_equal(s.changes.all[0].affected, 8);
    for (uint32_t i = 1; i < 9; i++)
        assert_int_equal(s.changes.all[i].cause, 0);
    assert_int_equal(s.changes.count, 9 + 10);
    end(&s);
}

TEST(a_switch_is_replaced)
{
    struct scene s = make_scene();
    settle(&s);
    generated_remove(&s.g, s.leaf1);
    uint32_t leaf = add_leaf(&s, 0x99, "leaf1", 1);
    generated_link(&s.g, leaf, 1, s.host[0], 1);
    generated_link(&s.g, leaf, 2, s.host[1], 1);
    EXPECT("switch-removed leaf1 to spine1/1", "switch-added leaf1 to spine1/1",
           "host-moved host0 to leaf1/1 (port 1 of leaf1) <0",
           "host-moved host1 to leaf1/2 (port 2 of leaf1) <0", "link-down leaf1/1 to host0/1 <0",
           "link-down leaf1/2 to host1/1 <0", "link-down leaf1/7 to spine1/1 <0",
           "link-down leaf1/8 to spine2/1 <0", "link-up spine1/1 to leaf1/7 <1",
           "link-up spine2/1 to leaf1/8 <1", "link-up leaf1/1 to host0/1 <1",
           "link-up leaf1/2 to host1/1 <1");
    assert_int_equal(s.changes.all[0].subject.guid, L1);
    assert_int_equal(s.changes.all[1].subject.guid, 0x99);
    end(&s);
}

TEST(a_host_on_a_new_switch_came_with_it_or_moved)
{
    struct scene s = make_scene();
    settle(&s);
    uint32_t leaf = add_leaf(&s, 0x14, "leaf4", 4);
    add_host(&s, 0x1000, "new", leaf, 1);
    generated_link(&s.g, s.host[0], 1, leaf, 2);
    EXPECT("switch-added leaf4 to spine1/4 (with it came 1 node: new)",
           "host-added new to leaf4/1 <0", "host-moved host0 to leaf4/2 (port 1 of leaf1)",
           "link-down leaf1/1 to host0/1 <2", "link-up leaf4/1 to new/1 <0",
           "link-up leaf4/2 to host0/1 <0", "link-up leaf4/7 to spine1/4 <0",
           "link-up leaf4/8 to spine2/4 <0");
    end(&s);
}

TEST(a_host_whose_last_link_is_gone_but_which_is_still_seen)
{
    struct scene s = make_scene();
    settle(&s);
    generated_unlink(&s.g, s.host[0], 1); // such as the gateway's own host
    EXPECT("link-down leaf1/1 to host0/1");
    settle(&s);
    generated_link(&s.g, s.host[0], 1, s.leaf1, 1);
    EXPECT("link-up leaf1/1 to host0/1");
    end(&s);
}

TEST(hosts_without_a_switch)
{
    struct scene s = {0};
    add_host(&s, 0x20, "b", FABRIC_NONE, 0);
    add_host(&s, 0x10, "a", 0, 1);
    settle(&s);
    generated_unlink(&s.g, 0, 1);
    EXPECT("link-down a/1 to b/1");
    check_switch(&s, 0, 0);
    check_key(&s, 0, "link 0x0000000000000010/1-0x0000000000000020/1");
    end(&s);
}

TEST(a_link_degrades_and_is_restored)
{
    struct scene s = make_scene();
    settle(&s);
    generated_port(&s.g, s.leaf1, 7)->width_active = 1;
    generated_port(&s.g, s.spine1, 1)->width_active = 1;
    EXPECT("link-degraded leaf1/7 to spine1/1 (1X EDR (25 Gb/s) instead of 4X EDR (100 Gb/s))");
    check_key(&s, 0, "rate link 0x0000000000000011/7-0x0000000000000051/1");
    settle(&s);
    EXPECT_NOTHING(); // the alarm is still active
    generated_port(&s.g, s.leaf1, 7)->width_active = 2;
    generated_port(&s.g, s.spine1, 1)->width_active = 2;
    EXPECT("link-restored leaf1/7 to spine1/1 (4X EDR (100 Gb/s))");
    check_key(&s, 0, "rate link 0x0000000000000011/7-0x0000000000000051/1");
    end(&s);
}

TEST(the_best_is_what_both_ends_support_and_are_set_to)
{
    struct scene s = make_scene();
    generated_port(&s.g, s.host[0], 1)->speed_supported = FABRIC_SDR | FABRIC_DDR | FABRIC_QDR;
    generated_port(&s.g, s.host[0], 1)->speed_active = FABRIC_QDR;
    generated_port(&s.g, s.leaf1, 1)->speed_active = FABRIC_QDR;
    settle(&s);
    generated_unlink(&s.g, s.leaf2, 1);
    EXPECT("link-down leaf2/1 to host2/1"); // host0's link already has its best rate
    settle(&s);
    generated_port(&s.g, s.host[0], 1)->speed_supported |= FABRIC_EDR; // after new firmware
    EXPECT("link-degraded leaf1/1 to host0/1 (4X QDR (40 Gb/s) instead of 4X EDR (100 Gb/s))");
    generated_port(&s.g, s.host[0], 1)->speed_supported &= (uint16_t)~FABRIC_EDR;
    generated_port(&s.g, s.host[0], 1)->speed_active = FABRIC_SDR;
    generated_port(&s.g, s.leaf1, 1)->speed_active = FABRIC_SDR;
    EXPECT("link-degraded leaf1/1 to host0/1 (4X SDR (10 Gb/s) instead of 4X QDR (40 Gb/s))");
    generated_port(&s.g, s.leaf1, 1)->speed_enabled = FABRIC_SDR; // limited by an administrator
    EXPECT_NOTHING();
    end(&s);
}

// The sentence about a port that was turned off has these words. It does not say that a link went
// down.
TEST(a_disabled_port_explains_what_is_missing)
{
    struct scene s = make_scene();
    settle(&s);
    generated_unlink(&s.g, s.leaf1, 7);
    generated_port(&s.g, s.leaf1, 7)->physical = 3; // and its neighbour polls
    EXPECT(
        "link-down leaf1/7 to spine1/1 (port 7 of leaf1 is disabled, by the subnet manager or by "
        "hand)");
    settle(&s);
    generated_remove(&s.g, s.host[1]);
    generated_port(&s.g, s.leaf1, 2)->physical = 3;
    EXPECT(
        "host-removed host1 to leaf1/2 (port 2 of leaf1 is disabled, by the subnet manager or by "
        "hand)",
        "link-down leaf1/2 to host1/1 (port 2 of leaf1 is disabled, by the subnet manager or by "
        "hand) <0");
    end(&s);
}

// A splitter cable has two lanes for each end; XDR, FDR10 are speeds as others are.
TEST(each_speed_and_width_has_its_best)
{
    enum { WIDTH_1X = 1, WIDTH_4X = 2, WIDTH_2X = 16 };
    static const struct {
        uint8_t width, widths, peer_widths;
        uint16_t speed, speeds, peer_speeds;
        const char *change; // NULL: the link is healthy
    } LINKS[] = {
        {WIDTH_2X, WIDTH_1X | WIDTH_2X, WIDTH_1X | WIDTH_2X | WIDTH_4X, FABRIC_HDR, 0x3F, 0x3F,
         NULL},
        {WIDTH_1X, WIDTH_1X | WIDTH_2X, WIDTH_1X | WIDTH_2X | WIDTH_4X, FABRIC_HDR, 0x3F, 0x3F,
         "1X HDR (50 Gb/s) instead of 2X HDR (100 Gb/s)"},
        {WIDTH_4X, WIDTH_1X | WIDTH_4X, WIDTH_1X | WIDTH_4X, FABRIC_XDR, 0xFF, 0xFF, NULL},
        {WIDTH_4X, WIDTH_1X | WIDTH_4X, WIDTH_1X | WIDTH_4X, FABRIC_NDR, 0xFF, 0xFF,
         "4X NDR (400 Gb/s) instead of 4X XDR (800 Gb/s)"},
        {WIDTH_4X, WIDTH_1X | WIDTH_4X, WIDTH_1X | WIDTH_4X, FABRIC_NDR, 0x7F, 0xFF, NULL},
        {WIDTH_4X, WIDTH_4X, WIDTH_4X, FABRIC_FDR10, 0x10F & ~8, 0x10F & ~8, NULL},
        {WIDTH_4X, WIDTH_4X, WIDTH_4X, FABRIC_FDR10, 0x10F, 0x10F,
         "4X FDR10 (40 Gb/s) instead of 4X FDR (56 Gb/s)"},
        {WIDTH_4X, WIDTH_4X, WIDTH_4X, FABRIC_QDR, 0x107, 0x107,
         "4X QDR (40 Gb/s) instead of 4X FDR10 (40 Gb/s)"},
    };
    for (size_t i = 0; i < COUNT(LINKS); i++) {
        struct scene s = make_scene();
        settle(&s);
        struct fabric_port *ends[] = {generated_port(&s.g, s.host[0], 1),
                                      generated_port(&s.g, s.leaf1, 1)};
        for (size_t e = 0; e < COUNT(ends); e++) {
            ends[e]->width_active = LINKS[i].width;
            ends[e]->width_enabled = ends[e]->width_supported =
                e ? LINKS[i].widths : LINKS[i].peer_widths;
            ends[e]->speed_active = LINKS[i].speed;
            ends[e]->speed_enabled = ends[e]->speed_supported =
                e ? LINKS[i].speeds : LINKS[i].peer_speeds;
        }
        if (LINKS[i].change) {
            char expected[200];
            snprintf(expected, sizeof expected, "link-degraded leaf1/1 to host0/1 (%s)",
                     LINKS[i].change);
            const char *const lines[] = {expected};
            see(&s);
            check(&s, lines, 1);
        } else {
            EXPECT_NOTHING();
        }
        end(&s);
    }
}

TEST(a_new_link_can_be_degraded_from_the_begin)
{
    struct scene s = make_scene();
    settle(&s);
    uint32_t host = add_host(&s, 0x1000, "slow", s.leaf3, 1);
    generated_port(&s.g, host, 1)->speed_active = FABRIC_DDR;
    generated_port(&s.g, s.leaf3, 1)->speed_active = FABRIC_DDR;
    EXPECT("host-added slow to leaf3/1", "link-up leaf3/1 to slow/1 <0",
           "link-degraded leaf3/1 to slow/1 (4X DDR (20 Gb/s) instead of 4X EDR (100 Gb/s))");
    settle(&s);
    generated_remove(&s.g, host); // that restores nothing
    EXPECT("host-removed slow to leaf3/1", "link-down leaf3/1 to slow/1 <0");
    end(&s);
}

TEST(what_is_not_known_is_not_compared)
{
    struct scene s = make_scene();
    generated_sm(&s.g, s.host[0], 1, 1, FABRIC_STANDBY);
    generated_controller(&s.g, s.host[1], 1, 7, "SRP");
    settle(&s);
    s.g.controller_count = 0;
    for (size_t i = 0; i < 2; i++) {
        struct fabric_port *port = generated_port(&s.g, s.host[i], 1);
        port->known = false;
        port->lid = 0;
        port->guid = 0;
        port->state = port->width_active = 0;
        port->speed_active = 0;
        port->capabilities = 0;
    }
    EXPECT("io-controller-removed host1 to SRP/1");
    end(&s);
}

TEST(silent_nodes_change_nothing)
{
    struct scene s = make_scene();
    settle(&s);
    s.g.nodes[s.host[0]].node.silent = true;
    generated_port(&s.g, s.leaf1, 1)->silent = true;
    EXPECT_NOTHING();
    end(&s);
}

TEST(port_states_are_no_links)
{
    struct scene s = make_scene();
    settle(&s);
    generated_port(&s.g, s.host[0], 1)->state = FABRIC_INITIALIZE;
    generated_port(&s.g, s.leaf1, 1)->state = FABRIC_ARMED;
    EXPECT_NOTHING();
    end(&s);
}

TEST(a_node_gets_another_name)
{
    struct scene s = make_scene();
    settle(&s);
    generated_rename(&s.g, s.host[0], "node0345 HCA-1");
    EXPECT("node-renamed node0345 HCA-1 to leaf1/1 (host0)");
    check_switch(&s, 0, L1);
    check_key(&s, 0, "");
    struct error err;
    const char map[] = "0xa0 \"mapped\"\n";
    s.names = names_parse("map", map, sizeof map - 1, &err);
    EXPECT("node-renamed mapped to leaf1/1 "
           "(host0, the new one is node0345 HCA-1; the node-name-map's name stays)");
    settle(&s);
    generated_rename(&s.g, s.host[0], ""); // not answered
    EXPECT_NOTHING();
    end(&s);
}

TEST(a_port_gets_another_lid)
{
    struct scene s = make_scene();
    generated_port(&s.g, s.host[0], 1)->lid = 5;
    generated_port(&s.g, s.leaf1, 0)->lid = 6;
    settle(&s);
    generated_port(&s.g, s.host[0], 1)->lid = 105;
    generated_port(&s.g, s.leaf1, 0)->lid = 106;
    generated_port(&s.g, s.leaf2, 3)->lid = 107; // has no meaning here
    EXPECT("lid-changed leaf1 (6)", "lid-changed host0/1 to leaf1/1 (5)");
    assert_int_equal(s.changes.all[1].subject.lid, 105);
    settle(&s);
    generated_port(&s.g, s.host[0], 1)->lid = 0; // not set yet
    EXPECT_NOTHING();
    end(&s);
}

TEST(subnet_managers_come_and_go)
{
    struct scene s = make_scene();
    settle(&s);
    generated_port(&s.g, s.host[0], 1)->capabilities |= FABRIC_IS_SM;
    generated_port(&s.g, s.spine1, 0)->capabilities |= FABRIC_IS_SM;
    EXPECT("sm-appeared spine1", "sm-appeared host0/1 to leaf1/1");
    check_key(&s, 0, "sm 0x0000000000000051");
    check_key(&s, 1, "sm 0x00000000000000a1");
    assert_int_equal(s.changes.all[1].sm_guid, H + 1);
    check_switch(&s, 0, S1);
    check_switch(&s, 1, L1);
    settle(&s);
    generated_port(&s.g, s.spine1, 0)->capabilities = 0;
    generated_remove(&s.g, s.host[0]);
    EXPECT("host-removed host0 to leaf1/1", "link-down leaf1/1 to host0/1 <0", "sm-vanished spine1",
           "sm-vanished host0/1 to leaf1/1 <0");
    check_key(&s, 2, "sm 0x0000000000000051");
    settle(&s);
    uint32_t host = add_host(&s, H, "host0", s.leaf1, 1);
    generated_port(&s.g, host, 1)->capabilities = FABRIC_IS_SM;
    EXPECT("host-added host0 to leaf1/1", "link-up leaf1/1 to host0/1 <0",
           "sm-appeared host0/1 to leaf1/1 <0");
    end(&s);
}

TEST(a_subnet_manager_that_moves_with_its_host_is_the_same)
{
    struct scene s = make_scene();
    generated_sm(&s.g, s.host[0], 1, 1, FABRIC_MASTER);
    settle(&s);
    generated_link(&s.g, s.host[0], 1, s.leaf3, 4);
    EXPECT("host-moved host0 to leaf3/4 (port 1 of leaf1)", "link-down leaf1/1 to host0/1 <0",
           "link-up leaf3/4 to host0/1 <0");
    end(&s);
}

TEST(another_subnet_manager_is_master)
{
    struct scene s = make_scene();
    generated_sm(&s.g, s.host[0], 1, 2, FABRIC_MASTER);
    generated_sm(&s.g, s.host[2], 1, 1, FABRIC_STANDBY);
    settle(&s);
    generated_sm(&s.g, s.host[0], 1, 2, FABRIC_STANDBY);
    EXPECT_NOTHING(); // there is no master yet
    generated_sm(&s.g, s.host[2], 1, 1, FABRIC_MASTER);
    EXPECT("sm-failed-over host2/1 to host0/1");
    assert_int_equal(s.changes.all[0].sm_guid, H + 0x21);
    assert_int_equal(s.changes.all[0].peer.guid, H + 1);
    check_switch(&s, 0, L2);
    // Two masters for a while: the one with the higher priority will remain.
    generated_sm(&s.g, s.host[0], 1, 2, FABRIC_MASTER);
    EXPECT_NOTHING();
    generated_sm(&s.g, s.host[2], 1, 3, FABRIC_MASTER);
    EXPECT("sm-failed-over host2/1 to host0/1");
    end(&s);
}

TEST(io_units_and_controllers_come_and_go)
{
    struct scene s = make_scene();
    settle(&s);
    generated_controller(&s.g, s.host[0], 2, 0x77, "SRP.T10:77");
    EXPECT("io-unit-added host0 to leaf1/1", "io-controller-added host0 to SRP.T10:77/2 <0");
    check_key(&s, 0, "iou 0x00000000000000a0");
    check_key(&s, 1, "ioc 0x0000000000000077");
    check_switch(&s, 1, L1);
    assert_int_equal(s.changes.all[1].peer.guid, 0x77);
    settle(&s);
    generated_controller(&s.g, s.host[0], 3, 0x78, "another");
    EXPECT("io-controller-added host0 to another/3");
    settle(&s);
    snprintf(s.g.controllers[0].name, sizeof s.g.controllers[0].name, "renamed");
    EXPECT_NOTHING();
    s.g.controllers[0].guid = 0x79;
    EXPECT("io-controller-removed host0 to SRP.T10:77/2", "io-controller-added host0 to renamed/2");
    settle(&s);
    s.g.controller_count = 0;
    generated_port(&s.g, s.host[0], 1)->capabilities = 0;
    EXPECT("io-unit-removed host0 to leaf1/1", "io-controller-removed host0 to renamed/2 <0",
           "io-controller-removed host0 to another/3 <0");
    end(&s);
}

TEST(an_io_unit_goes_with_its_host)
{
    struct scene s = make_scene();
    generated_controller(&s.g, s.host[0], 2, 0x77, "SRP");
    settle(&s);
    generated_remove(&s.g, s.host[0]);
    EXPECT("host-removed host0 to leaf1/1", "link-down leaf1/1 to host0/1 <0",
           "io-unit-removed host0 to leaf1/1 <0", "io-controller-removed host0 to SRP/2 <2");
    end(&s);
}

TEST(names_come_from_the_map_then_the_description_then_the_place)
{
    struct scene s = make_scene();
    struct error err;
    const char map[] = "0x11 \"Leaf One\"\n0xa1 \"by port\"\n";
    s.names = names_parse("map", map, sizeof map - 1, &err);
    assert_non_null(s.names);
    generated_rename(&s.g, s.host[1], "");
    settle(&s);
    generated_remove(&s.g, s.leaf1);
    generated_remove(&s.g, s.host[0]);
    generated_remove(&s.g, s.host[1]);
    see(&s);
    assert_string_equal(s.changes.all[0].subject.name, "Leaf One");
    assert_string_equal(s.changes.all[0].reason,
                        "with it went 2 nodes: by port, host at Leaf One port 2");
    assert_string_equal(s.changes.all[1].subject.name, "by port");
    assert_string_equal(s.changes.all[2].subject.name, "host at Leaf One port 2");
    end(&s);
}

TEST(nodes_of_one_name_are_told_apart)
{
    struct scene s = make_scene();
    generated_rename(&s.g, s.host[1], "host0");
    settle(&s);
    generated_link(&s.g, s.host[1], 1, s.leaf3, 1);
    EXPECT("host-moved host0 to leaf3/1 (port 2 of leaf1)", "link-down leaf1/2 to host0/1 <0",
           "link-up leaf3/1 to host0/1 <0");
    assert_int_equal(s.changes.all[0].subject.node_guid, H + 0x10);
    settle(&s);
    generated_remove(&s.g, s.host[0]);
    EXPECT("host-removed host0 to leaf1/1", "link-down leaf1/1 to host0/1 <0");
    assert_int_equal(s.changes.all[0].subject.node_guid, H);
    end(&s);
}

TEST(changes_are_added_to_those_that_are_there)
{
    struct scene s = make_scene();
    settle(&s);
    generated_remove(&s.g, s.host[1]);
    see(&s);
    changes_between(s.before, s.after, NULL, &s.changes);
    assert_int_equal(s.changes.count, 4);
    assert_int_equal(s.changes.all[3].cause, 2);
    end(&s);
}

static uint64_t failing_seed;

static int tell_seed(void **state)
{
    (void)state;
    if (failing_seed != 0)
        print_error("the seed was %llu\n", (unsigned long long)failing_seed);
    failing_seed = 0;
    return 0;
}

// Counts the links in `a` that are not in `b`.
static uint32_t count_missing_links(const struct fabric *a, const struct fabric *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->port_count; i++) {
        uint32_t peer = fabric_peer(a, i);
        if (peer == FABRIC_NONE || peer < i)
            continue;
        uint32_t node = fabric_find_node(b, a->nodes[fabric_node_of_port(a, i)].guid);
        uint32_t peer_node = fabric_find_node(b, a->nodes[a->ports[i].peer_node].guid);
        uint32_t port =
            node != FABRIC_NONE ? fabric_find_port(b, node, a->ports[i].number) : FABRIC_NONE;
        bool same = port != FABRIC_NONE && peer_node != FABRIC_NONE &&
                    b->ports[port].peer_node == peer_node &&
                    b->ports[port].peer_port == a->ports[i].peer_port;
        count += !same;
    }
    return count;
}

static uint32_t count_missing_nodes(const struct fabric *a, const struct fabric *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->node_count; i++)
        count += fabric_find_node(b, a->nodes[i].guid) == FABRIC_NONE;
    return count;
}

static uint32_t count_type(const struct changes *changes, enum catalogue_event type)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < changes->count; i++)
        count += changes->all[i].type == type;
    return count;
}

static void check_affected(const struct changes *changes)
{
    uint64_t affected = 0, consequences = 0;
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct change *c = &changes->all[i];
        bool gone = c->type == CATALOGUE_SWITCH_REMOVED || c->type == CATALOGUE_HOST_REMOVED ||
                    c->type == CATALOGUE_ROUTER_REMOVED;
        affected += gone ? c->affected : 0;
        consequences += gone && c->cause != FABRIC_NONE && !c->is_part;
        assert_true(c->cause == FABRIC_NONE || c->cause < i);
        assert_true(c->subject.node_guid != 0);
    }
    assert_int_equal(affected, consequences);
}

static void check_counts(const struct fabric *a, const struct fabric *b)
{
    struct changes changes = {0};
    changes_between(a, b, NULL, &changes);
    assert_int_equal(count_type(&changes, CATALOGUE_SWITCH_REMOVED) +
                         count_type(&changes, CATALOGUE_HOST_REMOVED) +
                         count_type(&changes, CATALOGUE_ROUTER_REMOVED),
                     count_missing_nodes(a, b));
    assert_int_equal(count_type(&changes, CATALOGUE_SWITCH_ADDED) +
                         count_type(&changes, CATALOGUE_HOST_ADDED) +
                         count_type(&changes, CATALOGUE_ROUTER_ADDED),
                     count_missing_nodes(b, a));
    assert_int_equal(count_type(&changes, CATALOGUE_LINK_DOWN), count_missing_links(a, b));
    assert_int_equal(count_type(&changes, CATALOGUE_LINK_UP), count_missing_links(b, a));
    check_affected(&changes);
    changes_clear(&changes);
}

static void check_order(const struct generated *g, const struct fabric *a, const struct fabric *b,
                        struct generated_chance *chance)
{
    struct changes first = {0}, second = {0};
    struct fabric *c = generated_look(g, generated_next(chance));
    changes_between(a, b, NULL, &first);
    changes_between(a, c, NULL, &second);
    assert_int_equal(first.count, second.count);
    for (uint32_t i = 0; i < first.count; i++) {
        char x[600], y[600];
        render(&first.all[i], x, sizeof x);
        render(&second.all[i], y, sizeof y);
        assert_string_equal(x, y);
    }
    changes_clear(&first);
    changes_clear(&second);
    fabric_unref(c);
}

// Every node and link that was added or removed gives one event, root causes come first, and the
// order of discovery does not matter.
TEST(random_changes_are_told_wholly)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct generated_chance chance = {seed};
        struct generated g = {0};
        failing_seed = seed;
        generated_random(&g, &chance);
        struct fabric *a = generated_look(&g, 0);
        generated_mutate(&g, &chance);
        struct fabric *b = generated_look(&g, generated_next(&chance));
        check_counts(a, b);
        check_counts(b, a);
        check_order(&g, a, b, &chance);
        fabric_unref(a);
        fabric_unref(b);
        generated_clear(&g);
    }
    failing_seed = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_happened),
        cmocka_unit_test(a_link_between_switches_goes_and_comes),
        cmocka_unit_test(parallel_links_are_independent),
        cmocka_unit_test(a_host_goes_and_comes),
        cmocka_unit_test(a_router_goes_and_comes_and_moves),
        cmocka_unit_test(a_former_place_has_its_lid),
        cmocka_unit_test(a_host_moves),
        cmocka_unit_test(a_host_with_another_port_on_the_same_place_stays),
        cmocka_unit_test(two_hosts_swap_their_places),
        cmocka_unit_test(a_host_takes_another_ones_place),
        cmocka_unit_test(further_ports_come_move_and_go),
        cmocka_unit_test(a_port_that_is_recabled_between_switches),
        cmocka_unit_test(two_cables_are_swapped),
        cmocka_unit_test(a_switch_moves_when_none_of_its_places_is_left),
        cmocka_unit_test(a_switch_dies_with_its_hosts),
        cmocka_unit_test(many_that_go_with_a_switch_are_counted),
        cmocka_unit_test(long_names_do_not_push_the_count_out),
        cmocka_unit_test(a_host_that_hangs_elsewhere_too_does_not_go_with_a_switch),
        cmocka_unit_test(switches_behind_a_switch_go_with_it),
        cmocka_unit_test(what_hung_on_two_dead_switches_went_with_the_first),
        cmocka_unit_test(everything_is_gone),
        cmocka_unit_test(a_switch_is_replaced),
        cmocka_unit_test(a_host_on_a_new_switch_came_with_it_or_moved),
        cmocka_unit_test(a_host_whose_last_link_is_gone_but_which_is_still_seen),
        cmocka_unit_test(hosts_without_a_switch),
        cmocka_unit_test(a_link_degrades_and_is_restored),
        cmocka_unit_test(the_best_is_what_both_ends_support_and_are_set_to),
        cmocka_unit_test(each_speed_and_width_has_its_best),
        cmocka_unit_test(a_disabled_port_explains_what_is_missing),
        cmocka_unit_test(a_new_link_can_be_degraded_from_the_begin),
        cmocka_unit_test(what_is_not_known_is_not_compared),
        cmocka_unit_test(silent_nodes_change_nothing),
        cmocka_unit_test(port_states_are_no_links),
        cmocka_unit_test(a_node_gets_another_name),
        cmocka_unit_test(a_port_gets_another_lid),
        cmocka_unit_test(subnet_managers_come_and_go),
        cmocka_unit_test(a_subnet_manager_that_moves_with_its_host_is_the_same),
        cmocka_unit_test(another_subnet_manager_is_master),
        cmocka_unit_test(io_units_and_controllers_come_and_go),
        cmocka_unit_test(an_io_unit_goes_with_its_host),
        cmocka_unit_test(names_come_from_the_map_then_the_description_then_the_place),
        cmocka_unit_test(nodes_of_one_name_are_told_apart),
        cmocka_unit_test(changes_are_added_to_those_that_are_there),
        cmocka_unit_test_teardown(random_changes_are_told_wholly, tell_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
