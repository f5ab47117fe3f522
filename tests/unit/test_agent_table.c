// SPDX-License-Identifier: BSD-2-Clause
// The table engine, compared with a simple engine that searches all instances.
#include "support.h"

#include "looks.h"

#include "agent/table.h"

enum { TABLES_MAX = 4, COLUMNS = 4, ROWS_MAX = 24, ROUNDS = 300, QUESTIONS = 200 };

// The rows of each table in the round: their indices, ascending.
struct rows {
    struct agentx_oid indices[ROWS_MAX];
    size_t count;
};

struct scene {
    struct agent_snapshot snapshot; // must be first: a table's functions get a pointer to it
    struct rows rows[TABLES_MAX];
    uint64_t chance;
    struct event *event; // every row holds a reference to it
};

static struct scene scene;

static uint32_t below(uint32_t limit)
{
    scene.chance = scene.chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(scene.chance >> 33) % limit;
}

static int64_t value_of(size_t table, uint32_t column, size_t row)
{
    return (int64_t)(table * 1000000 + column * 1000 + row);
}

static bool has_value(uint32_t column, size_t row)
{
    return (row * 7 + column) % 5 != 0;
}

static bool get(struct look *look, struct agentx_value *out)
{
    const uint32_t column = look->column->number;
    out->number = value_of(look->table->kind, column, look->at);
    return has_value(column, look->at);
}

static const struct table_column ALL_COLUMNS[COLUMNS] = {
    {.name = "one", .number = 1, .type = AGENTX_INTEGER, .get = get},
    {.name = "three",
     .number = 3,
     .type = AGENTX_COUNTER64,
     .get = get,
     .setting = SETTING_SAN_NAME},
    {.name = "never", .number = 4, .type = AGENTX_INTEGER},
    {.name = "nine", .number = 9, .type = AGENTX_GAUGE32, .get = get},
};

static const struct rows *rows_of(const struct look *look)
{
    return &((const struct scene *)look->snapshot)->rows[look->table->kind];
}

static size_t count_rows(struct look *look)
{
    return rows_of(look)->count;
}

static void enter(struct look *look)
{
    look->found = rows_of(look)->indices[look->at];
}

// Every row that is found holds a reference to the event.
static bool has(struct look *look)
{
    struct event *event = ((const struct scene *)look->snapshot)->event;
    look->event = event ? event_ref(event) : NULL;
    return true;
}

#define ROWS(n) TABLE_SORTED(count_rows, enter), .has = has, .kind = (n)

// A group in two halves with a table between its scalars, and a table whose OID extends another
// table's OID.
static const uint32_t GROUP[] = {1, 3, 5}, INNER[] = {1, 3, 5, 2, 1}, OUTER[] = {1, 3, 6, 1};
static const struct table TABLES[TABLES_MAX] = {
    {"first half", GROUP, 3, ALL_COLUMNS, 1, ROWS(0)},
    {"inner", INNER, 5, ALL_COLUMNS, COLUMNS, ROWS(1)},
    {"second half", GROUP, 3, ALL_COLUMNS + 1, COLUMNS - 1, ROWS(2)},
    {"outer", OUTER, 4, ALL_COLUMNS, COLUMNS, ROWS(3)},
};
static const struct table *const ORDER[] = {&TABLES[0], &TABLES[1], &TABLES[2], &TABLES[3]};
static const struct table_list LIST = {.tables = ORDER, .count = TABLES_MAX};

// The expected answers, from a search of all instances.
struct instance {
    struct agentx_oid oid;
    int64_t value;
    enum agentx_type type;
};

static struct instance instances[TABLES_MAX * COLUMNS * ROWS_MAX];
static size_t instance_count;

static int compare_oids(const struct agentx_oid *a, const struct agentx_oid *b)
{
    return agentx_oid_compare(a->ids, a->length, b->ids, b->length);
}

static void add_instance(size_t table, const struct table_column *column, size_t row)
{
    struct instance *i = &instances[instance_count];
    const struct agentx_oid *index = &scene.rows[table].indices[row];
    size_t above = TABLES[table].entry_length;
    if (above + 1 + index->length > AGENTX_OID_MAX || !column->get ||
        !has_value(column->number, row))
        return;
    memcpy(i->oid.ids, TABLES[table].entry, above * sizeof *i->oid.ids);
    i->oid.ids[above] = column->number;
    memcpy(i->oid.ids + above + 1, index->ids, index->length * sizeof *index->ids);
    i->oid.length = (uint8_t)(above + 1 + index->length);
    i->value = value_of(table, column->number, row);
    i->type = column->type;
    instance_count++;
}

static void list_instances(void)
{
    instance_count = 0;
    for (size_t t = 0; t < TABLES_MAX; t++) {
        for (size_t c = 0; c < TABLES[t].column_count; c++) {
            for (size_t r = 0; r < scene.rows[t].count; r++)
                add_instance(t, &TABLES[t].columns[c], r);
        }
    }
}

static const struct instance *first_after(const struct agentx_oid *name, bool include,
                                          const struct agentx_oid *end)
{
    const struct instance *best = NULL;
    for (size_t i = 0; i < instance_count; i++) {
        int order = compare_oids(&instances[i].oid, name);
        bool fits = (order > 0 || (order == 0 && include)) &&
                    (end->length == 0 || compare_oids(&instances[i].oid, end) < 0);
        if (fits && (!best || compare_oids(&instances[i].oid, &best->oid) < 0))
            best = &instances[i];
    }
    return best;
}

// Random rows and names of any length and content.

static uint32_t some_id(void)
{
    static const uint32_t EDGES[] = {0, 1, 2, 127, 128, 255, INT32_MAX, UINT32_MAX};
    return below(2) ? below(4) : EDGES[below(COUNT(EDGES))];
}

static void some_index(struct agentx_oid *out)
{
    static const uint8_t LENGTHS[] = {1, 1, 1, 2, 2, 3, 17, 121, 122, 123, 124, 127, 128};
    size_t length = LENGTHS[below(COUNT(LENGTHS))];
    out->length = 0;
    while (out->length < length)
        agentx_oid_add(out, some_id());
}

static void make_rows(struct rows *rows)
{
    size_t wanted = below(ROWS_MAX + 1);
    rows->count = 0;
    for (size_t i = 0; i < wanted; i++) {
        struct agentx_oid index;
        some_index(&index);
        size_t at = rows->count;
        while (at > 0 && compare_oids(&rows->indices[at - 1], &index) > 0)
            at--;
        if (at > 0 && compare_oids(&rows->indices[at - 1], &index) == 0)
            continue;
        memmove(&rows->indices[at + 1], &rows->indices[at],
                (rows->count - at) * sizeof *rows->indices);
        rows->indices[at] = index;
        rows->count++;
    }
}

static void cut_or_add(struct agentx_oid *oid)
{
    if (below(2))
        agentx_oid_add(oid, some_id());
    else
        oid->length = (uint8_t)below(oid->length + 1u);
}

static void some_name(struct agentx_oid *out)
{
    if (instance_count > 0 && below(4) > 0) {
        *out = instances[below((uint32_t)instance_count)].oid;
    } else {
        const struct table *table = &TABLES[below(TABLES_MAX)];
        out->length = (uint8_t)table->entry_length;
        memcpy(out->ids, table->entry, table->entry_length * sizeof *out->ids);
        agentx_oid_add(out, below(11));
        agentx_oid_add(out, some_id());
    }
    for (uint32_t n = below(3); n > 0; n--)
        cut_or_add(out);
    if (out->length > 0 && below(3) == 0)
        out->ids[below(out->length)] += below(2) ? 1u : UINT32_MAX;
}

static void begin_round(uint64_t seed)
{
    scene.chance = seed * 7919 + 1;
    for (size_t t = 0; t < TABLES_MAX; t++)
        make_rows(&scene.rows[t]);
    list_instances();
}

static void check_next(const struct agentx_oid *name, bool include, const struct agentx_oid *end)
{
    struct agentx_oid found;
    struct agentx_value value;
    const struct instance *expected = first_after(name, include, end);
    assert_int_equal(looks_next(&LIST, &scene.snapshot, name, include, end, &found, &value),
                     expected != NULL);
    if (!expected)
        return;
    assert_int_equal(compare_oids(&found, &expected->oid), 0);
    assert_int_equal(value.type, expected->type);
    assert_int_equal(value.number, expected->value);
}

static void check_get(const struct agentx_oid *name)
{
    struct agentx_value value;
    const struct instance *expected = first_after(name, true, &(struct agentx_oid){0});
    if (expected && compare_oids(&expected->oid, name) != 0)
        expected = NULL;
    looks_get(&LIST, &scene.snapshot, name, &value);
    if (!expected) {
        assert_true(value.type == AGENTX_NO_SUCH_OBJECT || value.type == AGENTX_NO_SUCH_INSTANCE);
    } else {
        assert_int_equal(value.type, expected->type);
        assert_int_equal(value.number, expected->value);
    }
}

TEST(every_question_is_answered_as_by_looking_at_all)
{
    struct agentx_oid name, end;
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        begin_round(seed);
        for (int i = 0; i < QUESTIONS; i++) {
            some_name(&name);
            some_name(&end);
            if (below(2))
                end.length = 0;
            check_next(&name, below(2) == 0, &end);
            check_get(&name);
        }
    }
}

TEST(a_walk_finds_everything_once_and_ends)
{
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        begin_round(seed);
        struct agentx_oid name = {.length = 0}, next;
        const struct agentx_oid end = {.length = 0};
        struct agentx_value value;
        size_t found = 0;
        while (looks_next(&LIST, &scene.snapshot, &name, false, &end, &next, &value)) {
            assert_true(compare_oids(&next, &name) > 0);
            name = next;
            found++;
        }
        assert_int_equal(found, instance_count);
    }
}

static void name_it(struct agentx_oid *out, const uint32_t *ids, size_t n)
{
    out->length = (uint8_t)n;
    memcpy(out->ids, ids, n * sizeof *ids);
}
#define NAME(out, ...)                                                                             \
    name_it(out, (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__})))

static enum agentx_type type_of(const struct agentx_oid *name)
{
    struct agentx_value value;
    looks_get(&LIST, &scene.snapshot, name, &value);
    return value.type;
}

// Only one row, with index 7, in the table "outer".
static void one_row(void)
{
    memset(scene.rows, 0, sizeof scene.rows);
    scene.rows[3].count = 1;
    NAME(&scene.rows[3].indices[0], 7);
}

TEST(a_get_tells_missing_objects_from_missing_instances)
{
    struct agentx_oid name;
    one_row();
    NAME(&name, 1, 3, 6, 1, 1, 7);
    assert_int_equal(type_of(&name), AGENTX_INTEGER);
    NAME(&name, 1, 3, 6, 1, 1, 8); // no such row
    assert_int_equal(type_of(&name), AGENTX_NO_SUCH_INSTANCE);
    NAME(&name, 1, 3, 6, 1, 1); // a column
    assert_int_equal(type_of(&name), AGENTX_NO_SUCH_INSTANCE);
    NAME(&name, 1, 3, 6, 1, 4, 7); // a column that no row has
    assert_int_equal(type_of(&name), AGENTX_NO_SUCH_INSTANCE);
    NAME(&name, 1, 3, 6, 1, 2, 7); // no such column
    assert_int_equal(type_of(&name), AGENTX_NO_SUCH_OBJECT);
    NAME(&name, 1, 3, 6, 1);
    assert_int_equal(type_of(&name), AGENTX_NO_SUCH_OBJECT);
    NAME(&name, 1, 3);
    assert_int_equal(type_of(&name), AGENTX_NO_SUCH_OBJECT);
    name.length = 0;
    assert_int_equal(type_of(&name), AGENTX_NO_SUCH_OBJECT);
}

static enum agentx_error writable(const struct agentx_oid *name)
{
    struct look look = look_at(&scene.snapshot);
    enum agentx_error error = table_find_writable(&LIST, &look, name);
    if (error == AGENTX_NO_ERROR)
        assert_int_equal(look.column->setting, SETTING_SAN_NAME);
    return error;
}

TEST(only_existing_rows_of_writable_columns_are_written)
{
    struct agentx_oid name;
    struct event *event = scene.event;
    one_row();
    NAME(&name, 1, 3, 6, 1, 1, 7);
    assert_int_equal(writable(&name), AGENTX_NOT_WRITABLE);
    NAME(&name, 1, 3, 6, 1, 2, 7); // no such column
    assert_int_equal(writable(&name), AGENTX_NOT_WRITABLE);
    NAME(&name, 1, 3, 6, 1, 3, 8); // no such row
    assert_int_equal(writable(&name), AGENTX_NO_CREATION);
    NAME(&name, 1, 3, 6, 1, 3);
    assert_int_equal(writable(&name), AGENTX_NO_CREATION);
    scene.event = NULL;
    NAME(&name, 1, 3, 6, 1, 3, 7);
    assert_int_equal(writable(&name), AGENTX_NO_ERROR);
    scene.event = event;
}

TEST(without_tables_there_is_nothing)
{
    const struct table_list none = {.tables = NULL, .count = 0};
    struct agentx_oid name = {.length = 0}, found;
    struct agentx_value value;
    assert_false(looks_next(&none, &scene.snapshot, &name, true, &name, &found, &value));
    looks_get(&none, &scene.snapshot, &name, &value);
    assert_int_equal(value.type, AGENTX_NO_SUCH_OBJECT);
}

TEST(a_scalar_is_the_row_zero)
{
    static const struct table SCALARS = {.columns = ALL_COLUMNS, .seek = table_seek_scalar};
    static const struct {
        uint32_t ids[2];
        size_t length;
        bool after, is_found;
    } CASES[] = {{{0}, 1, false, true}, {{0}, 0, true, true},   {{0}, 1, true, false},
                 {{1}, 1, true, false}, {{1}, 1, false, false}, {{0, 0}, 2, false, false},
                 {{0}, 0, false, false}};
    struct look look;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        assert_int_equal(looks_seek(&SCALARS, &scene.snapshot, FABRIC_NONE, CASES[i].ids,
                                    CASES[i].length, CASES[i].after, &look),
                         CASES[i].is_found);
        assert_int_equal(look.found.length, CASES[i].is_found);
    }
    looks_seek(&SCALARS, &scene.snapshot, FABRIC_NONE, CASES[0].ids, 1, false, &look);
    assert_int_equal(look.found.ids[0], 0);
}

static int make_event(void **state)
{
    (void)state;
    scene.event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    return scene.event ? 0 : -1;
}

static int check_event(void **state)
{
    (void)state;
    bool all_given_back = scene.event->references == 1;
    event_unref(scene.event);
    return all_given_back ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_is_answered_as_by_looking_at_all),
        cmocka_unit_test(a_walk_finds_everything_once_and_ends),
        cmocka_unit_test(a_get_tells_missing_objects_from_missing_instances),
        cmocka_unit_test(only_existing_rows_of_writable_columns_are_written),
        cmocka_unit_test(without_tables_there_is_nothing),
        cmocka_unit_test(a_scalar_is_the_row_zero),
    };
    return cmocka_run_group_tests(tests, make_event, check_event);
}
