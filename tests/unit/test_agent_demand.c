// SPDX-License-Identifier: BSD-2-Clause
// Tables whose values are read on demand: the answer to a request during the reading, the ends of
// indices, and the rows from the SA's records.
#include "support.h"

#include "agent/column.h"
#include "agent/sa_records.h"
#include "base/wire.h"
#include "generated.h"
#include "looks.h"
#include "tables/tables.h"
#include "topology/topology.h"

enum { ROWS = 40, AT = 8, AHEAD_MAX = 16 };

static struct snapshot_source source;
static struct agent_snapshot snapshot = {.source = &source};

// Reads 1 to ROWS; values of absent nodes come later, values without an attribute do not come at
// all.
static bool away[ROWS + 1], none[ROWS + 1];
static unsigned asked;

static enum demand_state ask(struct reads *reads, const struct demand_key *key,
                             struct demand_answer **answer, int64_t *ticket)
{
    (void)reads;
    asked++;
    *ticket = key->modifier;
    if (away[key->modifier])
        return DEMAND_LATER;
    if (none[key->modifier])
        return DEMAND_NONE;
    *answer = demand_answer_new(1, 1);
    assert_non_null(*answer);
    (*answer)->octets[0] = (uint8_t)key->modifier;
    return DEMAND_HERE;
}

static bool get(struct look *look, struct agentx_value *out)
{
    const struct demand_key key = {.modifier = (uint32_t)look->at + 1};
    const struct demand_answer *answer = look_ask(look, &key);
    return answer && put_number(out, demand_answer_at(answer, 0)[0]);
}

static size_t count(struct look *look)
{
    (void)look;
    return ROWS;
}

static void enter(struct look *look)
{
    agentx_oid_add(&look->found, (uint32_t)look->at + 1);
}

static const uint32_t ENTRY[] = {1, 3, 6, 1, 4, 1, 99999};
static const struct table_column COLUMNS[] = {
    {"one", 1, AGENTX_INTEGER, .get = get},
    {"two", 2, AGENTX_INTEGER, .get = get},
};
static const struct table A_TABLE = {"aTable", TABLE_OID(1, 3, 6, 1, 4, 1, 99999),
                                     TABLE_COLUMNS(COLUMNS), TABLE_SORTED(count, enter)};
static const struct table *const ALL[] = {&A_TABLE};
static const struct table_list LIST = {.tables = ALL, .count = 1};

static struct agentx_oid name, found, no_end;
static struct agentx_value value;

static bool next_after(uint32_t column, uint32_t row)
{
    memcpy(name.ids, ENTRY, sizeof ENTRY);
    name.length = COUNT(ENTRY);
    agentx_oid_add(&name, column);
    agentx_oid_add(&name, row);
    asked = 0;
    return looks_next(&LIST, &snapshot, &name, false, &no_end, &found, &value);
}

static int setup(void **state)
{
    (void)state;
    source.demand = (struct snapshot_demand){.ask = ask};
    memset(away, 0, sizeof away);
    memset(none, 0, sizeof none);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return 0;
}

TEST(a_value_that_is_being_read_comes_later)
{
    away[5] = true;
    assert_true(next_after(1, 4));
    assert_int_equal(value.type, AGENTX_LATER);
    assert_int_equal(value.number, 5);
    assert_int_equal(asked, 1 + AHEAD_MAX - 1); // and those behind it
    away[5] = false;
    assert_true(next_after(1, 4));
    assert_int_equal(value.type, AGENTX_INTEGER);
    assert_int_equal(value.number, 5);
    assert_int_equal(found.ids[AT], 5);
    assert_int_equal(asked, 1);
}

TEST(a_get_waits_as_well)
{
    away[5] = none[6] = true;
    next_after(1, 4);
    name.ids[AT] = 5;
    looks_get(&LIST, &snapshot, &name, &value);
    assert_int_equal(value.type, AGENTX_LATER);
    assert_int_equal(value.number, 5);
    name.ids[AT] = 6;
    looks_get(&LIST, &snapshot, &name, &value);
    assert_int_equal(value.type, AGENTX_NO_SUCH_INSTANCE);
    name.ids[AT] = 7;
    looks_get(&LIST, &snapshot, &name, &value);
    assert_int_equal(value.type, AGENTX_INTEGER);
}

TEST(what_is_not_there_is_passed_over_but_not_what_comes_later)
{
    memset(none, true, sizeof none);
    none[30] = false;
    away[20] = true;
    assert_true(next_after(1, 4));
    assert_int_equal(value.type, AGENTX_LATER);
    assert_int_equal(value.number, 20);
    away[20] = false;
    assert_true(next_after(1, 4));
    assert_int_equal(value.number, 30);
    none[30] = true;
    assert_false(next_after(1, 4));
    away[ROWS] = true; // of the first column: the second answer does not come first
    assert_true(next_after(1, 4));
    assert_int_equal(value.type, AGENTX_LATER);
    assert_int_equal(value.number, ROWS);
}

TEST(without_reads_there_is_nothing)
{
    source.demand.ask = NULL;
    assert_false(next_after(1, 4));
}

// Who cannot answer.

static unsigned can_asked;
static uint16_t only_lid; // the only one that can answer; 0: none

static bool can_ask(struct reads *reads, const struct demand_key *key)
{
    (void)reads;
    can_asked++;
    assert_int_equal(key->class, DEMAND_SMP);
    return key->lid == only_lid;
}

static enum demand_state ask_port(struct reads *reads, const struct demand_key *key,
                                  struct demand_answer **out, int64_t *ticket)
{
    (void)reads, (void)ticket;
    asked++;
    *out = key->lid == only_lid ? demand_answer_new(1, 64) : NULL;
    return *out ? DEMAND_HERE : DEMAND_NONE;
}

// The node GUID of the table's first row in that column; 0: there is none.
static uint64_t first_in(const struct table *table, uint32_t column, struct fabric *fabric)
{
    enum { NODE_GUID = 8 };
    uint64_t guid = 0;
    struct agent_snapshot of = {.source = &source, .fabric = fabric};
    memcpy(name.ids, table->entry, table->entry_length * sizeof *name.ids);
    name.length = (uint8_t)table->entry_length;
    agentx_oid_add(&name, column);
    asked = can_asked = 0;
    if (looks_next(&(struct table_list){.tables = &table, .count = 1}, &of, &name, false, &no_end,
                   &found, &value) &&
        found.ids[table->entry_length] == column) {
        for (size_t i = 0; i < sizeof guid; i++)
            guid = guid << 8 | found.ids[table->entry_length + 1 + NODE_GUID + i];
    }
    return guid;
}

static const struct fabric_node *last_of(const struct fabric *fabric, bool of_switches)
{
    uint32_t n = fabric->node_count - 1;
    while (n > 0 && (fabric->nodes[n].type == FABRIC_SWITCH) != of_switches)
        n--;
    return &fabric->nodes[n];
}

// A walk must not hold up all other walks while the port is down.
TEST(nobody_asks_row_by_row_for_what_cannot_be_read)
{
    static const struct {
        const struct table *table;
        uint32_t index, column; // the last, which is not read
    } CASES[] = {{&SM_SWITCH_LANES, 2, 20}, {&SM_PORT_LANES, 2, 19}, {&SM_ARBITRATION, 2, 6}};
    struct generated g = {0};
    generated_fat_tree(&g, 20, 4);
    for (uint32_t i = 0; i < g.count; i++) {
        for (unsigned p = 0; p <= g.nodes[i].node.port_count; p++) {
            struct fabric_port *port = &g.nodes[i].ports[p].port;
            port->known = true;
            port->state = FABRIC_ACTIVE;
            fabric_set_port_info(port, PORT_INFO_VL_ARBITRATION_LOW_CAP, 8);
        }
    }
    struct fabric *fabric = generated_look(&g, 0);
    source.demand = (struct snapshot_demand){.ask = ask_port, .can_ask = can_ask};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        only_lid = 0;
        assert_int_not_equal(first_in(CASES[i].table, CASES[i].index, fabric), 0);
        assert_int_equal(can_asked, 0);
        assert_int_equal(first_in(CASES[i].table, CASES[i].column, fabric), 0);
        assert_int_equal(asked, 0);
        assert_in_range(can_asked, 1, fabric->port_count);
        const bool of_switches = CASES[i].table != &SM_PORT_LANES;
        const struct fabric_node *last = last_of(fabric, of_switches);
        only_lid = fabric->ports[last->first_port].lid;
        assert_int_equal(first_in(CASES[i].table, CASES[i].column, fabric), last->guid);
    }
    fabric_unref(fabric);
    generated_clear(&g);
}

// The ends of indices, against all of them.

static bool is_there(struct look *look)
{
    (void)look;
    return true;
}

TEST(a_box_has_each_end_once_and_in_order)
{
    static const struct table_box BOX = {{1, 0, 2}, {3, 1, 4}, 3};
    uint32_t all[64][3];
    const struct table table = {.box = &BOX, .has = is_there};
    struct look look = {.table = &table, .after = true};
    size_t count = 0;
    for (uint32_t a = 1; a <= 3; a++) {
        for (uint32_t b = 0; b <= 1; b++) {
            for (uint32_t c = 2; c <= 4; c++, count++)
                memcpy(all[count], (uint32_t[]){a, b, c}, sizeof *all);
        }
    }
    size_t n = 0;
    uint32_t last[3];
    for (size_t length = 0; table_seek_box(&look, last, length); length = 3) {
        memcpy(last, look.tail, sizeof last);
        assert_memory_equal(last, all[n++], sizeof last);
    }
    assert_int_equal(n, count);
    for (uint32_t i = 0; i < 6 * 6 * 6 * 4; i++) {
        const uint32_t ids[4] = {i % 6, i / 6 % 6, i / 36 % 6, 0};
        const size_t length = i / 216 + 1;
        size_t first = 0;
        while (first < count && agentx_oid_compare(all[first], 3, ids, length) <= 0)
            first++;
        const bool more = table_seek_box(&look, ids, length);
        assert_int_equal(more, first < count);
        if (more)
            assert_memory_equal(look.tail, all[first], sizeof *all);
    }
}

// Records.

static struct demand_answer *members(size_t count)
{
    struct demand_answer *answer = demand_answer_new(count, 52);
    assert_non_null(answer);
    for (size_t i = 0; i < count; i++) {
        uint8_t *record = answer->octets + i * answer->size;
        record[0] = 0xFF;
        record[15] = i % 2;                  // of the group
        wire_put(record + 24, 8, count - i); // of the member, descending
        record[48] = 0x21;                   // scope, full member
        record[49] = i % 3 == 0 ? 0x80 : 0;  // by a proxy
    }
    return answer;
}

TEST(members_are_packed_into_pieces)
{
    enum { COUNT_OF_ALL = 60, OF_PIECE = 14 };
    struct demand_answer *answer = members(COUNT_OF_ALL);
    struct sa_records *r = sa_records_new(RECORDS_MEMBERS, NULL, answer);
    uint8_t piece[RECORDS_PIECE_MAX];
    assert_non_null(r);
    assert_int_equal(sa_records_count(r), 2 * 3); // 30 of each group
    for (size_t row = 0; row < 6; row++) {
        assert_int_equal(sa_records_index(r, row)[15], row / 3);
        assert_int_equal(sa_records_piece(r, row), row % 3);
        const size_t size = sa_records_copy(r, row, piece, sizeof piece);
        assert_int_equal(size, 18 * (row % 3 < 2 ? OF_PIECE : 30 - 2 * OF_PIECE));
        for (size_t i = 18; i < size; i += 18)
            assert_true(wire_get64(piece + i - 18 + 8) < wire_get64(piece + i + 8));
    }
    sa_records_free(r);
    r = sa_records_new(RECORDS_GROUPS, NULL, answer);
    assert_int_equal(sa_records_count(r), 2);
    assert_int_equal(sa_records_first(r, 0)[48], 0x20); // nothing of a member
    assert_int_equal(sa_records_first(r, 0)[49], 0);
    sa_records_free(r);
    demand_answer_unref(answer);
}

// A P_KeyTableRecord names the owner of its P_Keys by LID only. The SA's answer is kept, as by
// ib/reads.c.

static struct demand_answer *kept;
static struct demand_key kept_key;
static uint16_t member_lid; // of the only member

static enum demand_state ask_sa(struct reads *reads, const struct demand_key *key,
                                struct demand_answer **out, int64_t *ticket)
{
    enum { KEYS = 8, SIZE = 72, BLUE = 0x8123 };
    (void)reads, (void)ticket;
    if (!kept || memcmp(&kept_key, key, sizeof *key) != 0) {
        demand_answer_unref(kept);
        kept = demand_answer_new(1, SIZE);
        assert_non_null(kept);
        kept_key = *key;
        wire_put(kept->octets, 2, member_lid);
        wire_put(kept->octets + KEYS, 2, BLUE);
    }
    *out = demand_answer_ref(kept);
    return DEMAND_HERE;
}

// The node GUID of the partition's only member, by a snapshot of that fabric.
static uint64_t only_member(struct fabric *fabric)
{
    enum { VECTOR = 4 };
    static const struct table *const ONE[] = {&SM_PARTITIONS};
    struct agent_snapshot of = {.source = &source, .fabric = fabric};
    memcpy(name.ids, SM_PARTITIONS.entry, SM_PARTITIONS.entry_length * sizeof *name.ids);
    name.length = (uint8_t)SM_PARTITIONS.entry_length;
    agentx_oid_add(&name, VECTOR);
    assert_true(looks_next(&(struct table_list){.tables = ONE, .count = 1}, &of, &name, false,
                           &no_end, &found, &value));
    sa_records_free(of.records[RECORDS_PARTITIONS]);
    return wire_get64(value.octets);
}

// A sweep at that time. The caller releases the fabric.
static struct fabric *sweep_at(const struct generated *g, int64_t us)
{
    struct changes changes = {0};
    bool late;
    struct fabric *fabric = generated_look(g, 0);
    fabric->time_us = us;
    topology_update(source.topology, fabric, &changes, &late);
    changes_clear(&changes);
    return topology_current(source.topology);
}

TEST(a_kept_answer_names_nobody_who_has_the_lid_now)
{
    struct generated g = {0};
    generated_fat_tree(&g, 4, 2);
    uint32_t hosts[2] = {0}, count = 0;
    for (uint32_t i = 0; i < g.count && count < 2; i++) {
        if (g.nodes[i].node.type == FABRIC_CA)
            hosts[count++] = i;
    }
    const uint64_t guid = g.nodes[hosts[0]].node.guid;
    struct fabric_port *a = generated_port(&g, hosts[0], 1), *b = generated_port(&g, hosts[1], 1);
    source.demand = (struct snapshot_demand){.ask = ask_sa};
    source.topology = topology_new(NULL, &random_system, NULL);
    member_lid = a->lid;
    struct fabric *before = sweep_at(&g, 1);
    assert_int_equal(only_member(before), guid);
    // The other host gets the first host's LID, and the first host gets another LID, still a
    // member.
    member_lid = b->lid;
    b->lid = a->lid;
    a->lid = member_lid;
    struct fabric *after = sweep_at(&g, 2);
    assert_int_equal(only_member(after), guid);
    assert_int_equal(only_member(before), guid); // by a walk that began before
    fabric_unref(before);
    fabric_unref(after);
    topology_free(source.topology);
    source.topology = NULL;
    demand_answer_unref(kept);
    kept = NULL;
    generated_clear(&g);
}

static enum demand_state sa_state;

static enum demand_state ask_away(struct reads *reads, const struct demand_key *key,
                                  struct demand_answer **out, int64_t *ticket)
{
    (void)reads, (void)key, (void)out, (void)ticket;
    return sa_state;
}

// A manager with an empty table would believe: there are no groups.
TEST(a_table_of_an_sa_that_is_away_is_not_empty)
{
    static const struct table *const TWO[] = {&SM_GROUPS, &SM_LINKS};
    struct generated g = {0};
    generated_fat_tree(&g, 4, 2);
    struct fabric *fabric = generated_look(&g, 0);
    struct agent_snapshot of = {.source = &source, .fabric = fabric};
    source.demand = (struct snapshot_demand){.ask = ask_away};
    source.topology = topology_new(NULL, &random_system, NULL);
    struct fabric *current = sweep_at(&g, 1);
    memcpy(name.ids, SM_GROUPS.entry, SM_GROUPS.entry_length * sizeof *name.ids);
    name.length = (uint8_t)SM_GROUPS.entry_length;
    sa_state = DEMAND_AWAY;
    assert_true(looks_next(&(struct table_list){.tables = TWO, .count = 2}, &of, &name, false,
                           &no_end, &found, &value));
    assert_int_equal(value.type, AGENTX_NOT_NOW);
    // A walk of another table ends, and one of all tables goes on.
    name = (struct agentx_oid){.length = 0};
    memcpy(name.ids, SM_SWITCHES.entry, SM_SWITCHES.entry_length * sizeof *name.ids);
    name.length = (uint8_t)SM_SWITCHES.entry_length;
    agentx_oid_add(&name, 99);
    assert_true(looks_next(&(struct table_list){.tables = TWO, .count = 2}, &of, &name, false,
                           &no_end, &found, &value));
    assert_int_not_equal(value.type, AGENTX_NOT_NOW);
    assert_memory_equal(found.ids, SM_LINKS.entry, SM_LINKS.entry_length * sizeof *found.ids);
    looks_get(&(struct table_list){.tables = TWO, .count = 2}, &of, &name, &value);
    assert_int_not_equal(value.type, AGENTX_NOT_NOW);
    for (size_t above = 0; above <= 2; above++) { // where walks of it begin
        memcpy(name.ids, SM_GROUPS.entry, SM_GROUPS.entry_length * sizeof *name.ids);
        name.length = (uint8_t)(SM_GROUPS.entry_length - above);
        assert_true(looks_next(&(struct table_list){.tables = TWO, .count = 2}, &of, &name, false,
                               &no_end, &found, &value));
        assert_int_equal(value.type, AGENTX_NOT_NOW);
    }
    name.length = (uint8_t)SM_GROUPS.entry_length;
    sa_state = DEMAND_NONE; // the node has answered that there are none, or does not answer
    assert_true(looks_next(&(struct table_list){.tables = TWO, .count = 2}, &of, &name, false,
                           &no_end, &found, &value));
    assert_int_not_equal(value.type, AGENTX_NOT_NOW);
    fabric_unref(current);
    fabric_unref(fabric);
    topology_free(source.topology);
    source.topology = NULL;
    generated_clear(&g);
}

TEST(an_empty_answer_has_no_rows)
{
    struct demand_answer *answer = demand_answer_new(0, 52);
    for (enum sa_records_kind kind = 0; kind < RECORDS_KINDS; kind++) {
        struct sa_records *r = sa_records_new(kind, NULL, answer);
        assert_int_equal(sa_records_count(r), 0);
        sa_records_free(r);
    }
    demand_answer_unref(answer);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_value_that_is_being_read_comes_later),
        CASE(a_get_waits_as_well),
        CASE(what_is_not_there_is_passed_over_but_not_what_comes_later),
        CASE(without_reads_there_is_nothing),
        CASE(nobody_asks_row_by_row_for_what_cannot_be_read),
        CASE(a_box_has_each_end_once_and_in_order),
        CASE(members_are_packed_into_pieces),
        CASE(a_kept_answer_names_nobody_who_has_the_lid_now),
        CASE(a_table_of_an_sa_that_is_away_is_not_empty),
        CASE(an_empty_answer_has_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
