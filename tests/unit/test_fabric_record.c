// SPDX-License-Identifier: BSD-2-Clause
#include "generated.h"
#include "support.h"

#include "model/fabric_builder.h"
#include "model/fabric_record.h"

static struct error err;

static uint8_t *write_record(const struct fabric *fabric, size_t *size)
{
    uint8_t *record = fabric_record_write(fabric, size);
    assert_non_null(record);
    return record;
}

static void check_same(const struct fabric *a, const struct fabric *b)
{
    assert_int_equal(a->time_us, b->time_us);
    assert_int_equal(a->subnet_prefix, b->subnet_prefix);
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->port_count, b->port_count);
    assert_int_equal(a->port_guid_count, b->port_guid_count);
    for (uint32_t i = 0; i < a->node_count; i++) {
        const struct fabric_node *x = &a->nodes[i], *y = &b->nodes[i];
        assert_true(x->guid == y->guid && x->system_guid == y->system_guid && x->type == y->type);
        assert_true(x->port_count == y->port_count && x->vendor == y->vendor);
        assert_true(x->device == y->device && x->revision == y->revision);
        assert_true(x->silent == y->silent && x->first_port == y->first_port);
        assert_int_equal(x->ports, y->ports);
        assert_string_equal(x->description, y->description);
    }
    for (uint32_t i = 0; i < a->port_count; i++) {
        const struct fabric_port *x = &a->ports[i], *y = &b->ports[i];
        assert_true(x->number == y->number && x->known == y->known && x->silent == y->silent);
        assert_true(x->guid == y->guid && x->lid == y->lid && x->lmc == y->lmc);
        assert_true(x->state == y->state && x->physical == y->physical);
        assert_true(x->width_active == y->width_active && x->width_enabled == y->width_enabled);
        assert_true(x->width_supported == y->width_supported);
        assert_true(x->speed_active == y->speed_active && x->speed_enabled == y->speed_enabled);
        assert_true(x->speed_supported == y->speed_supported);
        assert_true(x->capabilities == y->capabilities && x->peer_node == y->peer_node);
        assert_int_equal(x->peer_port, y->peer_port);
    }
    assert_int_equal(a->sm_count, b->sm_count);
    for (uint32_t i = 0; i < a->sm_count; i++) {
        const struct fabric_sm *x = &a->sms[i], *y = &b->sms[i];
        assert_true(x->guid == y->guid && x->node == y->node && x->port == y->port);
        assert_true(x->lid == y->lid && x->priority == y->priority && x->state == y->state);
    }
    assert_int_equal(a->controller_count, b->controller_count);
    for (uint32_t i = 0; i < a->controller_count; i++) {
        const struct fabric_controller *x = &a->controllers[i], *y = &b->controllers[i];
        assert_true(x->guid == y->guid && x->node == y->node && x->slot == y->slot);
        assert_string_equal(x->name, y->name);
    }
    assert_int_equal(a->pkey_table_count, b->pkey_table_count);
    for (uint32_t i = 0; i < a->pkey_table_count; i++) {
        const struct fabric_pkey_table *x = &a->pkey_tables[i], *y = &b->pkey_tables[i];
        assert_true(x->node == y->node && x->port == y->port && x->count == y->count);
        assert_memory_equal(&a->pkeys[x->first], &b->pkeys[y->first], x->count * sizeof *a->pkeys);
    }
}

static void check_round_trip(const struct fabric *fabric)
{
    size_t size, size_again;
    uint8_t *record = write_record(fabric, &size);
    struct fabric *read = fabric_record_read(record, size, &err);
    assert_non_null(read);
    check_same(fabric, read);
    uint8_t *again = write_record(read, &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(record, again, size);
    fabric_unref(read);
    free(record);
    free(again);
}

// The fabric contains every value of every type.
static struct fabric *make_odd(void)
{
    struct fabric_builder *b = fabric_builder_new();
    const struct fabric_node nodes[] = {
        {.guid = 0, .system_guid = UINT64_MAX, .type = 200, .port_count = 255},
        {.guid = UINT64_MAX,
         .type = FABRIC_CA,
         .vendor = UINT32_MAX,
         .device = UINT16_MAX,
         .revision = UINT32_MAX,
         .silent = true,
         .description = "\xE2\x82\xAC \"x\""},
        {.guid = 5, .system_guid = 5, .type = FABRIC_SWITCH, .description = "s"},
    };
    for (size_t i = 0; i < COUNT(nodes); i++)
        assert_int_equal(fabric_builder_node(b, &nodes[i]), i);
    const struct fabric_port ports[] = {
        {.number = 0},
        {.number = 1,
         .known = true,
         .guid = 1,
         .lid = 0xFFFF,
         .lmc = 255,
         .capabilities = UINT32_MAX},
        {.number = 255,
         .silent = true,
         .guid = UINT64_MAX,
         .lmc = 3,
         .state = 255,
         .physical = 255,
         .width_active = 255,
         .width_enabled = 254,
         .width_supported = 253,
         .speed_active = 0xFFFF,
         .speed_enabled = 0xFFFE,
         .speed_supported = 0xFFFD},
    };
    for (uint32_t node = 0; node < 2; node++) {
        for (size_t i = 0; i < COUNT(ports); i++)
            assert_true(fabric_builder_port(b, node, &ports[i]));
    }
    assert_true(fabric_builder_link(b, 0, 1, 0, 255));
    assert_true(fabric_builder_link(b, 0, 0, 1, 255));
    assert_true(fabric_builder_sm(b, &(struct fabric_sm){.guid = UINT64_MAX,
                                                         .node = 1,
                                                         .port = 255,
                                                         .lid = 0xFFFF,
                                                         .priority = 255,
                                                         .state = 255}));
    assert_true(fabric_builder_sm(b, &(struct fabric_sm){.guid = 0}));
    assert_true(fabric_builder_controller(b, &(struct fabric_controller){7, 1, 255, "SRP"}));
    assert_true(fabric_builder_controller(b, &(struct fabric_controller){8, 1, 0, ""}));
    static const uint16_t PKEYS[] = {0xFFFF, 0x7FFF, 1, 0x8001};
    uint16_t many[FABRIC_PORT_PKEYS_MAX];
    for (uint16_t i = 0; i < FABRIC_PORT_PKEYS_MAX; i++)
        many[i] = (uint16_t)(0x9000 - i);
    assert_true(fabric_builder_pkeys(b, 1, 255, PKEYS, COUNT(PKEYS)));
    assert_true(fabric_builder_pkeys(b, 1, 1, many, COUNT(many)));
    assert_true(fabric_builder_pkeys(b, 0, 0, PKEYS, 0));
    return fabric_builder_finish(b, INT64_MIN, UINT64_MAX, false);
}

TEST(what_is_written_is_read)
{
    struct fabric *odd = make_odd();
    check_round_trip(odd);
    fabric_unref(odd);
    struct fabric *empty = fabric_builder_finish(fabric_builder_new(), 0, 0, true);
    check_round_trip(empty);
    fabric_unref(empty);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct generated_chance chance = {seed};
        struct generated g = {0};
        generated_random(&g, &chance);
        struct fabric *fabric = generated_look(&g, 0);
        check_round_trip(fabric);
        fabric_unref(fabric);
        generated_clear(&g);
    }
}

TEST(a_fat_tree_is_small)
{
    struct generated g = {0};
    generated_fat_tree(&g, 1000, 16);
    struct fabric *fabric = generated_look(&g, 0);
    check_round_trip(fabric);
    size_t size;
    free(write_record(fabric, &size));
    assert_true(size < 40 * fabric->node_count + 6 * fabric->port_count);
    fabric_unref(fabric);
    generated_clear(&g);
}

TEST(the_order_of_discovery_does_not_matter)
{
    struct generated g = {0};
    size_t size, size_b;
    generated_fat_tree(&g, 100, 4);
    struct fabric *a = generated_look(&g, 0), *b = generated_look(&g, 7);
    uint8_t *record = write_record(a, &size), *record_b = write_record(b, &size_b);
    assert_int_equal(size, size_b);
    assert_memory_equal(record, record_b, size);
    free(record);
    free(record_b);
    fabric_unref(a);
    fabric_unref(b);
    generated_clear(&g);
}

static uint64_t digest(const struct generated *g, int64_t time_us, bool complete)
{
    size_t size;
    struct fabric *fabric = generated_look(g, 0);
    fabric->time_us = time_us;
    fabric->complete = complete;
    uint8_t *record = write_record(fabric, &size);
    uint64_t result = fabric_record_digest(record, size);
    free(record);
    fabric_unref(fabric);
    return result;
}

TEST(the_digest_tells_fabrics_apart)
{
    struct generated g = {0};
    generated_fat_tree(&g, 16, 2);
    uint64_t first = digest(&g, 0, true);
    assert_true(digest(&g, 77, false) == first);
    generated_rename(&g, 3, "other");
    uint64_t renamed = digest(&g, 0, true);
    assert_true(renamed != first);
    generated_unlink(&g, 0, 1);
    assert_true(digest(&g, 0, true) != renamed);
    generated_clear(&g);
}

TEST(what_only_tables_show_is_not_kept)
{
    struct generated g = {0};
    generated_fat_tree(&g, 16, 2);
    uint64_t without = digest(&g, 0, true);
    struct fabric_port *port = generated_port(&g, 0, 1);
    port->gid_prefix = 5;
    fabric_set_port_info(port, PORT_INFO_MKEY_VIOLATIONS, 7);
    fabric_set_port_info(port, PORT_INFO_VL_CAP, 3);
    g.nodes[0].node.base_version = g.nodes[0].node.class_version = 1;
    assert_true(digest(&g, 0, true) == without);
    struct fabric *fabric = generated_look(&g, 0);
    size_t size;
    uint8_t *record = write_record(fabric, &size);
    struct fabric *back = fabric_record_read(record, size, &err);
    for (uint32_t i = 0; i < back->port_count; i++)
        assert_false(back->ports[i].detail.known);
    assert_int_equal(back->nodes[0].base_version, 0);
    free(record);
    fabric_unref(back);
    fabric_unref(fabric);
    generated_clear(&g);
}

TEST(a_cut_record_is_refused_everywhere)
{
    size_t size;
    struct fabric *odd = make_odd();
    uint8_t *record = write_record(odd, &size);
    for (size_t n = 0; n < size; n++) {
        uint8_t *exact = malloc(n + 1); // the octets after it are not part of the record
        assert_non_null(exact);
        memcpy(exact, record, n);
        err.text[0] = '\0';
        assert_null(fabric_record_read(exact, n, &err));
        assert_string_not_equal(err.text, "");
        free(exact);
    }
    fabric_unref(odd);
    free(record);
}

// With one octet changed to any value, reading gives an error or a valid fabric.
TEST(a_damaged_record_does_no_harm)
{
    struct generated g = {0};
    struct generated_chance chance = {3};
    generated_random(&g, &chance);
    struct fabric *fabric = generated_look(&g, 0);
    size_t size;
    uint8_t *record = write_record(fabric, &size);
    for (size_t i = 0; i < size; i++) {
        uint8_t kept = record[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            record[i] = kept ^ (uint8_t)(1u << bit);
            struct fabric *read = fabric_record_read(record, size, &err);
            if (read)
                check_round_trip(read);
            fabric_unref(read);
        }
        record[i] = kept;
    }
    free(record);
    fabric_unref(fabric);
    generated_clear(&g);
}

#define HEAD                                                                                       \
    "\x01\x01"                                                                                     \
    "\0\0\0\0\0\0\0\1"                                                                             \
    "\0\0\0\0\0\0\0\2" // version, complete, time, prefix
// Step to the GUID, system GUID, type, port count, vendor, device, revision, silent, description
#define NODE(step)  step "\0\2\1\0\0\0\0\0"
#define NO_SERVICES "\0\0"

static void check_refused(const char *octets, size_t size, const char *why)
{
    char expected[200];
    snprintf(expected, sizeof expected, "cannot read the snapshot of the fabric: %s", why);
    assert_null(fabric_record_read((const uint8_t *)octets, size, &err));
    assert_string_equal(err.text, expected);
}

#define HEAD_PKEYS                                                                                 \
    "\x02\x01"                                                                                     \
    "\0\0\0\0\0\0\0\1"                                                                             \
    "\0\0\0\0\0\0\0\2"

#define REFUSED(octets, why) check_refused(octets, sizeof octets - 1, why)

// A node with the ports 1 and 2, and tables: node, port, count, P_Keys.
TEST(what_is_wrong_with_pkey_tables_is_said)
{
#define PORTS "\1" NODE("\5") "\2\x21\1\x25" NO_SERVICES
    REFUSED(HEAD_PKEYS PORTS, "it is cut short");
    REFUSED(HEAD_PKEYS PORTS "\0", "it has no P_Key tables");
    REFUSED(HEAD_PKEYS PORTS "\1\1\1\0", "a number is too large");
    REFUSED(HEAD_PKEYS PORTS "\1\0\3\0", "a P_Key table is of a port that is not there");
    REFUSED(HEAD_PKEYS PORTS "\2\0\2\0\0\1\0", "the P_Key tables are not in order");
    REFUSED(HEAD_PKEYS PORTS "\2\0\1\0\0\1\0", "the P_Key tables are not in order");
    REFUSED(HEAD_PKEYS PORTS "\1\0\1\1\x80\0", "the P_Keys are not in order");
    REFUSED(HEAD_PKEYS PORTS "\1\0\1\2\0\5\x80\5", "the P_Keys are not in order");
    REFUSED(HEAD_PKEYS PORTS "\1\0\1\2\x80\5\x80\5", "the P_Keys are not in order");
    REFUSED(HEAD_PKEYS PORTS "\1\0\1\x81\x08\x80\5", "a number is too large"); // 1025
    REFUSED(HEAD_PKEYS PORTS "\1\0\1\0\0", "something follows its end");
    REFUSED(HEAD PORTS "\1\0\1\0", "something follows its end");
#undef PORTS
}

TEST(each_rule_has_its_sentence)
{
    REFUSED("", "it is cut short");
    REFUSED("\x03\x01", "it is of an unknown version");
    REFUSED("\x01\x02", "a truth value is neither 0 nor 1");
    REFUSED(HEAD "\0\0\0\0", "something follows its end");
    REFUSED(HEAD "\xFF\xFF\x7F", "a number is too large");
    REFUSED(HEAD "\x10" NO_SERVICES, "it is cut short");
    REFUSED(HEAD "\2" NODE("\5") "\0" NODE("\0") "\0" NO_SERVICES, "the nodes are not in order");
    REFUSED(HEAD
            "\2" NODE("\5") "\0" NODE("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\1") "\0" NO_SERVICES,
            "a number is too large");
    REFUSED(HEAD "\1" NODE("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\2") "\0" NO_SERVICES,
            "a number is too large");
    REFUSED(HEAD "\1\5\0\2\1\0\0\0\0\1\x07\0" NO_SERVICES, "a name is not valid text");
    REFUSED(HEAD "\1" NODE("\5") "\2\x21\2\x21\2" NO_SERVICES,
            "the ports of a node are not in order");
    REFUSED(HEAD "\1" NODE("\5") "\2\x21\xFF\x25" NO_SERVICES,
            "the ports of a node are not in order");
    REFUSED(HEAD "\1" NODE("\5") "\1\xA1\1\1\1" NO_SERVICES, "a number is too large");
    REFUSED(HEAD "\1" NODE("\5") "\1\xA1\1\0\1" NO_SERVICES, "a port is linked to itself");
    REFUSED(HEAD "\1" NODE("\5") "\1\xA1\1\0\2" NO_SERVICES,
            "a link leads to a port that is not there");
    REFUSED(HEAD "\1" NODE("\5") "\3\x21\1\xA5\0\1\xA5\0\1" NO_SERVICES,
            "two links lead to one port");
    REFUSED(HEAD "\0\1"
                 "\0\0\0\0\0\0\0\7"
                 "\0\1\1\1\1"
                 "\0",
            "something is at a node, and there are none");
    REFUSED(HEAD "\1" NODE("\5") "\0\2"
                                 "\0\0\0\0\0\0\0\7"
                                 "\0\1\1\1\1"
                                 "\0\0\0\0\0\0\0\7"
                                 "\0\1\1\1\1"
                                 "\0",
            "the subnet managers are not in order");
    REFUSED(HEAD "\1" NODE("\5") "\0\0\2"
                                 "\0\0\0\0\0\0\0\7"
                                 "\0\1\0"
                                 "\0\0\0\0\0\0\0\x8"
                                 "\0\1\0",
            "the I/O controllers are not in order");
}

// Each attribute of a port is kept even if all others equal those of the port before.
TEST(ports_that_differ_in_one_thing)
{
    struct fabric_port ports[9];
    struct fabric_builder *b = fabric_builder_new();
    const struct fabric_node node = {.guid = 5, .type = FABRIC_SWITCH, .port_count = COUNT(ports)};
    assert_int_equal(fabric_builder_node(b, &node), 0);
    for (uint8_t i = 0; i < COUNT(ports); i++)
        ports[i] = (struct fabric_port){.number = i, .known = true, .peer_node = FABRIC_NONE};
    ports[1].state = ports[2].physical = ports[3].width_active = ports[4].width_enabled = 1;
    ports[5].width_supported = 1;
    ports[6].speed_active = ports[7].speed_enabled = ports[8].speed_supported = 1;
    for (size_t i = 0; i < COUNT(ports); i++)
        assert_true(fabric_builder_port(b, 0, &ports[i]));
    struct fabric *fabric = fabric_builder_finish(b, 0, 0, true);
    check_round_trip(fabric);
    fabric_unref(fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_fat_tree_is_small),
        cmocka_unit_test(the_order_of_discovery_does_not_matter),
        cmocka_unit_test(the_digest_tells_fabrics_apart),
        cmocka_unit_test(what_only_tables_show_is_not_kept),
        cmocka_unit_test(a_cut_record_is_refused_everywhere),
        cmocka_unit_test(a_damaged_record_does_no_harm),
        cmocka_unit_test(what_is_wrong_with_pkey_tables_is_said),
        cmocka_unit_test(each_rule_has_its_sentence),
        cmocka_unit_test(ports_that_differ_in_one_thing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
