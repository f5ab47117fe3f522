// SPDX-License-Identifier: BSD-2-Clause
// The keys of the alarms that sweeps raise, and the rates of links.
#include "generated.h"
#include "support.h"

#include "topology/alarm_key.h"
#include "topology/link_rate.h"

static const struct {
    const char *text;
    struct alarm_key key;
} KEYS[] = {
    {"node 0x0000000000000010", {.kind = ALARM_KEY_NODE, .guid = 0x10}},
    {"port 0xffffffffffffffff/255", {.kind = ALARM_KEY_PORT, .guid = UINT64_MAX, .port = 255}},
    {"link 0x0000000000000010/1-0x0002c90200c20000/12",
     {.kind = ALARM_KEY_LINK,
      .guid = 0x10,
      .port = 1,
      .peer_guid = 0x0002c90200c20000,
      .peer_port = 12}},
    {"rate link 0x0000000000000010/1-0x0000000000000010/2",
     {.kind = ALARM_KEY_RATE, .guid = 0x10, .port = 1, .peer_guid = 0x10, .peer_port = 2}},
    {"sm 0x0000000000000011", {.kind = ALARM_KEY_SM, .guid = 0x11}},
    {"iou 0x0000000000000012", {.kind = ALARM_KEY_IO_UNIT, .guid = 0x12}},
    {"ioc 0x0000000000000013", {.kind = ALARM_KEY_IO_CONTROLLER, .guid = 0x13}},
};

static void check_same(const struct alarm_key *a, const struct alarm_key *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->guid, b->guid);
    assert_int_equal(a->peer_guid, b->peer_guid);
    assert_int_equal(a->port, b->port);
    assert_int_equal(a->peer_port, b->peer_port);
}

TEST(every_kind_of_key_is_read_as_it_is_written)
{
    char text[EVENT_KEY_SIZE];
    struct alarm_key key;
    assert_int_equal(COUNT(KEYS), ALARM_KEY_KINDS);
    for (size_t i = 0; i < COUNT(KEYS); i++) {
        assert_int_equal(KEYS[i].key.kind, i);
        alarm_key_write(text, &KEYS[i].key);
        assert_string_equal(text, KEYS[i].text);
        assert_true(alarm_key_read(text, &key));
        check_same(&key, &KEYS[i].key);
    }
}

TEST(what_an_alarm_says_of_its_place_is_read_as_it_is_written)
{
    static const struct {
        const char *text;
        struct alarm_key key;
    } SAID[] = {
        {"counter SymbolErrorCounter 0x0000000000000010/7",
         {.kind = ALARM_KEY_PORT,
          .guid = 0x10,
          .port = 7,
          .about = ALARM_ABOUT_GROWTH,
          .counter = COUNTER_SYMBOL_ERROR}},
        {"errors PortRcvErrors port 0x0000000000000010/7",
         {.kind = ALARM_KEY_PORT,
          .guid = 0x10,
          .port = 7,
          .about = ALARM_ABOUT_ERRORS,
          .counter = COUNTER_RCV_ERRORS}},
        {"errors PortRcvErrors link 0x0000000000000010/7-0x0000000000000020/1",
         {.kind = ALARM_KEY_LINK,
          .guid = 0x10,
          .port = 7,
          .peer_guid = 0x20,
          .peer_port = 1,
          .about = ALARM_ABOUT_ERRORS,
          .counter = COUNTER_RCV_ERRORS}},
        {"congestion 0x0000000000000010/7",
         {.kind = ALARM_KEY_PORT,
          .guid = 0x10,
          .port = 7,
          .about = ALARM_ABOUT_WAIT,
          .counter = COUNTER_XMIT_WAIT}},
        {"unreliable link 0x0000000000000010/7-0x0000000000000020/1",
         {.kind = ALARM_KEY_LINK,
          .guid = 0x10,
          .port = 7,
          .peer_guid = 0x20,
          .peer_port = 1,
          .about = ALARM_ABOUT_UNRELIABLE}},
        {"host-missing node 0x0000000000000010",
         {.kind = ALARM_KEY_NODE,
          .guid = 0x10,
          .about = ALARM_ABOUT_EXPECTED,
          .event = CATALOGUE_HOST_MISSING}},
    };
    char text[EVENT_KEY_SIZE];
    struct alarm_key key;
    for (size_t i = 0; i < COUNT(SAID); i++) {
        alarm_key_write(text, &SAID[i].key);
        assert_string_equal(text, SAID[i].text);
        assert_true(alarm_key_parse(text, &key));
        check_same(&key, &SAID[i].key);
        assert_int_equal(key.about, SAID[i].key.about);
        assert_int_equal(key.counter, SAID[i].key.counter);
        assert_int_equal(key.event, SAID[i].key.event);
        assert_false(alarm_key_read(text, &key)); // no place alone
    }
    alarm_key_write(text, &KEYS[0].key);
    assert_true(alarm_key_parse(text, &key) && key.about == ALARM_ABOUT_PLACE);
}

TEST(what_no_alarm_says_of_a_place_is_not_read)
{
    static const char *const OTHERS[] = {
        "errors",
        "errors SymbolErrorCounter",
        "errors SymbolErrorCounter node 0x0000000000000001",
        "errors NoCounter port 0x0000000000000001/1",
        "errors SymbolErrorCounter port 0x0000000000000001/1 ",
        "counter SymbolErrorCounter port 0x0000000000000001/1",
        "counter PortXmitData 0x0000000000000001/1",
        "congestion 0x12/17",
        "congestion 0x0000000000000012/17 x",
        "unreliable",
        "unreliable node 0x0000000000000001",
        "portnode 0x0000000000000001",
        "sm-reachable",
        "flapping link 0x0000000000000010/1-0x0000000000000020/1",
    };
    struct alarm_key key;
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        if (alarm_key_parse(OTHERS[i], &key))
            fail_msg("'%s' is read", OTHERS[i]);
    }
}

TEST(the_ends_of_a_link_are_written_in_their_order)
{
    char text[EVENT_KEY_SIZE];
    for (size_t i = 2; i <= 3; i++) {
        const struct alarm_key *key = &KEYS[i].key;
        alarm_key_write(text, &(struct alarm_key){.kind = key->kind,
                                                  .guid = key->peer_guid,
                                                  .port = key->peer_port,
                                                  .peer_guid = key->guid,
                                                  .peer_port = key->port});
        assert_string_equal(text, KEYS[i].text);
    }
}

TEST(other_keys_are_not_read)
{
    static const char *const OTHERS[] = {
        "",
        "node",
        "node ",
        "node 0x",
        "node 16",
        "node 0x10",
        "node  0x0000000000000010",
        "node 0x 000000000000010",
        "node 0x-000000000000010",
        "node 0x0000000000000010 ",
        "node 0x00000000000000100",
        "node 0x000000000000001A",
        "nodes 0x0000000000000010",
        "port 0x0000000000000010",
        "port 0x0000000000000010/256",
        "port 0x0000000000000010/-1",
        "port 0x0000000000000010/ 1",
        "port 0x0000000000000010/01",
        "link 0x0000000000000010/1",
        "link 0x0000000000000010/1-0x0000000000000020/1x",
        "link 0x0000000000000020/1-0x0000000000000010/1",
        "rate 0x0000000000000010/1-0x0000000000000020/1",
        "flapping link 0x0000000000000010/1-0x0000000000000020/1",
        "counter SymbolErrorCounter 0x0000000000000010/1",
        "journal",
        "x",
    };
    struct alarm_key key;
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        char text[EVENT_KEY_SIZE];
        snprintf(text, sizeof text, "%s", OTHERS[i]);
        if (alarm_key_read(text, &key))
            fail_msg("'%s' is read", text);
    }
}

// Rates.

static struct link_rate rate_of(struct generated *g)
{
    struct fabric *fabric = generated_look(g, 0);
    const uint32_t port = fabric_find_port(fabric, fabric_find_node(fabric, 0x10), 1);
    const struct link_rate rate = link_rate_of(fabric, port, fabric_peer(fabric, port));
    fabric_unref(fabric);
    return rate;
}

static void check_rate(struct generated *g, bool known, const char *expected)
{
    char buf[200];
    struct text t = text_in(buf, sizeof buf);
    const struct link_rate rate = rate_of(g);
    assert_int_equal(rate.known, known);
    assert_int_equal(rate.degraded, strstr(expected, " instead of ") != NULL);
    if (known) {
        link_rate_describe(&t, &rate);
        assert_string_equal(buf, expected);
    }
}

TEST(a_link_is_compared_with_what_both_ends_can_and_may)
{
    struct generated g = {0};
    const uint32_t a = generated_add(&g, FABRIC_SWITCH, 0x10, "a", 2);
    const uint32_t b = generated_add(&g, FABRIC_SWITCH, 0x20, "b", 2);
    generated_link(&g, a, 1, b, 1);
    struct fabric_port *p = generated_port(&g, a, 1), *q = generated_port(&g, b, 1);
    check_rate(&g, true, "4X EDR (100 Gb/s)");
    p->width_active = q->width_active = 1;
    check_rate(&g, true, "1X EDR (25 Gb/s) instead of 4X EDR (100 Gb/s)");
    q->width_enabled = 1; // it was set to be slow
    check_rate(&g, true, "1X EDR (25 Gb/s)");
    q->width_enabled = 0; // it was never set
    check_rate(&g, true, "1X EDR (25 Gb/s) instead of 4X EDR (100 Gb/s)");
    p->width_supported = 1; // it cannot do better
    check_rate(&g, true, "1X EDR (25 Gb/s)");
    p->speed_active = q->speed_active = FABRIC_SDR;
    check_rate(&g, true, "1X SDR (2.5 Gb/s) instead of 1X EDR (25 Gb/s)");
    q->known = false;
    check_rate(&g, false, "");
    q->known = true;
    p->width_active = 0;
    check_rate(&g, false, "");
    generated_clear(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_key_is_read_as_it_is_written),
        cmocka_unit_test(what_an_alarm_says_of_its_place_is_read_as_it_is_written),
        cmocka_unit_test(what_no_alarm_says_of_a_place_is_not_read),
        cmocka_unit_test(the_ends_of_a_link_are_written_in_their_order),
        cmocka_unit_test(other_keys_are_not_read),
        cmocka_unit_test(a_link_is_compared_with_what_both_ends_can_and_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
