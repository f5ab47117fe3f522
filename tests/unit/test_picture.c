// SPDX-License-Identifier: BSD-2-Clause
// The picture of the fabric: the layers, the marks of alarms, and names that would break out of the
// picture. tests/integration/test_picture.py compares the picture with ibnetdiscover, and reads the
// picture by Graphviz and an XML parser.
#include "generated.h"
#include "support.h"

#include "picture/dot.h"
#include "picture/picture.h"
#include "picture/svg.h"
#include "topology/alarm_key.h"

#include <inttypes.h>

static struct generated g;
static struct fabric *fabric;
static struct picture *picture;
static char *text_;

static int end(void **state)
{
    (void)state;
    picture_free(picture);
    fabric_unref(fabric);
    generated_clear(&g);
    free(text_);
    picture = NULL;
    fabric = NULL;
    text_ = NULL;
    return 0;
}

static void look(bool hosts)
{
    fabric = generated_look(&g, 0);
    picture = picture_new(fabric, NULL, NULL, hosts);
    assert_non_null(picture);
}

static const struct picture_node *node(const char *name)
{
    for (uint32_t i = 0; i < picture->node_count; i++) {
        if (strcmp(picture->nodes[i].name, name) == 0)
            return &picture->nodes[i];
    }
    fail_msg("there is no node %s", name);
    return NULL;
}

static const char *dot(void)
{
    size_t size;
    FILE *out = open_memstream(&text_, &size);
    dot_write(out, picture);
    fclose(out);
    return text_;
}

static const char *svg(void)
{
    size_t size;
    FILE *out = open_memstream(&text_, &size);
    svg_write(out, picture, true);
    fclose(out);
    return text_;
}

static void alarm_on(enum alarm_key_kind kind, const char *event, uint32_t a, uint8_t port,
                     uint32_t b, uint8_t peer_port)
{
    char key[EVENT_KEY_SIZE];
    alarm_key_write(key, &(struct alarm_key){.kind = kind,
                                             .guid = g.nodes[a].node.guid,
                                             .peer_guid = g.nodes[b].node.guid,
                                             .port = port,
                                             .peer_port = peer_port});
    picture_add_alarm(picture, key, event, false);
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

TEST(layers_are_the_distance_from_hosts)
{
    generated_fat_tree(&g, 64, 4);
    look(false);
    picture_finish(picture);
    uint32_t of[4] = {0};
    for (uint32_t i = 0; i < picture->node_count; i++) {
        const struct picture_node *n = &picture->nodes[i];
        assert_true(n->layer < 4);
        of[n->layer]++;
        assert_int_equal(n->layer == 0, n->type == FABRIC_CA);
        assert_int_equal(n->layer == 1, strncmp(n->name, "leaf", 4) == 0);
    }
    assert_int_equal(of[0], 64);
    assert_int_equal(of[1], 16);
    assert_true(of[2] > 0 && of[3] > 0);
    assert_int_equal(picture->layers, 3);
}

TEST(a_host_at_a_spine_makes_no_leaf_of_it)
{
    const uint32_t spine = generated_add(&g, FABRIC_SWITCH, 0, "spine", 8);
    const uint32_t manager = generated_add(&g, FABRIC_CA, 0, "manager", 1);
    generated_link(&g, spine, 8, manager, 1);
    for (uint8_t i = 1; i <= 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "leaf%u", i);
        const uint32_t leaf = generated_add(&g, FABRIC_SWITCH, 0, name, 8);
        generated_link(&g, spine, i, leaf, 8);
        for (uint8_t h = 1; h <= 2; h++) {
            snprintf(name, sizeof name, "node%u-%u", i, h);
            generated_link(&g, leaf, h, generated_add(&g, FABRIC_CA, 0, name, 1), 1);
        }
    }
    look(false);
    picture_finish(picture);
    assert_int_equal(node("spine")->layer, 2);
    assert_int_equal(node("leaf1")->layer, 1);
    assert_int_equal(node("leaf1")->folded, 2);
    assert_int_equal(node("spine")->folded, 1);
}

TEST(a_node_that_is_part_of_a_switch_makes_no_leaf_of_it)
{
    const uint32_t spine = generated_add(&g, FABRIC_SWITCH, 0, "spine", 8);
    const uint32_t leaf = generated_add(&g, FABRIC_SWITCH, 0, "leaf", 8);
    const uint32_t inside = generated_add(&g, FABRIC_CA, 0, "aggregation", 1);
    const uint32_t host = generated_add(&g, FABRIC_CA, 0, "host", 1);
    g.nodes[spine].node.system_guid = g.nodes[inside].node.system_guid = 77;
    generated_link(&g, spine, 1, leaf, 1);
    generated_link(&g, spine, 8, inside, 1);
    generated_link(&g, leaf, 8, host, 1);
    look(false);
    picture_finish(picture);
    assert_int_equal(node("leaf")->layer, 1);
    assert_int_equal(node("spine")->layer, 2);
}

TEST(names_are_in_the_order_of_their_numbers)
{
    static const char *const NAMES[] = {"leaf10", "leaf9", "leaf1", "leaf02"};
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        const uint32_t leaf = generated_add(&g, FABRIC_SWITCH, 0, NAMES[i], 4);
        generated_link(&g, leaf, 1, generated_add(&g, FABRIC_CA, 0, "host", 1), 1);
    }
    look(false);
    picture_finish(picture);
    assert_int_equal(node("leaf1")->place, 0);
    assert_int_equal(node("leaf02")->place, 1);
    assert_int_equal(node("leaf9")->place, 2);
    assert_int_equal(node("leaf10")->place, 3);
}

// Two leaves with a link, and three hosts at the first.
static void make_two(uint32_t *a, uint32_t *b, uint32_t *host)
{
    *a = generated_add(&g, FABRIC_SWITCH, 0, "a", 8);
    *b = generated_add(&g, FABRIC_SWITCH, 0, "b", 8);
    generated_link(&g, *a, 1, *b, 1);
    generated_link(&g, *a, 2, *b, 2);
    for (uint8_t i = 0; i < 3; i++) {
        *host = generated_add(&g, FABRIC_CA, 0, "host", 1);
        generated_link(&g, *a, (uint8_t)(i + 3), *host, 1);
    }
}

TEST(alarms_mark_links)
{
    uint32_t a, b, host;
    make_two(&a, &b, &host);
    look(false);
    alarm_on(ALARM_KEY_RATE, "link-degraded", a, 1, b, 1);
    alarm_on(ALARM_KEY_LINK, "link-unreliable", a, 2, b, 2);
    alarm_on(ALARM_KEY_LINK, "link-missing", a, 7, b, 7);
    alarm_on(ALARM_KEY_LINK, "link-unexpected", a, 1, b, 1); // informational
    alarm_on(ALARM_KEY_PORT, "link-integrity-threshold", a, 3, 0, 0);
    picture_add_alarm(picture, "receiver udp0", "receiver-failing", false);
    picture_add_alarm(picture, "", "", false);
    picture_finish(picture);
    assert_int_equal(picture->link_count, picture->present_links + 1);
    assert_int_equal(node("a")->troubled_hosts, 1);
    assert_int_equal(node("a")->folded, 2);
    const char *out = dot();
    assert_int_equal(count(out, " -- "), 4);
    assert_int_equal(count(out, "color=\"#d97706\""), 1);
    assert_int_equal(count(out, "style=dashed"), 2);
    assert_int_equal(count(out, "style=dotted"), 1);
    free(text_);
    assert_int_equal(count(svg(), "class=\"node switch good near-fault\""), 2);
}

// Most programs but browsers know no variables, and draw black where no plain value is.
TEST(each_colour_has_a_plain_value)
{
    assert_int_equal(count(SVG_STYLE, "fill:#"), count(SVG_STYLE, "fill:var("));
    assert_int_equal(count(SVG_STYLE, "stroke:#"), count(SVG_STYLE, "stroke:var("));
    assert_true(count(SVG_STYLE, "fill:#") > 5);
}

// The links of a dead switch are grey, and the switch itself is red.
TEST(the_cause_stands_out)
{
    generated_add(&g, FABRIC_SWITCH, 0, "here", 4);
    look(false);
    char key[100];
    snprintf(key, sizeof key, "link 0x00000000deadbeef/1-0x%016llx/1",
             (unsigned long long)picture->nodes[0].guid);
    picture_add_alarm(picture, "node 0x00000000deadbeef", "switch-removed", false);
    picture_add_alarm(picture, key, "link-down", true);
    picture_finish(picture);
    assert_int_equal(count(svg(), "class=\"node switch fault near-missing absent\""), 1);
    assert_int_equal(count(text_, "class=\"node switch good near-missing\""), 1);
    assert_int_equal(count(text_, "near-fault\""), 0);
}

TEST(an_absent_node_can_be_named)
{
    generated_add(&g, FABRIC_SWITCH, 0, "here", 4);
    look(false);
    picture_add_alarm(picture, "node 0x00000000deadbeef", "switch-removed", false);
    picture_name_absent(picture, 0xdeadbeef, "leaf7", "");
    picture_name_absent(picture, 0xdeadbeef, "other", "");
    picture_name_absent(picture, g.nodes[0].node.guid, "other", "");
    picture_finish(picture);
    assert_int_equal(count(svg(), ">leaf7</text>"), 1);
    assert_int_equal(count(text_, ">here</text>"), 1);
    assert_null(strstr(text_, "other"));
}

// With an adapter that left, and one that had left before its host came back.
TEST(a_host_of_several_adapters_is_one_box)
{
    uint32_t leaves[4], adapters[4];
    char name[32], key[EVENT_KEY_SIZE];
    for (uint8_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "leaf%u", i + 1);
        leaves[i] = generated_add(&g, FABRIC_SWITCH, 0, name, 8);
        if (i > 0)
            generated_link(&g, leaves[i], 8, leaves[0], (uint8_t)(i + 4));
        snprintf(name, sizeof name, "gpu17 mlx5_%u", i);
        adapters[i] = generated_add(&g, FABRIC_CA, 0, name, 1);
        generated_link(&g, leaves[i], 1, adapters[i], 1);
    }
    const uint64_t gone = g.nodes[adapters[3]].node.guid;
    generated_remove(&g, adapters[3]);
    fabric = generated_look(&g, leaves[0]);
    struct systems *systems = systems_make(fabric, &(struct systems_names){0});
    picture = picture_new(fabric, NULL, systems, true);
    alarm_key_write(key, &(struct alarm_key){.kind = ALARM_KEY_NODE, .guid = gone});
    picture_add_alarm(picture, key, "host-removed", false);
    picture_name_absent(picture, gone, "gpu17 mlx5_3", "gpu17");
    picture_finish(picture);
    size_t boxes = 0;
    for (uint32_t i = 0; i < picture->node_count; i++)
        boxes += picture->nodes[i].shown && picture->nodes[i].type == FABRIC_CA;
    assert_int_equal(boxes, 1);
    assert_int_equal(node("gpu17")->whole, PICTURE_FAULT);
    const char *drawn = svg();
    assert_non_null(strstr(drawn, "<title>gpu17\n"));
    for (uint32_t i = 0; i < 4; i++) {
        char guid[40];
        snprintf(guid, sizeof guid, "0x%016" PRIx64, g.nodes[adapters[i]].node.guid);
        const char *parts = strstr(drawn, "data-parts=\"");
        assert_non_null(parts);
        assert_true(strstr(parts, guid) && strstr(parts, guid) < strstr(parts, ">"));
    }
    systems_unref(systems);
}

TEST(what_is_gone_is_drawn_where_it_was)
{
    uint32_t a, b, host;
    make_two(&a, &b, &host);
    generated_remove(&g, b);
    generated_remove(&g, host);
    look(false);
    alarm_on(ALARM_KEY_NODE, "switch-removed", b, 0, 0, 0);
    alarm_on(ALARM_KEY_LINK, "link-down", a, 1, b, 1);
    alarm_on(ALARM_KEY_LINK, "link-down", a, 2, b, 2);
    alarm_on(ALARM_KEY_LINK, "link-down", a, 2, b, 2);
    alarm_on(ALARM_KEY_NODE, "host-missing", host, 0, 0, 0);
    alarm_on(ALARM_KEY_LINK, "link-down", a, 5, host, 1);
    picture_finish(picture);
    assert_int_equal(picture->node_count, fabric->node_count + 2);
    assert_int_equal(picture->link_count, picture->present_links + 3);
    const char *out = dot();
    assert_int_equal(count(out, "filled,dotted"), 2);
    assert_int_equal(count(out, " -- "), 3);
    assert_non_null(strstr(out, "+2 hosts"));
}

TEST(many_troubled_hosts_stay_folded)
{
    const uint32_t leaf = generated_add(&g, FABRIC_SWITCH, 0, "leaf", 40);
    for (uint8_t i = 1; i <= 30; i++)
        generated_link(&g, leaf, i, generated_add(&g, FABRIC_CA, 0, "host", 1), 1);
    look(false);
    for (uint8_t i = 1; i <= 30; i++)
        alarm_on(ALARM_KEY_PORT, "link-integrity-threshold", leaf, i, 0, 0);
    picture_finish(picture);
    assert_int_equal(node("leaf")->folded, 30);
    assert_int_equal(count(dot(), " -- "), 0);
}

TEST(names_cannot_break_out)
{
    static const char EVIL[] = "\"]; x [URL=\"j:\\\" --><script>&amp;]]>\\N\\\\";
    const uint32_t leaf = generated_add(&g, FABRIC_SWITCH, 0, EVIL, 4);
    generated_link(&g, leaf, 1, generated_add(&g, FABRIC_CA, 0, &EVIL[1], 1), 1);
    look(true);
    picture_finish(picture);
    assert_non_null(strstr(dot(),
                           "[label=\"\\\"]; x [URL=\\\"j:\\\\\\\" --><script>&amp;amp;]]>\\\\N"
                           "\\\\\\\\\", "));
    free(text_);
    const char *out = svg();
    assert_null(strstr(out, "<script"));
    assert_non_null(strstr(out, "&quot;]; x [URL=&quot;j:\\&quot; --&gt;&lt;script&gt;&amp;amp;"));
}

TEST(a_name_is_cut_between_characters)
{
    static const char LONG[] =
        "\xC3\xA4\xC3\xB6\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80-abcdefghijklmn-"
        "\xE2\x82\xAC\xC3\xA4";
    const uint32_t leaf = generated_add(&g, FABRIC_SWITCH, 0, LONG, 4);
    generated_link(&g, leaf, 1, generated_add(&g, FABRIC_CA, 0, "h", 1), 1);
    look(false);
    picture_finish(picture);
    const char *out = svg();
    assert_true(text_is_utf8(out));
    assert_non_null(strstr(out, "\xE2\x80\xA6"));
}

TEST(the_order_of_discovery_does_not_matter)
{
    generated_fat_tree(&g, 200, 6);
    look(true);
    picture_finish(picture);
    svg();
    char *first = text_;
    picture_free(picture);
    fabric_unref(fabric);
    fabric = generated_look(&g, 12345);
    picture = picture_new(fabric, NULL, NULL, true);
    picture_finish(picture);
    assert_string_equal(svg(), first);
    free(first);
}

TEST(random_fabrics_and_alarms_are_drawn)
{
    static const char *const EVENTS[] = {"link-down",    "link-degraded", "host-removed",
                                         "link-missing", "none",          "switch-missing"};
    for (unsigned seed = 0; seed < 60; seed++) {
        struct generated_chance chance = {seed};
        generated_random(&g, &chance);
        look(seed % 2 == 0);
        for (int i = 0; i < 40; i++) {
            const enum alarm_key_kind kind = generated_below(&chance, ALARM_KEY_KINDS);
            const uint32_t a = generated_below(&chance, g.count);
            const uint32_t b = generated_below(&chance, g.count);
            const char *event = EVENTS[generated_below(&chance, COUNT(EVENTS))];
            alarm_on(kind, event, a, (uint8_t)generated_below(&chance, 5), b,
                     (uint8_t)generated_below(&chance, 5));
        }
        picture_finish(picture);
        uint32_t hosts = 0;
        for (uint32_t i = 0; i < picture->link_count; i++)
            hosts += !picture_shows(picture, &picture->links[i]);
        for (uint32_t i = 0; i < picture->node_count; i++)
            hosts -= picture->nodes[i].folded;
        assert_int_equal(hosts, 0); // each link is drawn, or counted at a switch
        dot();
        free(text_);
        svg();
        end(NULL);
    }
}

TEST(more_than_there_is_room_for_is_cut)
{
    generated_add(&g, FABRIC_SWITCH, 0, "lone", 1);
    look(false);
    for (unsigned i = 0; i < PICTURE_ABSENT_MAX + 10; i++) {
        char key[EVENT_KEY_SIZE];
        alarm_key_write(key, &(struct alarm_key){.kind = ALARM_KEY_NODE, .guid = 0x1000000 + i});
        picture_add_alarm(picture, key, "switch-removed", false);
    }
    assert_true(picture->cut);
    picture_finish(picture);
    assert_non_null(strstr(svg(), "Not all of the fabric is drawn"));
}

TEST(a_long_chain_is_drawn)
{
    uint32_t last = generated_add(&g, FABRIC_SWITCH, 0, "first", 3);
    generated_link(&g, last, 3, generated_add(&g, FABRIC_CA, 0, "host", 1), 1);
    for (unsigned i = 0; i < 20000; i++) {
        const uint32_t next = generated_add(&g, FABRIC_SWITCH, 0, "next", 3);
        generated_link(&g, last, 1, next, 2);
        last = next;
    }
    look(false);
    picture_finish(picture);
    assert_int_equal(picture->layers, PICTURE_LAYERS_MAX);
    assert_non_null(strstr(svg(), "Not all of the fabric is drawn: 11809 switches"));
}

TEST(a_large_fabric_has_a_small_picture)
{
    generated_fat_tree(&g, 10000, 18);
    look(false);
    picture_finish(picture);
    const char *out = svg();
    assert_int_equal(count(out, "<path class=\"good\" data-links"), SVG_LINES_MAX);
    assert_non_null(strstr(out, "Not all of the fabric is drawn: 0 switches and "));
    assert_true(strlen(out) < 2000000);
}

TEST(an_empty_fabric_is_drawn)
{
    look(false);
    picture_finish(picture);
    dot();
    free(text_);
    assert_non_null(strstr(svg(), "0 nodes, 0 links"));
}

#define PICTURE_TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PICTURE_TEST(layers_are_the_distance_from_hosts),
        PICTURE_TEST(a_host_at_a_spine_makes_no_leaf_of_it),
        PICTURE_TEST(a_node_that_is_part_of_a_switch_makes_no_leaf_of_it),
        PICTURE_TEST(names_are_in_the_order_of_their_numbers),
        PICTURE_TEST(alarms_mark_links),
        PICTURE_TEST(each_colour_has_a_plain_value),
        PICTURE_TEST(the_cause_stands_out),
        PICTURE_TEST(an_absent_node_can_be_named),
        PICTURE_TEST(a_host_of_several_adapters_is_one_box),
        PICTURE_TEST(what_is_gone_is_drawn_where_it_was),
        PICTURE_TEST(many_troubled_hosts_stay_folded),
        PICTURE_TEST(names_cannot_break_out),
        PICTURE_TEST(a_name_is_cut_between_characters),
        PICTURE_TEST(the_order_of_discovery_does_not_matter),
        PICTURE_TEST(random_fabrics_and_alarms_are_drawn),
        PICTURE_TEST(more_than_there_is_room_for_is_cut),
        PICTURE_TEST(a_long_chain_is_drawn),
        PICTURE_TEST(a_large_fabric_has_a_small_picture),
        PICTURE_TEST(an_empty_fabric_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
