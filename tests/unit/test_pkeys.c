// SPDX-License-Identifier: BSD-2-Clause
// P_Key tables, from the ports to the event about a change.
#include "fake_port.h"
#include "generated.h"
#include "support.h"

#include "base/wire.h"
#include "model/fabric_builder.h"
#include "model/fabric_record.h"
#include "topology/changes.h"
#include "topology/merge.h"

enum { SMP_DATA = 64, SA_DATA = 56, BLOCK = 32, ENTRIES = 128, TABLES = 4 };
enum { LEAF_LID = 10, HOST_LID = 20, SECOND_LID = 24, MASTER_LID = 1, ENFORCED = 64 };
static const uint64_t LEAF = 0x100, HOST = 0x300, MKEY = UINT64_C(0x1122334455667788);

// What the ports show: of the leaf port 0 and 1, of the host 1 and 2.
static struct shown {
    uint16_t lid;
    uint8_t port; // as the subnet manager's record has it
    uint16_t entries[ENTRIES];
    bool deaf;
    unsigned deaf_block; // 0: none
    uint16_t status;
} shown[TABLES];
enum { LEAF_0, LEAF_1, HOST_1, HOST_2 };

static struct fake_port f;
static struct fabric *fabric, *known;
static uint16_t enforced; // SwitchInfo.PartitionEnforcementCap
static uint16_t cap;      // NodeInfo.PartitionCap
static enum fabric_state second_state;
static bool by_sa, sa_is_deaf, sa_swaps;
static unsigned sa_blocks; // that the subnet manager has of each table; 0: all
static int64_t limit_us;
static struct error err;

static struct shown *shown_by(uint16_t lid, uint32_t modifier)
{
    if (lid == LEAF_LID)
        return modifier >> 16 == 0 ? &shown[LEAF_0] : &shown[LEAF_1];
    assert_int_equal(modifier >> 16, 0);
    assert_in_range(lid, HOST_LID, SECOND_LID);
    return &shown[lid == HOST_LID ? HOST_1 : HOST_2];
}

static void write_block(const struct shown *table, unsigned block, uint8_t *out)
{
    for (size_t i = 0; i < BLOCK; i++)
        wire_put(out + 2 * i, 2, table->entries[(block * BLOCK + i) % ENTRIES]);
}

static bool answer_smp(const struct fake_request *asked, struct fake_answer *out)
{
    const uint8_t *request = asked->octets;
    const uint32_t modifier = wire_get32(request + 20), block = modifier & 0xFFFF;
    struct shown *table = shown_by(asked->to.lid, modifier);
    assert_int_equal(request[1], 0x01);
    assert_int_equal(request[3], 0x01);
    assert_int_equal(wire_get16(request + 16), 0x16);
    assert_true(wire_get64(request + 24) == MKEY);
    assert_in_range(block, 0,
                    (asked->to.lid == LEAF_LID && modifier >> 16 ? enforced : cap) / BLOCK);
    wire_put(out->octets + 4, 2, table->status);
    write_block(table, block, out->octets + SMP_DATA);
    return !table->deaf && (table->deaf_block == 0 || block != table->deaf_block);
}

// OpenSM's: a record for each block of each port, in the order of the ports.
static bool answer_sa(const struct fake_request *asked, struct fake_answer *out)
{
    enum { RECORD = 72 };
    uint8_t *at = out->octets + SA_DATA;
    assert_int_equal(asked->to.lid, MASTER_LID);
    assert_int_equal(asked->octets[3], 0x12);
    assert_int_equal(wire_get16(asked->octets + 16), 0x33);
    wire_put(out->octets + 44, 2, RECORD / 8);
    for (size_t i = 0; i < TABLES; i++) {
        const unsigned all = i == LEAF_1 ? enforced / BLOCK : cap / BLOCK;
        const unsigned blocks = sa_blocks ? sa_blocks : all;
        for (unsigned block = 0; block < blocks && !shown[i].deaf; block++) {
            if (block > 0 && block == shown[i].deaf_block)
                continue;
            memset(at, 0, RECORD);
            wire_put(at, 2, shown[i].lid);
            wire_put(at + 2, 2, sa_swaps ? block << 8 : block);
            at[4] = shown[i].port;
            write_block(&shown[i], block, at + 8);
            at += RECORD;
        }
    }
    out->size = (size_t)(at - out->octets);
    return !sa_is_deaf;
}

static bool answer(void *ctx, const struct fake_request *asked, struct fake_answer *out)
{
    (void)ctx;
    return asked->agent == MAD_AGENT_SA ? answer_sa(asked, out) : answer_smp(asked, out);
}

static int begin(void **state)
{
    (void)state;
    memset(shown, 0, sizeof shown);
    static const struct shown PLACES[TABLES] = {{.lid = LEAF_LID},
                                                {.lid = LEAF_LID, .port = 1},
                                                {.lid = HOST_LID, .port = 1},
                                                {.lid = SECOND_LID, .port = 2}};
    for (size_t i = 0; i < TABLES; i++) {
        shown[i] = PLACES[i];
        shown[i].entries[0] = 0xFFFF;
    }
    enforced = ENFORCED;
    cap = ENTRIES;
    second_state = FABRIC_ACTIVE;
    by_sa = sa_is_deaf = sa_swaps = false;
    limit_us = 0;
    sa_blocks = 0;
    fake_port_init(&f, answer, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(fabric);
    fabric_unref(known);
    fabric = known = NULL;
    return 0;
}

static struct fabric_builder *build(void)
{
    struct fabric_builder *b = fabric_builder_new();
    struct fabric_node leaf = {.guid = LEAF,
                               .type = FABRIC_SWITCH,
                               .port_count = 2,
                               .partition_cap = cap,
                               .description = "leaf1"};
    leaf.switch_info.known = true;
    attribute_set(leaf.switch_info.octets, 0, SWITCH_INFO_PARTITION_ENFORCEMENT_CAP, enforced);
    const struct fabric_node host = {.guid = HOST,
                                     .type = FABRIC_CA,
                                     .port_count = 2,
                                     .partition_cap = cap,
                                     .description = "host"};
    const uint32_t l = fabric_builder_node(b, &leaf), h = fabric_builder_node(b, &host);
    const struct fabric_port leaf_ports[] = {
        {.number = 0, .known = true, .guid = LEAF, .lid = LEAF_LID, .state = FABRIC_ACTIVE},
        {.number = 1, .known = true, .state = FABRIC_ACTIVE},
        {.number = 2, .known = true, .state = FABRIC_DOWN},
    };
    const struct fabric_port host_ports[] = {
        {.number = 1, .known = true, .guid = HOST + 1, .lid = HOST_LID, .state = FABRIC_ACTIVE},
        {.number = 2,
         .known = true,
         .guid = HOST + 2,
         .lid = SECOND_LID,
         .state = (uint8_t)second_state},
    };
    for (size_t i = 0; i < COUNT(leaf_ports); i++)
        assert_true(fabric_builder_port(b, l, &leaf_ports[i]));
    for (size_t i = 0; i < COUNT(host_ports); i++)
        assert_true(fabric_builder_port(b, h, &host_ports[i]));
    assert_true(fabric_builder_link(b, l, 1, h, 1));
    return b;
}

// A sweep; what was seen before it becomes `known`.
static void look(void)
{
    struct fabric_builder *builder = build();
    struct sweep sweep = fake_port_sweep(&f);
    sweep.mkey = MKEY;
    sweep.limits.part_us = limit_us;
    fabric_unref(known);
    known = fabric;
    sweep.known = known;
    if (by_sa)
        sweep_sa_pkeys(&sweep, builder);
    else
        assert_true(sweep_pkeys(&sweep, builder, &err));
    assert_true(sweep.complete);
    fabric = fabric_builder_finish(builder, SUPPORT_UTC_US, 0xfe80000000000000, true);
}

static const struct fabric_pkey_table *table_in(const struct fabric *in, uint64_t guid,
                                                uint8_t port)
{
    for (uint32_t i = 0; i < in->pkey_table_count; i++) {
        const struct fabric_pkey_table *table = &in->pkey_tables[i];
        if (in->nodes[table->node].guid == guid && table->port == port)
            return table;
    }
    return NULL;
}

static void check_table_in(const struct fabric *in, uint64_t guid, uint8_t port,
                           const uint16_t *pkeys, size_t count)
{
    const struct fabric_pkey_table *table = table_in(in, guid, port);
    assert_non_null(table);
    assert_int_equal(table->count, count);
    assert_memory_equal(&in->pkeys[table->first], pkeys, count * sizeof *pkeys);
}
#define CHECK_TABLE(guid, port, ...)                                                               \
    check_table_in(fabric, guid, port, (const uint16_t[]){__VA_ARGS__},                            \
                   sizeof((const uint16_t[]){__VA_ARGS__}) / 2)

// The sentences, each behind a line feed.
static const char *changed(void)
{
    static char all[4096];
    struct text t = text_in(all, sizeof all);
    struct changes changes = {0};
    changes_between(known, fabric, NULL, &changes);
    for (uint32_t i = 0; i < changes.count; i++) {
        const struct change *c = &changes.all[i];
        assert_int_equal(c->type, CATALOGUE_PKEYS_CHANGED);
        assert_string_equal(c->alarm_key, "");
        text_addf(&t, "\n%s %u: %s", c->subject.name, c->subject.port, c->reason);
    }
    changes_clear(&changes);
    return all;
}

TEST(each_port_is_asked_for_all_blocks)
{
    shown[HOST_1].entries[127] = 0x8005;
    shown[LEAF_1].entries[63] = 0x0006;
    look();
    assert_int_equal(fabric->pkey_table_count, TABLES);
    CHECK_TABLE(LEAF, 0, 0xFFFF);
    CHECK_TABLE(LEAF, 1, 0x0006, 0xFFFF);
    CHECK_TABLE(HOST, 1, 0x8005, 0xFFFF);
    CHECK_TABLE(HOST, 2, 0xFFFF);
    assert_int_equal(f.sent, 3 * ENTRIES / BLOCK + ENFORCED / BLOCK);
}

TEST(ports_that_are_down_and_tables_that_are_not_there_are_not_asked_for)
{
    second_state = FABRIC_INITIALIZE;
    enforced = 0;
    look();
    assert_int_equal(fabric->pkey_table_count, 2);
    assert_int_equal(f.sent, 2 * ENTRIES / BLOCK);
    cap = 0;
    look();
    assert_int_equal(f.sent, 2 * ENTRIES / BLOCK);
    assert_int_equal(fabric->pkey_table_count, 2); // as before
}

TEST(empty_and_repeated_entries_do_not_count)
{
    static const uint16_t ENTRIES_[] = {0xFFFF, 0, 0x8000, 0x0005, 0x8005, 0x0005, 0x7FFF};
    memcpy(shown[HOST_1].entries, ENTRIES_, sizeof ENTRIES_);
    look();
    CHECK_TABLE(HOST, 1, 0x8005, 0x0005, 0xFFFF, 0x7FFF);
    memset(shown[HOST_1].entries, 0, sizeof shown[HOST_1].entries);
    look();
    assert_int_equal(table_in(fabric, HOST, 1)->count, 0);
}

TEST(a_liar_costs_a_bounded_number_of_packets)
{
    cap = enforced = 0xFFFF;
    look();
    assert_int_equal(f.sent, TABLES * FABRIC_PORT_PKEYS_MAX / BLOCK);
}

// What came, what went, and another membership.

TEST(what_came_and_went_is_told)
{
    shown[HOST_1].entries[1] = 0x8005;
    shown[HOST_1].entries[2] = 0x0006;
    shown[HOST_1].entries[3] = 0x8007;
    look();
    look();
    assert_string_equal(changed(), "");
    shown[HOST_1].entries[1] = 0x8004;
    shown[HOST_1].entries[2] = 0;
    shown[HOST_1].entries[3] = 0x0007;
    shown[LEAF_0].entries[9] = 0x0010;
    look();
    assert_string_equal(changed(),
                        "\nleaf1 0: 0x0010 (limited) came"
                        "\nhost 1: 0x8004 (full) came; 0x8005 (full) went; 0x0006 (limited) "
                        "went; 0x0007 (limited) instead of 0x8007");
}

TEST(another_place_in_the_table_is_no_change)
{
    shown[HOST_1].entries[1] = 0x8005;
    look();
    shown[HOST_1].entries[1] = 0;
    shown[HOST_1].entries[100] = 0x8005;
    look();
    assert_string_equal(changed(), "");
}

TEST(of_both_memberships_one_may_go)
{
    shown[HOST_1].entries[1] = 0x8005;
    look();
    shown[HOST_1].entries[2] = 0x0005;
    look();
    assert_string_equal(changed(), "\nhost 1: 0x0005 (limited) came");
    shown[HOST_1].entries[1] = 0;
    look();
    assert_string_equal(changed(), "\nhost 1: 0x8005 (full) went");
}

TEST(a_whole_table_that_changes_fits_into_the_sentence)
{
    for (uint16_t i = 0; i < ENTRIES; i++)
        shown[HOST_1].entries[i] = (uint16_t)(0x8001 + i);
    look();
    for (uint16_t i = 0; i < ENTRIES; i++)
        shown[HOST_1].entries[i] = (uint16_t)(0x0001 + i);
    look();
    assert_non_null(strstr(changed(), "0x0006 (limited) instead of 0x8006; and 122 more"));
    assert_true(strlen(changed()) < EVENT_REASON_SIZE);
}

// A table that was not read whole is no news.

static void check_deaf(bool is_deaf)
{
    shown[HOST_1].entries[100] = 0x8005;
    look();
    shown[HOST_1].entries[100] = 0;
    shown[HOST_1].deaf = is_deaf;
    shown[HOST_1].deaf_block = is_deaf ? 0 : 2;
    look();
    assert_string_equal(changed(), "");
    CHECK_TABLE(HOST, 1, 0x8005, 0xFFFF);
    shown[HOST_1].deaf = false;
    shown[HOST_1].deaf_block = 0;
    look();
    assert_string_equal(changed(), "\nhost 1: 0x8005 (full) went");
}

TEST(who_does_not_answer_keeps_its_table)
{
    check_deaf(true);
}

TEST(half_a_table_is_none)
{
    check_deaf(false);
}

TEST(half_a_table_of_the_sa_is_none)
{
    by_sa = true;
    check_deaf(false);
}

TEST(an_error_is_no_empty_table)
{
    look();
    shown[HOST_1].status = 0x1C;
    memset(shown[HOST_1].entries, 0, sizeof shown[HOST_1].entries);
    look();
    assert_string_equal(changed(), "");
}

TEST(at_the_time_limit_the_rest_stays)
{
    shown[HOST_1].entries[1] = 0x8005;
    look();
    shown[HOST_1].entries[1] = 0;
    shown[LEAF_0].deaf = shown[LEAF_1].deaf = shown[HOST_1].deaf = shown[HOST_2].deaf = true;
    limit_us = 1;
    look();
    assert_string_equal(changed(), "");
    assert_int_equal(fabric->pkey_table_count, TABLES);
}

TEST(a_port_that_was_down_is_compared_with_what_it_had)
{
    look();
    second_state = FABRIC_DOWN;
    look();
    second_state = FABRIC_ACTIVE;
    shown[HOST_2].entries[1] = 0x8005;
    look();
    assert_string_equal(changed(), "\nhost 2: 0x8005 (full) came");
}

// The subnet manager's records.

TEST(the_sa_tells_the_same)
{
    shown[HOST_1].entries[127] = shown[HOST_2].entries[3] = 0x8005;
    shown[LEAF_1].entries[63] = 0x0006;
    look();
    by_sa = true;
    const uint64_t sent = f.sent;
    look();
    assert_int_equal(f.sent, sent + 1);
    assert_string_equal(changed(), "");
    assert_int_equal(fabric->pkey_table_count, TABLES);
    CHECK_TABLE(LEAF, 1, 0x0006, 0xFFFF);
    CHECK_TABLE(HOST, 2, 0x8005, 0xFFFF);
    shown[HOST_1].port = 0; // of a record about an adapter, the LID says which port
    shown[HOST_1].entries[127] = 0;
    look();
    assert_string_equal(changed(), "\nhost 1: 0x8005 (full) went");
}

// OpenSM 3.3.23 writes the number of the block in the order of its host.
TEST(the_sa_may_swap_the_number_of_the_block)
{
    shown[HOST_1].entries[100] = 0x8005;
    by_sa = sa_swaps = true;
    look();
    assert_int_equal(fabric->pkey_table_count, TABLES);
    CHECK_TABLE(HOST, 1, 0x8005, 0xFFFF);
}

TEST(the_sa_may_have_fewer_blocks_than_the_port)
{
    look();
    by_sa = true;
    sa_blocks = 1; // of a subnet manager that was just started
    shown[HOST_1].entries[1] = 0x8005;
    look();
    assert_string_equal(changed(), "");
}

TEST(an_sa_that_does_not_answer_is_no_error)
{
    look();
    by_sa = sa_is_deaf = true;
    look();
    assert_string_equal(changed(), "");
    assert_int_equal(fabric->pkey_table_count, TABLES);
}

// Snapshots on disk, and merged ones.

TEST(a_change_in_a_pause_is_told_later)
{
    size_t size;
    shown[HOST_1].entries[1] = 0x8005;
    look();
    uint8_t *record = fabric_record_write(fabric, &size);
    const uint64_t digest = fabric_record_digest(record, size);
    struct fabric *restored = fabric_record_read(record, size, &err);
    assert_non_null(restored);
    free(record);
    shown[HOST_1].entries[1] = 0;
    fabric_unref(fabric);
    fabric = NULL;
    look();
    fabric_unref(known);
    known = restored;
    assert_string_equal(changed(), "\nhost 1: 0x8005 (full) went");
    record = fabric_record_write(fabric, &size);
    assert_true(fabric_record_digest(record, size) != digest);
    free(record);
}

TEST(nodes_that_a_sweep_missed_keep_their_tables)
{
    struct merge_memory memory = {0};
    shown[HOST_1].entries[1] = 0x8005;
    look();
    merge_note(&memory, fabric);
    struct fabric_builder *b =
        fabric_builder_new(); // an incomplete sweep, which found the leaf alone
    const struct fabric_node leaf = {.guid = LEAF, .type = FABRIC_SWITCH, .port_count = 2};
    const uint32_t number = fabric_builder_node(b, &leaf);
    fabric_builder_port(b, number,
                        &(struct fabric_port){.number = 0, .known = true, .lid = LEAF_LID});
    fabric_builder_port(
        b, number,
        &(struct fabric_port){.number = 1, .known = true, .state = FABRIC_ACTIVE, .silent = true});
    fabric_builder_pkeys(b, number, 0, (const uint16_t[]){0x8009}, 1);
    struct fabric *seen = fabric_builder_finish(b, SUPPORT_UTC_US, 0, false);
    struct fabric *merged = merge_fabrics(fabric, seen, &memory, NULL);
    assert_non_null(merged);
    check_table_in(merged, HOST, 1, (const uint16_t[]){0x8005, 0xFFFF}, 2);
    check_table_in(merged, LEAF, 0, (const uint16_t[]){0x8009}, 1);
    check_table_in(merged, LEAF, 1, (const uint16_t[]){0xFFFF}, 1);
    fabric_unref(seen);
    fabric_unref(merged);
    free(memory.missed);
}

// A model of its own, by membership of 2^16 P_Keys, decides what must be named.
TEST(random_tables_are_compared_as_sets)
{
    struct generated_chance chance = {20};
    for (int round = 0; round < 300; round++) {
        static bool before[1 << 16], after[1 << 16];
        memset(before, 0, sizeof before);
        memset(after, 0, sizeof after);
        end(NULL);
        memset(shown[HOST_1].entries, 0, sizeof shown[HOST_1].entries);
        for (int i = 0; i < 6; i++)
            before[shown[HOST_1].entries[i * 7] = (uint16_t)(generated_below(&chance, 8) |
                                                             generated_below(&chance, 2) << 15)] =
                true;
        look();
        for (int i = 0; i < 3; i++)
            shown[HOST_1].entries[generated_below(&chance, 6) * 7] =
                (uint16_t)(generated_below(&chance, 8) | generated_below(&chance, 2) << 15);
        for (int i = 0; i < ENTRIES; i++)
            after[shown[HOST_1].entries[i]] = true;
        look();
        char told[4096];
        snprintf(told, sizeof told, "%s", changed());
        for (unsigned p = 1; p < 8; p++) {
            const bool swapped = before[p] + before[p | 0x8000] == 1 &&
                                 after[p] + after[p | 0x8000] == 1 && before[p] != after[p];
            for (unsigned pkey = p; pkey <= (p | 0x8000); pkey += 0x8000) {
                char came[64], went[64], instead[64];
                const char *word = pkey & 0x8000 ? "full" : "limited";
                snprintf(came, sizeof came, "0x%04x (%s) came", pkey, word);
                snprintf(went, sizeof went, "0x%04x (%s) went", pkey, word);
                snprintf(instead, sizeof instead, "0x%04x (%s) instead of 0x%04x", pkey, word,
                         pkey ^ 0x8000);
                assert_int_equal(strstr(told, came) != NULL,
                                 after[pkey] && !before[pkey] && !swapped);
                assert_int_equal(strstr(told, went) != NULL,
                                 before[pkey] && !after[pkey] && !swapped);
                assert_int_equal(strstr(told, instead) != NULL, swapped && after[pkey]);
            }
        }
    }
}

#define PKEYS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PKEYS_TEST(each_port_is_asked_for_all_blocks),
        PKEYS_TEST(ports_that_are_down_and_tables_that_are_not_there_are_not_asked_for),
        PKEYS_TEST(empty_and_repeated_entries_do_not_count),
        PKEYS_TEST(a_liar_costs_a_bounded_number_of_packets),
        PKEYS_TEST(what_came_and_went_is_told),
        PKEYS_TEST(another_place_in_the_table_is_no_change),
        PKEYS_TEST(of_both_memberships_one_may_go),
        PKEYS_TEST(a_whole_table_that_changes_fits_into_the_sentence),
        PKEYS_TEST(who_does_not_answer_keeps_its_table),
        PKEYS_TEST(half_a_table_is_none),
        PKEYS_TEST(half_a_table_of_the_sa_is_none),
        PKEYS_TEST(an_error_is_no_empty_table),
        PKEYS_TEST(at_the_time_limit_the_rest_stays),
        PKEYS_TEST(a_port_that_was_down_is_compared_with_what_it_had),
        PKEYS_TEST(the_sa_tells_the_same),
        PKEYS_TEST(the_sa_may_swap_the_number_of_the_block),
        PKEYS_TEST(the_sa_may_have_fewer_blocks_than_the_port),
        PKEYS_TEST(an_sa_that_does_not_answer_is_no_error),
        PKEYS_TEST(a_change_in_a_pause_is_told_later),
        PKEYS_TEST(nodes_that_a_sweep_missed_keep_their_tables),
        PKEYS_TEST(random_tables_are_compared_as_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
