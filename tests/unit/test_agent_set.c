// SPDX-License-Identifier: BSD-2-Clause
// The phases of a Set.
#include "generated.h"
#include "support.h"

#include "agent/set.h"

// Where settings go, and the requester.
struct fixture {
    struct generated g;
    struct agent_snapshot snapshot;
    struct set set;
    struct set_options options;
    struct log *log;
    bool refuses; // refuses every change
    unsigned calls;
    char who[64];
};

static bool change(void *ctx, const struct setting *changes, size_t n, const char *who,
                   struct error *err)
{
    struct fixture *f = ctx;
    f->calls++;
    snprintf(f->who, sizeof f->who, "%s", who);
    if (f->refuses)
        return error_set(err, "the disk is full");
    struct settings *next = settings_with(f->snapshot.settings, changes, n);
    settings_unref(f->snapshot.settings);
    f->snapshot.settings = next;
    return true;
}

static bool get_name(struct look *look, struct agentx_value *out)
{
    (void)look;
    (void)out;
    return true;
}

static size_t count_switches(struct look *look)
{
    return look->snapshot->switch_count;
}

static void enter_switch(struct look *look)
{
    look->node = look->snapshot->switches[look->at];
    agentx_oid_add(&look->found, (uint32_t)look->at + 1);
}

static const struct table_column COLUMNS[] = {
    {.name = "fixed", .number = 1, .type = AGENTX_OCTETS, .get = get_name},
    {.name = "san",
     .number = 2,
     .type = AGENTX_OCTETS,
     .get = get_name,
     .setting = SETTING_SAN_NAME},
    {.name = "fabric",
     .number = 3,
     .type = AGENTX_OCTETS,
     .get = get_name,
     .setting = SETTING_FABRIC_NAME},
};
static const struct table TABLE = {"switches", TABLE_OID(1, 3, 1), TABLE_COLUMNS(COLUMNS),
                                   TABLE_SORTED(count_switches, enter_switch)};
static const struct table *const ALL[] = {&TABLE};
static const struct table_list LIST = {.tables = ALL, .count = 1};

static int begin(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->log = support_log(NULL);
    generated_add(&f->g, FABRIC_SWITCH, 0xa1, "one", 4);
    generated_add(&f->g, FABRIC_SWITCH, 0xa2, "two", 4);
    f->snapshot.fabric = generated_look(&f->g, 0);
    f->snapshot.switches = calloc(2, sizeof *f->snapshot.switches);
    f->snapshot.switches[1] = 1;
    f->snapshot.switch_count = 2;
    f->options = (struct set_options){.tables = &LIST,
                                      .writable = true,
                                      .change = change,
                                      .ctx = f,
                                      .who = "a manager",
                                      .log = f->log};
    set_init(&f->set, &f->options);
    *state = f;
    return 0;
}

static int end(void **state)
{
    struct fixture *f = *state;
    settings_unref(f->snapshot.settings);
    fabric_unref(f->snapshot.fabric);
    free(f->snapshot.switches);
    generated_clear(&f->g);
    log_close(f->log);
    free(f);
    return 0;
}

static struct agentx_varbind varbind(uint32_t column, uint32_t row, const char *text)
{
    struct agentx_varbind v = {.name = {.length = 5, .ids = {1, 3, 1, column, row}},
                               .value = {.type = AGENTX_OCTETS}};
    agentx_value_set_octets(&v.value, text, strlen(text));
    return v;
}

static const char *value_of(const struct fixture *f, enum setting_kind kind, uint64_t guid)
{
    static char text[SETTING_VALUE_MAX + 1];
    const struct setting *s = settings_find(f->snapshot.settings, kind, guid, 0);
    if (!s)
        return "";
    memcpy(text, s->value, s->size);
    text[s->size] = '\0';
    return text;
}

static enum agentx_error test(struct fixture *f, const struct agentx_varbind *varbinds, size_t n,
                              size_t *failed)
{
    struct look look = look_at(&f->snapshot);
    return set_test(&f->set, &look, "", varbinds, n, failed);
}

static void check_refused(struct fixture *f, const struct agentx_varbind *varbinds, size_t n,
                          enum agentx_error expected, size_t at)
{
    size_t failed = 99;
    assert_int_equal(test(f, varbinds, n, &failed), expected);
    assert_int_equal(failed, at);
    assert_int_equal(set_commit(&f->set), AGENTX_NO_ERROR); // without any setting
    assert_int_equal(f->calls, 0);
}

static void test_both(struct fixture *f, const char *san, const char *fabric)
{
    size_t failed;
    const struct agentx_varbind both[] = {varbind(2, 1, san), varbind(3, 2, fabric)};
    assert_int_equal(test(f, both, 2, &failed), AGENTX_NO_ERROR);
}

TEST(nothing_is_set_before_the_commit_and_then_all_at_once)
{
    struct fixture *f = *state;
    test_both(f, "north", "blue");
    assert_int_equal(f->calls, 0);
    assert_int_equal(set_commit(&f->set), AGENTX_NO_ERROR);
    assert_int_equal(f->calls, 1);
    assert_string_equal(f->who, "a manager");
    assert_string_equal(value_of(f, SETTING_SAN_NAME, 0xa1), "north");
    assert_string_equal(value_of(f, SETTING_FABRIC_NAME, 0xa2), "blue");
    set_cleanup(&f->set);
    assert_int_equal(set_undo(&f->set), AGENTX_NO_ERROR); // the Set is over
    assert_int_equal(f->calls, 1);
}

TEST(a_test_that_is_cleaned_up_changes_nothing)
{
    struct fixture *f = *state;
    test_both(f, "north", "blue");
    set_cleanup(&f->set);
    assert_int_equal(set_commit(&f->set), AGENTX_NO_ERROR);
    assert_int_equal(f->calls, 0);
}

TEST(undo_brings_back_what_was_before)
{
    struct fixture *f = *state;
    const struct setting before = {
        .kind = SETTING_SAN_NAME, .guid = 0xa1, .size = 3, .value = {'o', 'l', 'd'}};
    f->snapshot.settings = settings_with(NULL, &before, 1);
    test_both(f, "north", "blue");
    assert_int_equal(set_commit(&f->set), AGENTX_NO_ERROR);
    assert_int_equal(set_undo(&f->set), AGENTX_NO_ERROR);
    assert_int_equal(f->calls, 2);
    assert_string_equal(value_of(f, SETTING_SAN_NAME, 0xa1), "old");
    assert_int_equal(settings_count(f->snapshot.settings), 1);
}

TEST(a_commit_that_failed_is_not_undone)
{
    struct fixture *f = *state;
    test_both(f, "north", "blue");
    f->refuses = true;
    assert_int_equal(set_commit(&f->set), AGENTX_COMMIT_FAILED);
    assert_int_equal(set_undo(&f->set), AGENTX_NO_ERROR);
    assert_int_equal(f->calls, 1);
}

TEST(an_undo_that_fails_says_so)
{
    struct fixture *f = *state;
    test_both(f, "north", "blue");
    assert_int_equal(set_commit(&f->set), AGENTX_NO_ERROR);
    f->refuses = true;
    assert_int_equal(set_undo(&f->set), AGENTX_UNDO_FAILED);
}

TEST(one_wrong_varbind_refuses_all)
{
    struct fixture *f = *state;
    struct agentx_varbind v[] = {varbind(2, 1, "north"), varbind(3, 2, "blue")};
    v[1].value.type = AGENTX_INTEGER;
    check_refused(f, v, 2, AGENTX_WRONG_TYPE, 1);
    v[1] = varbind(1, 1, "x");
    check_refused(f, v, 2, AGENTX_NOT_WRITABLE, 1);
    v[1] = varbind(3, 3, "x");
    check_refused(f, v, 2, AGENTX_NO_CREATION, 1);
    v[0] = varbind(4, 1, "x");
    check_refused(f, v, 2, AGENTX_NOT_WRITABLE, 0);
}

TEST(a_value_that_is_too_long_is_refused)
{
    struct fixture *f = *state;
    char text[SETTING_VALUE_MAX + 2];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const struct agentx_varbind v = varbind(2, 1, text);
    check_refused(f, &v, 1, AGENTX_WRONG_LENGTH, 0);
}

TEST(too_many_varbinds_are_refused)
{
    struct fixture *f = *state;
    struct agentx_varbind *v = calloc(AGENTX_SET_MAX + 1, sizeof *v);
    for (size_t i = 0; i <= AGENTX_SET_MAX; i++)
        v[i] = varbind(2, 1, "north");
    check_refused(f, v, AGENTX_SET_MAX + 1, AGENTX_RESOURCE_UNAVAILABLE, 0);
    size_t failed;
    assert_int_equal(test(f, v, AGENTX_SET_MAX, &failed), AGENTX_NO_ERROR);
    free(v);
}

TEST(nothing_is_writable_where_the_configuration_does_not_say_so)
{
    struct fixture *f = *state;
    f->options.writable = false;
    set_init(&f->set, &f->options);
    const struct agentx_varbind v = varbind(2, 1, "north");
    check_refused(f, &v, 1, AGENTX_NOT_WRITABLE, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        T(nothing_is_set_before_the_commit_and_then_all_at_once),
        T(a_test_that_is_cleaned_up_changes_nothing),
        T(undo_brings_back_what_was_before),
        T(a_commit_that_failed_is_not_undone),
        T(an_undo_that_fails_says_so),
        T(one_wrong_varbind_refuses_all),
        T(a_value_that_is_too_long_is_refused),
        T(too_many_varbinds_are_refused),
        T(nothing_is_writable_where_the_configuration_does_not_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
