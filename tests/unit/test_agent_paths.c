// SPDX-License-Identifier: BSD-2-Clause
// Questions for PathRecords: the effect of a Set on the rows, and the life of the rows.
#include "support.h"

#include "agent/paths.h"
#include "base/wire.h"
#include "tables/tables.h"

enum { PREFIX = 0xFE, GO = 4, WAIT = 5, DESTROY = 6, SL = 16 };

static struct paths *paths;
static size_t failed;
static int64_t now;

static int setup(void **state)
{
    (void)state;
    paths = paths_new();
    assert_non_null(paths);
    now = CLOCK_US_PER_S;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    paths_free(paths);
    return 0;
}

static enum agentx_error stage(uint32_t session, uint32_t number, int64_t value, size_t varbind)
{
    struct agentx_oid index = {.length = 9, .ids = {[7] = PREFIX, [8] = session}};
    for (size_t i = 0; i < SM_PATH_REQUESTS.column_count; i++) {
        const struct table_column *column = &SM_PATH_REQUESTS.columns[i];
        struct agentx_value v = {.type = column->type, .number = value, .size = 8};
        wire_put(v.octets, 8, (uint64_t)value);
        if (column->number == number)
            return paths_stage(paths, column, &index, &v, varbind);
    }
    fail();
    return AGENTX_GEN_ERR;
}

// A Set of one RowStatus.
static enum agentx_error set_status(const char *context, uint32_t session, int64_t status)
{
    paths_begin(paths, context, PREFIX, now);
    enum agentx_error error = stage(session, PATHS_STATUS, status, 0);
    if (error == AGENTX_NO_ERROR)
        error = paths_check(paths, &failed);
    if (error == AGENTX_NO_ERROR)
        paths_commit(paths);
    return error;
}

TEST(a_row_that_nobody_sets_is_dropped)
{
    assert_int_equal(set_status("", 7, WAIT), AGENTX_NO_ERROR);
    assert_int_equal(set_status("", 8, WAIT), AGENTX_NO_ERROR);
    now += PATHS_KEEP_US - 1;
    paths_begin(paths, "", PREFIX, now);
    assert_int_equal(stage(8, SL, 3, 0), AGENTX_NO_ERROR);
    assert_int_equal(paths_check(paths, &failed), AGENTX_NO_ERROR);
    paths_commit(paths);
    paths_age(paths, now);
    assert_int_equal(paths_count(paths), 2);
    paths_age(paths, now + 1);
    assert_int_equal(paths_count(paths), 1);
    assert_int_equal(paths_at(paths, 0)->session, 8);
    paths_age(paths, now + PATHS_KEEP_US);
    assert_int_equal(paths_count(paths), 0);
}

TEST(one_context_does_not_take_the_rows_of_others)
{
    for (uint32_t i = 0; i < PATHS_OF_CONTEXT_MAX; i++)
        assert_int_equal(set_status("a", i, WAIT), AGENTX_NO_ERROR);
    assert_int_equal(set_status("a", 100, WAIT), AGENTX_RESOURCE_UNAVAILABLE);
    for (uint32_t i = PATHS_OF_CONTEXT_MAX; i < PATHS_MAX; i++)
        assert_int_equal(set_status("b", i, WAIT), AGENTX_NO_ERROR);
    assert_int_equal(set_status("b", 200, WAIT), AGENTX_RESOURCE_UNAVAILABLE);
    assert_int_equal(paths_count(paths), PATHS_MAX);
    assert_int_equal(set_status("b", 0, DESTROY), AGENTX_NO_ERROR);
    assert_int_equal(set_status("c", 200, WAIT), AGENTX_NO_ERROR);
}

TEST(rows_ascend_and_the_order_within_a_set_does_not_matter)
{
    static const uint32_t SESSIONS[] = {9, 3, INT32_MAX, 0};
    paths_begin(paths, "", PREFIX, now);
    for (size_t i = 0; i < COUNT(SESSIONS); i++)
        assert_int_equal(stage(SESSIONS[i], SL, 1, i), AGENTX_NO_ERROR);
    for (size_t i = 0; i < COUNT(SESSIONS); i++)
        assert_int_equal(stage(SESSIONS[i], PATHS_COMPONENT_MASK, 0x0C, 4), AGENTX_NO_ERROR);
    for (size_t i = 0; i < COUNT(SESSIONS); i++)
        assert_int_equal(stage(SESSIONS[i], PATHS_STATUS, GO, 8), AGENTX_NO_ERROR);
    assert_int_equal(paths_count(paths), 0); // before the commit
    assert_int_equal(paths_check(paths, &failed), AGENTX_NO_ERROR);
    paths_commit(paths);
    assert_int_equal(paths_count(paths), COUNT(SESSIONS));
    for (size_t i = 1; i < COUNT(SESSIONS); i++)
        assert_true(paths_at(paths, i - 1)->session < paths_at(paths, i)->session);
    assert_true(paths_at(paths, 0)->active);
}

TEST(the_varbind_that_is_wrong_is_named)
{
    paths_begin(paths, "", PREFIX, now);
    assert_int_equal(stage(1, PATHS_STATUS, WAIT, 0), AGENTX_NO_ERROR);
    assert_int_equal(stage(2, SL, 1, 1), AGENTX_NO_ERROR); // no RowStatus
    assert_int_equal(paths_check(paths, &failed), AGENTX_INCONSISTENT_NAME);
    assert_int_equal(failed, 1);
    assert_int_equal(paths_count(paths), 0);
}

TEST(undo_brings_back_what_was_before)
{
    assert_int_equal(set_status("", 7, WAIT), AGENTX_NO_ERROR);
    assert_int_equal(set_status("", 7, DESTROY), AGENTX_NO_ERROR);
    assert_int_equal(paths_count(paths), 0);
    paths_undo(paths);
    assert_int_equal(paths_count(paths), 1);
    assert_int_equal(paths_status(paths_at(paths, 0)), 3);
}

// What must hold after any Sets: rows ascend, stay within the limit, and a failed or undone Set
// changed none.
static void check_rows(void)
{
    assert_true(paths_count(paths) <= PATHS_MAX);
    for (size_t i = 0; i < paths_count(paths); i++) {
        const struct path_request *request = paths_at(paths, i);
        assert_true(i == 0 || paths_at(paths, i - 1)->session < request->session);
        assert_true(request->exists && !request->is_set && request->wanted == 0);
        assert_true(!request->active || paths_status(request) == 1);
        const bool to = request->mask & 0x14, from = request->mask & 0x28;
        assert_true(!request->active || (to && from));
    }
}

TEST(random_sets_keep_the_rows_in_order)
{
    enum { SETS = 20000, SESSIONS = 150, VARBINDS = 8 };
    static const uint32_t NUMBERS[] = {PATHS_STATUS, PATHS_STATUS, PATHS_COMPONENT_MASK, 6, 9, SL};
    static const int64_t MASKS[] = {0x0C, 0x30, 0x04, 1};
    static struct path_request before[PATHS_MAX];
    uint64_t seed = 1;
    for (unsigned set = 0; set < SETS; set++) {
        const size_t had = paths_count(paths);
        for (size_t i = 0; i < had; i++)
            before[i] = *paths_at(paths, i);
        now += CLOCK_US_PER_S / 32;
        paths_begin(paths, set % 3 ? "a" : "b", PREFIX, now);
        const bool aged = paths_count(paths) != had;
        enum agentx_error error = AGENTX_NO_ERROR;
        for (size_t i = 0; i < 1 + set % VARBINDS && error == AGENTX_NO_ERROR; i++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            const uint32_t dice = (uint32_t)(seed >> 33), number = NUMBERS[dice % COUNT(NUMBERS)];
            const int64_t value =
                number == PATHS_COMPONENT_MASK ? MASKS[dice / 64 % COUNT(MASKS)] : dice / 64 % 8;
            error = stage((set / 4 * 7 + dice / 4096 % 2) % SESSIONS, number, value, i);
        }
        if (error == AGENTX_NO_ERROR)
            error = paths_check(paths, &failed);
        if (error == AGENTX_NO_ERROR)
            paths_commit(paths);
        check_rows();
        if (error == AGENTX_NO_ERROR && set % 5 == 0)
            paths_undo(paths);
        else if (error == AGENTX_NO_ERROR)
            continue;
        assert_true(aged || (paths_count(paths) == had));
        for (size_t i = 0; i < had && !aged; i++)
            assert_memory_equal(paths_at(paths, i), &before[i], sizeof before[i]);
    }
}

static unsigned asked;

static enum demand_state ask(struct reads *reads, const struct demand_key *key,
                             struct demand_answer **answer, int64_t *ticket)
{
    (void)reads, (void)answer;
    asked++;
    *ticket = 1;
    assert_int_equal(key->mask, 0x0C);
    assert_int_equal(key->attribute, DEMAND_PATH_RECORD);
    return DEMAND_LATER;
}

TEST(a_question_is_asked_once_when_it_becomes_active)
{
    const struct snapshot_demand demand = {.ask = ask};
    asked = 0;
    assert_int_equal(set_status("", 7, WAIT), AGENTX_NO_ERROR);
    paths_ask(paths, &demand);
    assert_int_equal(asked, 0);
    paths_begin(paths, "", PREFIX, now);
    assert_int_equal(stage(7, PATHS_COMPONENT_MASK, 0x0C, 0), AGENTX_NO_ERROR);
    assert_int_equal(stage(7, PATHS_STATUS, 1, 1), AGENTX_NO_ERROR);
    assert_int_equal(paths_check(paths, &failed), AGENTX_NO_ERROR);
    paths_commit(paths);
    for (unsigned i = 0; i < 3; i++)
        paths_ask(paths, &demand);
    assert_int_equal(asked, 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_row_that_nobody_sets_is_dropped),
        T(one_context_does_not_take_the_rows_of_others),
        T(rows_ascend_and_the_order_within_a_set_does_not_matter),
        T(the_varbind_that_is_wrong_is_named),
        T(undo_brings_back_what_was_before),
        T(random_sets_keep_the_rows_in_order),
        T(a_question_is_asked_once_when_it_becomes_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
