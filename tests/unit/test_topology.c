// SPDX-License-Identifier: BSD-2-Clause
#include "generated.h"
#include "support.h"

#include "model/fabric_builder.h"
#include "topology/former_names.h"
#include "topology/topology.h"

// The topology that a gateway keeps of a generated fabric.
struct scene {
    struct generated g;
    struct topology *topology;
    struct changes changes;
    bool late;
};

static struct scene make_scene(uint32_t hosts)
{
    struct scene s = {.topology = topology_new(NULL, &random_system, NULL)};
    assert_non_null(s.topology);
    generated_fat_tree(&s.g, hosts, 2);
    return s;
}

static void end(struct scene *s)
{
    changes_clear(&s->changes);
    topology_free(s->topology);
    generated_clear(&s->g);
}

static uint32_t update(struct scene *s, struct fabric *seen)
{
    changes_clear(&s->changes);
    topology_update(s->topology, seen, &s->changes, &s->late);
    return s->changes.count;
}

static uint32_t update_whole(struct scene *s)
{
    return update(s, generated_look(&s->g, 0));
}

static uint32_t find(const struct generated *g, const char *name)
{
    uint32_t i = 0;
    while (i < g->count && strcmp(g->nodes[i].node.description, name) != 0)
        i++;
    assert_true(i < g->count);
    return i;
}

// The percentages of a sweep's answers that get lost, and the node that never answers (FABRIC_NONE:
// none).
struct loss {
    unsigned nodes, ports;
    uint32_t dead;
};

// A sweep from `own` over a lossy fabric, like the sweeper's. A node that does not answer leaves
// the port before it silent; the sweep continues behind every node that answers. A port that does
// not answer is unknown and leads nowhere.
struct partial {
    const struct generated *g;
    struct generated_chance *chance;
    struct loss loss;
    struct fabric_builder *builder;
    uint32_t *queue;
    uint32_t end;
    bool complete;
};

static bool is_lost(struct partial *p, unsigned percent)
{
    return generated_below(p->chance, 100) < percent;
}

static void reach(struct partial *p, uint32_t node)
{
    if (fabric_builder_find(p->builder, p->g->nodes[node].node.guid) != FABRIC_NONE)
        return;
    fabric_builder_node(p->builder, &p->g->nodes[node].node);
    p->queue[p->end++] = node;
}

// Whether the node behind the port answered.
static bool follow(struct partial *p, uint32_t number, const struct fabric_port *port)
{
    const struct fabric_node *peer = &p->g->nodes[port->peer_node].node;
    if (port->peer_node == p->loss.dead || is_lost(p, p->loss.nodes))
        return false;
    reach(p, port->peer_node);
    return fabric_builder_link(p->builder, number, port->number,
                               fabric_builder_find(p->builder, peer->guid), port->peer_port);
}

static void look_at_port(struct partial *p, uint32_t number, const struct fabric_port *original,
                         bool leads_on)
{
    struct fabric_port port = *original;
    const struct fabric_port *there = fabric_builder_get_port(p->builder, number, port.number);
    bool linked = there && there->peer_node != FABRIC_NONE;
    if (is_lost(p, p->loss.ports)) {
        port = (struct fabric_port){.number = port.number, .state = FABRIC_DOWN}; // unknown
        p->complete = false;
    } else if (original->peer_node != FABRIC_NONE && !linked && leads_on &&
               !follow(p, number, original)) {
        port.silent = true;
        p->complete = false;
    }
    assert_true(fabric_builder_port(p->builder, number, &port));
}

static struct fabric *look_partially(const struct generated *g, struct generated_chance *chance,
                                     struct loss loss, uint32_t own)
{
    struct partial p = {g, chance, loss, fabric_builder_new(), calloc(g->count, sizeof(uint32_t)),
                        0, true};
    reach(&p, own);
    for (uint32_t i = 0; i < p.end; i++) {
        const struct generated_node *n = &g->nodes[p.queue[i]];
        uint32_t number = fabric_builder_find(p.builder, n->node.guid);
        bool leads_on = n->node.type == FABRIC_SWITCH || p.queue[i] == own;
        for (unsigned k = 0; k <= n->node.port_count; k++) {
            if (!n->ports[k].absent)
                look_at_port(&p, number, &n->ports[k].port, leads_on);
        }
    }
    free(p.queue);
    return fabric_builder_finish(p.builder, 0, UINT64_C(0xFE80000000000000), p.complete);
}

TEST(the_first_sweep_changes_nothing)
{
    struct scene s = make_scene(8);
    assert_null(topology_current(s.topology));
    assert_int_equal(update_whole(&s), 0);
    assert_false(s.late);
    struct fabric *current = topology_current(s.topology);
    assert_int_equal(current->node_count, s.g.count);
    assert_int_equal(update_whole(&s), 0);
    fabric_unref(current); // the caller's reference
    end(&s);
}

TEST(a_complete_sweep_is_believed)
{
    struct scene s = make_scene(8);
    update_whole(&s);
    generated_remove(&s.g, find(&s.g, "node3 HCA-1"));
    assert_int_equal(update_whole(&s), 2);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_REMOVED);
    assert_false(s.late);
    assert_int_equal(update_whole(&s), 0);
    end(&s);
}

// A snapshot of the whole fabric that is marked incomplete.
static struct fabric *look_incompletely(const struct generated *g)
{
    struct fabric *fabric = generated_look(g, 0);
    fabric->complete = false;
    return fabric;
}

TEST(of_an_incomplete_sweep_it_takes_two)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node3 HCA-1");
    update_whole(&s);
    generated_remove(&s.g, host); // the sweep sees its port on the leaf down
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    struct fabric *current = topology_current(s.topology);
    uint32_t node = fabric_find_node(current, s.g.nodes[host].node.guid);
    assert_int_not_equal(node, FABRIC_NONE);
    assert_true(current->nodes[node].silent);
    fabric_unref(current);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 2);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_REMOVED);
    assert_int_equal(s.changes.all[1].type, CATALOGUE_LINK_DOWN);
    assert_int_equal(s.changes.all[1].cause, 0);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    end(&s);
}

TEST(two_looks_must_follow_each_other)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node3 HCA-1"), leaf = find(&s.g, "leaf1");
    uint8_t port = generated_port(&s.g, host, 1)->peer_port;
    update_whole(&s);
    for (unsigned i = 0; i < 3; i++) {
        s.g.nodes[host].removed = true;
        generated_unlink(&s.g, host, 1);
        assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
        s.g.nodes[host].removed = false;
        generated_link(&s.g, host, 1, leaf, port);
        assert_int_equal(i == 1 ? update_whole(&s) : update(&s, look_incompletely(&s.g)), 0);
    }
    end(&s);
}

TEST(a_missing_host_does_not_keep_its_place)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node3 HCA-1"), leaf = find(&s.g, "leaf1");
    uint8_t port = generated_port(&s.g, host, 1)->peer_port;
    struct endpoint who;
    update_whole(&s);
    generated_remove(&s.g, host);
    uint32_t new = generated_add(&s.g, FABRIC_CA, 0, "new", 1);
    generated_link(&s.g, new, 1, leaf, port);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 3);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_ADDED);
    assert_int_equal(s.changes.all[1].type, CATALOGUE_LINK_DOWN);
    assert_int_equal(s.changes.all[2].type, CATALOGUE_LINK_UP);
    assert_true(topology_find_peer(s.topology, s.g.nodes[leaf].node.guid, port, &who));
    assert_string_equal(who.name, "new");
    assert_int_equal(update(&s, look_incompletely(&s.g)), 1);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_REMOVED);
    end(&s);
}

// A host can be behind a silent port, but nothing can be behind a host.
TEST(nothing_hides_behind_a_host)
{
    struct scene s = make_scene(8);
    struct generated_chance chance = {1};
    uint32_t own = find(&s.g, "node0 HCA-1");
    uint32_t island = generated_add(&s.g, FABRIC_SWITCH, 0, "island", 4);
    uint32_t host = generated_add(&s.g, FABRIC_CA, 0, "between", 2);
    uint32_t spine = find(&s.g, "spine0"), other_spine = find(&s.g, "spine1");
    generated_link(&s.g, island, 1, spine, 4);
    generated_link(&s.g, host, 1, other_spine, 4);
    generated_link(&s.g, host, 2, island, 2);
    update_whole(&s);
    generated_unlink(&s.g, island, 1);
    generated_unlink(&s.g, island, 2);
    s.g.nodes[island].removed = true;
    const struct loss loss = {0, 0, host};
    assert_int_equal(update(&s, look_partially(&s.g, &chance, loss, own)), 0);
    assert_true(update(&s, look_partially(&s.g, &chance, loss, own)) > 0);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_SWITCH_REMOVED);
    assert_int_equal(s.changes.all[0].affected, 0);
    end(&s);
}

TEST(who_can_be_behind_a_silent_port_stays)
{
    struct scene s = make_scene(8);
    uint32_t leaf = find(&s.g, "leaf0"), own = find(&s.g, "node7 HCA-1");
    struct generated_chance chance = {1};
    update_whole(&s);
    for (unsigned i = 0; i < 5; i++) {
        struct fabric *seen = look_partially(&s.g, &chance, (struct loss){0, 0, leaf}, own);
        assert_int_equal(seen->node_count, s.g.count - 3); // the leaf and its two hosts
        assert_int_equal(update(&s, seen), 0);
    }
    struct fabric *current = topology_current(s.topology);
    assert_int_equal(current->node_count, s.g.count);
    fabric_unref(current);
    assert_int_equal(update_whole(&s), 0); // all are found again
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

static void print_changes(const struct changes *changes)
{
    for (uint32_t i = 0; i < changes->count; i++)
        print_message("type %d of %s/%u to %s/%u (%s)\n", (int)changes->all[i].type,
                      changes->all[i].subject.name, changes->all[i].subject.port,
                      changes->all[i].peer.name, changes->all[i].peer.port, changes->all[i].reason);
}

static void lose_and_check(struct scene *s, struct generated_chance *chance)
{
    struct loss loss = {generated_below(chance, 40), generated_below(chance, 30), FABRIC_NONE};
    uint32_t own = find(&s->g, "node0 HCA-1");
    update_whole(s);
    for (unsigned i = 0; i < 6; i++) {
        if (update(s, look_partially(&s->g, chance, loss, own)) > 0)
            print_changes(&s->changes);
        assert_int_equal(s->changes.count, 0);
    }
    assert_int_equal(update_whole(s), 0);
}

// Nothing changes on the fabric, but answers get lost: no change is ever reported.
TEST(loss_alone_is_no_change)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct generated_chance chance = {seed};
        struct scene s = make_scene(4 + generated_below(&chance, 20));
        failing_seed = seed;
        lose_and_check(&s, &chance);
        end(&s);
    }
    failing_seed = 0;
}

// A real change while answers get lost is reported once, at the latest by the next complete sweep.
TEST(what_happens_amid_loss_is_told_once)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct generated_chance chance = {seed};
        struct scene s = make_scene(8);
        uint32_t host = find(&s.g, "node5 HCA-1"), own = find(&s.g, "node0 HCA-1"), told = 0;
        failing_seed = seed;
        update_whole(&s);
        generated_remove(&s.g, host);
        for (unsigned i = 0; i < 4; i++) {
            update(&s, look_partially(&s.g, &chance, (struct loss){20, 10, FABRIC_NONE}, own));
            for (uint32_t k = 0; k < s.changes.count; k++) {
                assert_int_equal(s.changes.all[k].subject.node_guid == s.g.nodes[host].node.guid ||
                                     s.changes.all[k].peer.node_guid == s.g.nodes[host].node.guid,
                                 true);
                told += s.changes.all[k].type == CATALOGUE_HOST_REMOVED;
            }
        }
        update_whole(&s);
        for (uint32_t k = 0; k < s.changes.count; k++)
            told += s.changes.all[k].type == CATALOGUE_HOST_REMOVED;
        assert_int_equal(told, 1);
        end(&s);
    }
    failing_seed = 0;
}

TEST(a_link_that_is_seen_down_is_told_though_the_sweep_is_incomplete)
{
    struct scene s = make_scene(16);
    update_whole(&s);
    generated_unlink(&s.g, find(&s.g, "leaf0"), 3); // an uplink
    assert_int_equal(update(&s, look_incompletely(&s.g)), 1);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_LINK_DOWN);
    end(&s);
}

TEST(a_host_that_came_back_elsewhere_has_moved)
{
    struct scene s = make_scene(6); // the last leaf has room
    uint32_t host = find(&s.g, "node0 HCA-1");
    uint32_t spare = generated_add(&s.g, FABRIC_SWITCH, 0, "spare", 4);
    generated_link(&s.g, spare, 1, find(&s.g, "spine0"), 4);
    update_whole(&s);
    s.g.nodes[host].removed = true;
    generated_unlink(&s.g, host, 1);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    s.g.nodes[host].removed = false;
    generated_link(&s.g, host, 1, spare, 2);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 3);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_MOVED);
    end(&s);
}

// A sweep that finds, of two hosts with one GUID, the one at `place` first, and leaves the other's
// port silent.
static struct fabric *look_at_twins(struct scene *s, uint32_t host, uint32_t place,
                                    uint32_t other_place)
{
    generated_unlink(&s->g, host, 1);
    generated_link(&s->g, host, 1, place, 4);
    generated_port(&s->g, place, 4)->silent = false;
    *generated_port(&s->g, other_place, 4) = (struct fabric_port){.number = 4,
                                                                  .known = true,
                                                                  .silent = true,
                                                                  .state = FABRIC_ACTIVE,
                                                                  .peer_node = FABRIC_NONE};
    return look_incompletely(&s->g);
}

TEST(two_hosts_with_one_guid_do_not_take_turns)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node1 HCA-1");
    uint32_t a = generated_add(&s.g, FABRIC_SWITCH, 0, "a", 4);
    uint32_t b = generated_add(&s.g, FABRIC_SWITCH, 0, "b", 4);
    generated_link(&s.g, a, 1, b, 1);
    for (unsigned i = 0; i < TOPOLOGY_BASE_SWEEPS_MAX; i++)
        update(&s, look_at_twins(&s, host, a, b));
    for (int i = 0; i < 6; i++) {
        bool turn = i % 3 != 0;
        assert_int_equal(update(&s, look_at_twins(&s, host, turn ? b : a, turn ? a : b)), 0);
    }
    // If one of the nodes moves, the node's place moves, too.
    fabric_unref(look_at_twins(&s, host, b, a));
    generated_port(&s.g, a, 4)->silent = false;
    generated_port(&s.g, a, 4)->state = FABRIC_DOWN;
    assert_true(update_whole(&s) > 0);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_MOVED);
    end(&s);
}

TEST(what_was_not_answered_is_remembered)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node1 HCA-1");
    generated_controller(&s.g, host, 1, 0x77, "SRP");
    update_whole(&s);
    generated_rename(&s.g, host, "");
    s.g.controller_count = 0;
    struct fabric_port kept = *generated_port(&s.g, host, 1);
    generated_port(&s.g, host, 1)->known = false;
    generated_port(&s.g, host, 1)->lid = 0;
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    struct endpoint who = {0};
    assert_true(topology_find_lid(s.topology, kept.lid, &who));
    assert_string_equal(who.name, "node1 HCA-1");
    struct fabric *current = topology_current(s.topology);
    assert_int_equal(current->controller_count, 1);
    fabric_unref(current);
    // A node that is no longer an I/O unit has no controllers.
    *generated_port(&s.g, host, 1) = kept;
    generated_port(&s.g, host, 1)->capabilities = 0;
    assert_int_equal(update(&s, look_incompletely(&s.g)), 2);
    end(&s);
}

TEST(an_io_unit_that_does_not_tell_keeps_its_controllers)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node1 HCA-1"), gone = find(&s.g, "node2 HCA-1");
    generated_controller(&s.g, host, 1, 0x77, "SRP");
    generated_controller(&s.g, host, 2, 0x78, "SRP");
    generated_controller(&s.g, gone, 1, 0x79, "SRP");
    update_whole(&s);
    s.g.controller_count = 1;
    s.g.nodes[host].node.unit_silent = true;
    generated_remove(&s.g, gone);
    update_whole(&s); // complete: a missing node is gone at once
    assert_int_equal(s.changes.count, 4);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_REMOVED);
    assert_int_equal(s.changes.all[3].type, CATALOGUE_IO_CONTROLLER_REMOVED);
    assert_int_equal(s.changes.all[3].peer.guid, 0x79);
    assert_int_equal(update_whole(&s), 0);
    s.g.nodes[host].node.unit_silent = false;
    assert_int_equal(update_whole(&s), 1);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_IO_CONTROLLER_REMOVED);
    assert_int_equal(s.changes.all[0].peer.guid, 0x78);
    end(&s);
}

TEST(recalled_changes_are_found_late)
{
    struct scene s = make_scene(8);
    topology_restore(s.topology, generated_look(&s.g, 0));
    generated_remove(&s.g, find(&s.g, "node3 HCA-1"));
    generated_rename(&s.g, find(&s.g, "node4 HCA-1"), "other");
    assert_int_equal(update_whole(&s), 3);
    assert_true(s.late);
    generated_remove(&s.g, find(&s.g, "node5 HCA-1"));
    assert_int_equal(update_whole(&s), 2);
    assert_false(s.late);
    end(&s);
}

TEST(what_was_recalled_waits_for_a_complete_sweep)
{
    struct scene s = make_scene(8);
    topology_restore(s.topology, generated_look(&s.g, 0));
    generated_remove(&s.g, find(&s.g, "node3 HCA-1"));
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    assert_int_equal(update_whole(&s), 2);
    assert_true(s.late);
    end(&s);
}

TEST(but_not_for_ever)
{
    struct scene s = make_scene(8);
    topology_restore(s.topology, generated_look(&s.g, 0));
    generated_rename(&s.g, find(&s.g, "node4 HCA-1"), "other");
    for (unsigned i = 1; i < TOPOLOGY_BASE_SWEEPS_MAX; i++)
        assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 1);
    assert_true(s.late);
    generated_rename(&s.g, find(&s.g, "other"), "third");
    assert_int_equal(update(&s, look_incompletely(&s.g)), 1);
    assert_false(s.late);
    end(&s);
}

// On a lossy fabric, the first sweeps together are the base: a node missing from an early sweep is
// not reported as added later.
TEST(without_something_recalled_the_first_looks_make_the_base)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node5 HCA-1");
    s.g.nodes[host].removed = true;
    struct fabric_port kept = *generated_port(&s.g, host, 1);
    generated_unlink(&s.g, host, 1);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    s.g.nodes[host].removed = false;
    generated_link(&s.g, host, 1, kept.peer_node, kept.peer_port);
    assert_int_equal(update(&s, look_incompletely(&s.g)), 0);
    assert_int_equal(update_whole(&s), 0);
    end(&s);
}

TEST(a_master_that_fell_silent_is_the_former_one)
{
    struct scene s = make_scene(8);
    uint32_t first = find(&s.g, "node0 HCA-1"), second = find(&s.g, "node1 HCA-1");
    generated_sm(&s.g, first, 1, 2, FABRIC_MASTER);
    generated_sm(&s.g, second, 1, 1, FABRIC_STANDBY);
    update_whole(&s);
    generated_sm(&s.g, first, 1, 2, FABRIC_NOT_ACTIVE);
    assert_int_equal(update_whole(&s), 0);
    generated_sm(&s.g, second, 1, 1, FABRIC_MASTER);
    assert_int_equal(update_whole(&s), 1);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_SM_FAILED_OVER);
    assert_string_equal(s.changes.all[0].peer.name, "node0 HCA-1");
    assert_int_equal(update_whole(&s), 0);
    generated_sm(&s.g, second, 1, 1, FABRIC_NOT_ACTIVE);
    assert_int_equal(update_whole(&s), 0);
    generated_sm(&s.g, second, 1, 1, FABRIC_MASTER); // the same subnet manager again
    assert_int_equal(update_whole(&s), 0);
    end(&s);
}

TEST(everybody_is_known)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node0 HCA-1"), leaf = find(&s.g, "leaf0");
    struct endpoint who = {.guid = 77};
    uint64_t guid = s.g.nodes[host].node.guid;
    uint16_t lid = generated_port(&s.g, host, 1)->lid;
    assert_false(topology_find_lid(s.topology, lid, &who));
    assert_false(topology_find_guid(s.topology, guid, &who));
    assert_false(topology_find_peer(s.topology, guid, 1, &who));
    update_whole(&s);
    assert_false(topology_find_lid(s.topology, 0, &who));
    assert_false(topology_find_lid(s.topology, 0xC000, &who));
    assert_false(topology_find_guid(s.topology, 1, &who));
    assert_false(topology_find_peer(s.topology, guid, 2, &who));
    assert_false(topology_find_peer(s.topology, s.g.nodes[leaf].node.guid, 0, &who));
    assert_int_equal(who.guid, 77); // the failed calls left it unchanged

    assert_true(topology_find_lid(s.topology, lid, &who));
    assert_int_equal(who.guid, guid + 1);
    assert_int_equal(who.node_guid, guid);
    assert_int_equal(who.port, 1);
    assert_int_equal(who.type, FABRIC_CA);
    assert_string_equal(who.name, "node0 HCA-1");
    assert_true(topology_find_guid(s.topology, guid, &who)); // of the node
    assert_int_equal(who.guid, guid);
    assert_int_equal(who.lid, lid);
    assert_true(topology_find_guid(s.topology, guid + 1, &who)); // of its port
    assert_int_equal(who.guid, guid + 1);
    assert_true(topology_find_peer(s.topology, guid, 1, &who));
    assert_string_equal(who.name, "leaf0");
    assert_int_equal(who.port, 1);
    assert_int_equal(who.lid, generated_port(&s.g, leaf, 0)->lid);
    end(&s);
}

TEST(what_was_recalled_knows_names_but_no_lids)
{
    struct scene s = make_scene(8);
    uint32_t host = find(&s.g, "node0 HCA-1");
    struct endpoint who = {0};
    topology_restore(s.topology, generated_look(&s.g, 0));
    assert_true(topology_find_guid(s.topology, s.g.nodes[host].node.guid, &who));
    assert_string_equal(who.name, "node0 HCA-1");
    assert_false(topology_find_lid(s.topology, generated_port(&s.g, host, 1)->lid, &who));
    assert_null(topology_current(s.topology));
    end(&s);
}

#define WITH_SEED(test) cmocka_unit_test_teardown(test, tell_seed)

// What has joined the fabric (topology/joined.h), link by link.

// The port of the other fabric with the same link; FABRIC_NONE: that fabric lacks the link.
static uint32_t same_link(const struct fabric *fabric, uint32_t node,
                          const struct fabric_port *port, const struct fabric *in)
{
    const uint32_t there = fabric_find_node(in, fabric->nodes[node].guid);
    const uint32_t found = fabric_find_port(in, there, port->number);
    const uint32_t peer = fabric_peer(in, found);
    if (peer == FABRIC_NONE || in->ports[peer].number != port->peer_port ||
        in->nodes[in->ports[found].peer_node].guid != fabric->nodes[port->peer_node].guid)
        return FABRIC_NONE;
    return found;
}

static bool has_node(const struct fabric *fabric, uint64_t guid)
{
    return fabric_find_node(fabric, guid) != FABRIC_NONE;
}

// Whether a cable of the former link is elsewhere now, and waits.
static bool has_moved_cable(const struct fabric *now, const struct fabric *joined, uint32_t node,
                            const struct fabric_port *port)
{
    const uint32_t a =
        fabric_find_port(now, fabric_find_node(now, joined->nodes[node].guid), port->number);
    const uint32_t b = fabric_find_port(
        now, fabric_find_node(now, joined->nodes[port->peer_node].guid), port->peer_port);
    return (fabric_peer(now, a) != FABRIC_NONE && fabric_is_inactive(now, a)) ||
           (fabric_peer(now, b) != FABRIC_NONE && fabric_is_inactive(now, b));
}

static void check_links_that_joined(const struct fabric *before, const struct fabric *now,
                                    const struct fabric *joined)
{
    for (uint32_t i = 0; i < joined->node_count; i++) {
        const struct fabric_node *n = &joined->nodes[i];
        assert_true(has_node(now, n->guid));
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            const struct fabric_port *port = &joined->ports[k];
            if (port->peer_node == FABRIC_NONE)
                continue;
            const uint32_t same = same_link(joined, i, port, now);
            const bool had = same_link(joined, i, port, before) != FABRIC_NONE;
            assert_true(same != FABRIC_NONE ? had || !fabric_is_inactive(now, same)
                                            : had && has_moved_cable(now, joined, i, port));
        }
    }
}

static void check_links_that_wait(const struct fabric *before, const struct fabric *now,
                                  const struct fabric *joined)
{
    for (uint32_t i = 0; i < now->node_count; i++) {
        const struct fabric_node *n = &now->nodes[i];
        bool waits = false, carries = false;
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            const struct fabric_port *port = &now->ports[k];
            if (port->peer_node == FABRIC_NONE)
                continue;
            const bool new = same_link(now, i, port, before) == FABRIC_NONE;
            waits = waits || (fabric_is_inactive(now, k) && new);
            carries = carries || !fabric_is_inactive(now, k) || !new;
            if (has_node(joined, n->guid) && has_node(joined, now->nodes[port->peer_node].guid) &&
                (!fabric_is_inactive(now, k) || !new))
                assert_true(same_link(now, i, port, joined) != FABRIC_NONE);
        }
        assert_true(has_node(joined, n->guid) || !has_node(before, n->guid));
        assert_true(!has_node(joined, n->guid) || has_node(before, n->guid) || carries || !waits);
    }
}

// Links come up, or do not; `inactive` in a hundred do not.
static void set_states(struct generated *g, struct generated_chance *chance, unsigned inactive)
{
    for (uint32_t i = 0; i < g->count; i++) {
        for (unsigned k = 1; k <= g->nodes[i].node.port_count; k++) {
            struct fabric_port *port = generated_port(g, i, (uint8_t)k);
            if (port->peer_node == FABRIC_NONE || port->peer_node < i)
                continue;
            port->state =
                generated_below(chance, 100) < inactive ? FABRIC_INITIALIZE : FABRIC_ACTIVE;
            generated_port(g, port->peer_node, port->peer_port)->state = port->state;
        }
    }
}

static void change_and_check(struct scene *s, struct generated_chance *chance, int64_t time_us,
                             unsigned inactive)
{
    const struct systems *last = topology_joined(s->topology);
    struct fabric *before = last ? fabric_ref(last->fabric) : NULL;
    generated_mutate(&s->g, chance);
    set_states(&s->g, chance, inactive);
    struct fabric *now = generated_look(&s->g, generated_next(chance));
    now->time_us = time_us;
    fabric_ref(now);
    update(s, now);
    const struct fabric *joined = topology_joined(s->topology)->fabric;
    if (before) {
        check_links_that_joined(before, now, joined);
        check_links_that_wait(before, now, joined);
    }
    assert_true(inactive > 0 || joined == now);
    fabric_unref(before);
    fabric_unref(now);
}

TEST(what_carries_traffic_has_joined)
{
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct generated_chance chance = {seed};
        struct scene s = {.topology = topology_new(NULL, &random_system, NULL)};
        failing_seed = seed;
        generated_random(&s.g, &chance);
        for (int i = 1; i <= 12; i++)
            change_and_check(&s, &chance, i * INT64_C(15000000), i % 6 == 0 ? 0 : 25);
        end(&s);
    }
    failing_seed = 0;
}

// By the method `sa`, the subnet manager may have a host that came back, and no description yet.
TEST(a_host_that_comes_back_without_a_description_has_its_former_name)
{
    struct scene s = make_scene(4);
    const uint32_t host = find(&s.g, "node1 HCA-1");
    const struct fabric_port was = *generated_port(&s.g, host, 1);
    update_whole(&s);
    generated_remove(&s.g, host);
    assert_true(update_whole(&s) > 0);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_REMOVED);
    s.g.nodes[host].removed = false;
    generated_link(&s.g, host, 1, was.peer_node, was.peer_port);
    generated_rename(&s.g, host, "");
    assert_true(update_whole(&s) > 0);
    assert_int_equal(s.changes.all[0].type, CATALOGUE_HOST_ADDED);
    assert_string_equal(s.changes.all[0].subject.name, "node1 HCA-1");
    assert_int_equal(update_whole(&s), 0);
    generated_rename(&s.g, host, "node1 HCA-1");
    assert_int_equal(update_whole(&s), 0);
    end(&s);
}

// A host that was away for less than a sweep did not leave, and is named all the same.
TEST(a_host_whose_description_is_missing_keeps_it)
{
    struct scene s = make_scene(4);
    const uint32_t host = find(&s.g, "node1 HCA-1");
    update_whole(&s);
    generated_rename(&s.g, host, "");
    assert_int_equal(update_whole(&s), 0);
    generated_remove(&s.g, host);
    assert_true(update_whole(&s) > 0);
    assert_string_equal(s.changes.all[0].subject.name, "node1 HCA-1");
    end(&s);
}

// Checks the other names, at most two, that patterns match in an event about the node; NULL: none.
static void check_other_names(const struct scene *s, uint64_t guid, int64_t utc_us,
                              const char *first, const char *second)
{
    const char *const expected[] = {first, second};
    struct event *event = event_make(NULL);
    assert_true(topology_find_guid(s->topology, guid, &event->subject));
    event->time_us = utc_us;
    topology_add_other_names(s->topology, event);
    assert_int_equal(event->other_name_count, (first != NULL) + (second != NULL));
    for (size_t i = 0; i < event->other_name_count; i++) {
        assert_string_equal(event->other_names[i].name, expected[i]);
        assert_int_equal(event->other_names[i].guid, guid);
    }
    event_unref(event);
}

static void check_other_name(const struct scene *s, uint64_t guid, int64_t utc_us, const char *name)
{
    check_other_names(s, guid, utc_us, name, NULL);
}

static void sweep_at(struct scene *s, int64_t utc_us)
{
    struct fabric *seen = generated_look(&s->g, 0);
    seen->time_us = utc_us;
    update(s, seen);
}

TEST(a_node_keeps_its_name_of_lately)
{
    const int64_t day = INT64_C(86400) * CLOCK_US_PER_S;
    static const char factory[] = "MT4119 ConnectX5";
    struct scene s = make_scene(4);
    struct generated_node *host = &s.g.nodes[find(&s.g, "node1 HCA-1")];
    sweep_at(&s, day);
    check_other_name(&s, host->node.guid, day, NULL);
    strcpy(host->node.description, factory);
    sweep_at(&s, day + 1);
    check_other_names(&s, host->node.guid, day + 2, "node1 HCA-1", factory);
    check_other_names(&s, host->node.guid, 2 * day + 1, "node1 HCA-1", factory);
    check_other_name(&s, host->node.guid, 2 * day + 2, factory);
    strcpy(host->node.description, "node1 HCA-1");
    sweep_at(&s, 2 * day);
    check_other_name(&s, host->node.guid, 2 * day + 1, factory);
    end(&s);
}

// The journal has the last snapshots of the run before.
TEST(a_restart_knows_the_names_of_lately)
{
    static const char factory[] = "MT4119 ConnectX5";
    struct scene s = make_scene(4);
    struct generated_node *host = &s.g.nodes[find(&s.g, "node1 HCA-1")];
    topology_restore(s.topology, generated_look(&s.g, 0));
    strcpy(host->node.description, factory);
    struct fabric *last = generated_look(&s.g, 0);
    const int64_t lost_at = last->time_us;
    topology_restore(s.topology, last);
    check_other_names(&s, host->node.guid, lost_at + FORMER_NAMES_US, "node1 HCA-1", factory);
    check_other_name(&s, host->node.guid, lost_at + FORMER_NAMES_US + 1, factory);
    sweep_at(&s, lost_at + 1);
    check_other_names(&s, host->node.guid, lost_at + 1, "node1 HCA-1", factory);
    end(&s);
}

TEST(a_map_gives_a_node_another_name)
{
    struct error err;
    char map[64];
    struct scene s = make_scene(4);
    const struct generated_node *host = &s.g.nodes[find(&s.g, "node1 HCA-1")];
    update_whole(&s);
    snprintf(map, sizeof map, "0x%016llx \"db7\"", (unsigned long long)host->node.guid);
    struct names *names = names_parse("map", map, strlen(map), &err);
    assert_non_null(names);
    topology_rename(s.topology, names);
    check_other_name(&s, host->node.guid, 1, "node1 HCA-1");
    topology_rename(s.topology, NULL);
    check_other_name(&s, host->node.guid, 1, "db7");
    names_unref(names);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_sweep_changes_nothing),
        cmocka_unit_test(a_node_keeps_its_name_of_lately),
        cmocka_unit_test(a_restart_knows_the_names_of_lately),
        cmocka_unit_test(a_map_gives_a_node_another_name),
        cmocka_unit_test(a_complete_sweep_is_believed),
        cmocka_unit_test(of_an_incomplete_sweep_it_takes_two),
        cmocka_unit_test(two_looks_must_follow_each_other),
        cmocka_unit_test(a_missing_host_does_not_keep_its_place),
        cmocka_unit_test(nothing_hides_behind_a_host),
        cmocka_unit_test(who_can_be_behind_a_silent_port_stays),
        WITH_SEED(loss_alone_is_no_change),
        WITH_SEED(what_happens_amid_loss_is_told_once),
        WITH_SEED(what_carries_traffic_has_joined),
        cmocka_unit_test(a_link_that_is_seen_down_is_told_though_the_sweep_is_incomplete),
        cmocka_unit_test(a_host_that_came_back_elsewhere_has_moved),
        cmocka_unit_test(two_hosts_with_one_guid_do_not_take_turns),
        cmocka_unit_test(what_was_not_answered_is_remembered),
        cmocka_unit_test(an_io_unit_that_does_not_tell_keeps_its_controllers),
        cmocka_unit_test(recalled_changes_are_found_late),
        cmocka_unit_test(what_was_recalled_waits_for_a_complete_sweep),
        cmocka_unit_test(but_not_for_ever),
        cmocka_unit_test(without_something_recalled_the_first_looks_make_the_base),
        cmocka_unit_test(a_master_that_fell_silent_is_the_former_one),
        cmocka_unit_test(everybody_is_known),
        cmocka_unit_test(what_was_recalled_knows_names_but_no_lids),
        cmocka_unit_test(a_host_that_comes_back_without_a_description_has_its_former_name),
        cmocka_unit_test(a_host_whose_description_is_missing_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
