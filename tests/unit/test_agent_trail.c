// Which view answers a walk.
#include "generated.h"
#include "support.h"

#include "agent/trail.h"
#include "model/catalogue.h"

struct fixture {
    struct support_time time;
    struct clock clock;
    struct generated g;
    struct topology *topology;
    struct journal *journal;
    struct settings *settings;
    struct log *log;
    struct view_source source;
    struct trail *trail;
};

static void fill_nothing(void *ctx, struct view_gateway *out)
{
    (void)ctx;
    (void)out;
}

static struct settings *give_settings(void *ctx)
{
    struct fixture *f = ctx;
    return f->settings ? settings_keep(f->settings) : NULL;
}

static struct sums *no_sums(void *ctx)
{
    (void)ctx;
    return NULL;
}

static void look(struct fixture *f)
{
    struct changes changes = {0};
    bool late;
    topology_update(f->topology, generated_look(&f->g, 0), &changes, &late);
    changes_clear(&changes);
}

static void pass(struct fixture *f, int64_t us)
{
    f->time.utc += us;
    f->time.monotonic += us;
}

static void be_told(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx;
    (void)change;
    (void)reason;
    (void)count;
}

static int begin(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct error err;
    f->time = (struct support_time){SUPPORT_UTC_US, 1000 * CLOCK_US_PER_S};
    f->clock = support_clock(&f->time);
    f->log = support_log(NULL);
    generated_fat_tree(&f->g, 8, 2);
    f->topology = topology_new(NULL);
    const struct journal_options options = {.directory = support_path("journal"),
                                            .rows_max = 1000,
                                            .bytes_max = 64 << 20,
                                            .age_us = CLOCK_US_PER_S * 86400,
                                            .tell = be_told,
                                            .clock = &f->clock,
                                            .log = f->log};
    f->journal = journal_open(&options, &err);
    f->source = (struct view_source){.topology = f->topology,
                                     .journal = f->journal,
                                     .gateway = fill_nothing,
                                     .settings = give_settings,
                                     .sums = no_sums,
                                     .ctx = f,
                                     .clock = &f->clock};
    f->trail = trail_new(&f->source, NULL);
    *state = f;
    return f->journal && f->trail ? 0 : -1;
}

static int end(void **state)
{
    struct fixture *f = *state;
    trail_free(f->trail);
    settings_release(f->settings);
    journal_close(f->journal);
    topology_free(f->topology);
    generated_clear(&f->g);
    log_close(f->log);
    free(f);
    return 0;
}

static struct agentx_oid name(uint32_t id)
{
    return (struct agentx_oid){.length = 3, .ids = {1, 3, id}};
}

static struct view *follow(struct fixture *f, uint32_t id)
{
    const struct agentx_oid oid = name(id);
    return trail_follow(f->trail, &oid);
}

static void answer(struct fixture *f, const struct view *view, uint32_t id)
{
    const struct agentx_oid oid = name(id);
    trail_remember(f->trail, view, &oid);
}

// Time goes on, and what is known with it: the next that begins gets a new view.
static struct view *begin_anew(struct fixture *f)
{
    pass(f, TRAIL_FRESH_US);
    return trail_begin(f->trail);
}

TEST(a_view_shows_the_switches_in_order)
{
    struct fixture *f = *state;
    assert_int_equal(trail_begin(f->trail)->switch_count, 0);
    look(f);
    const struct view *view = trail_begin(f->trail);
    assert_true(view->switch_count > 1);
    size_t switches = 0;
    for (uint32_t i = 0; i < view->fabric->node_count; i++) {
        if (view->fabric->nodes[i].type != FABRIC_CA)
            assert_int_equal(view->switches[switches++], i);
    }
    assert_int_equal(view->switch_count, switches);
}

TEST(what_did_not_change_is_not_looked_at_again_for_a_second)
{
    struct fixture *f = *state;
    look(f);
    const struct view *first = trail_begin(f->trail);
    pass(f, TRAIL_FRESH_US - 1);
    assert_ptr_equal(trail_begin(f->trail), first);
    pass(f, 1);
    assert_ptr_not_equal(trail_begin(f->trail), first);
}

TEST(another_fabric_shows_at_once)
{
    struct fixture *f = *state;
    const struct view *first = trail_begin(f->trail);
    assert_null(first->fabric);
    look(f);
    const struct view *second = trail_begin(f->trail);
    assert_ptr_not_equal(second, first);
    assert_non_null(second->fabric);
}

TEST(an_event_shows_at_once)
{
    struct fixture *f = *state;
    const struct view *first = trail_begin(f->trail);
    struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    journal_append(f->journal, event, &(struct journal_report){0});
    assert_ptr_equal(trail_begin(f->trail), first); // nobody was told before the commit
    journal_commit(f->journal);
    event_release(event);
    assert_int_equal(trail_begin(f->trail)->last_event, 1);
}

TEST(without_a_file_the_oldest_event_is_the_first_in_memory)
{
    struct fixture *f = *state;
    struct error err;
    const struct journal_options away = {
        .directory = "/dev/null/journal", .tell = be_told, .clock = &f->clock, .log = f->log};
    journal_close(f->journal);
    f->journal = journal_open(&away, &err);
    assert_non_null(f->journal);
    f->source.journal = f->journal;
    assert_int_equal(trail_begin(f->trail)->first_event, 0);
    struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    int64_t number = journal_append(f->journal, event, &(struct journal_report){0});
    event_release(event);
    journal_commit(f->journal);
    assert_int_equal(trail_begin(f->trail)->first_event, number);
}

TEST(single_instances_take_no_view_from_a_walk)
{
    struct fixture *f = *state;
    struct view *walked = begin_anew(f);
    answer(f, walked, 1);
    for (size_t i = 0; i < 2 * TRAIL_VIEWS; i++)
        begin_anew(f);
    assert_ptr_equal(follow(f, 1), walked);
}

TEST(what_was_set_shows_at_once)
{
    struct fixture *f = *state;
    const struct setting setting = {.kind = SETTING_SAN_NAME, .guid = 7, .size = 1, .value = {'x'}};
    const struct view *first = trail_begin(f->trail);
    f->settings = settings_with(NULL, &setting, 1);
    const struct view *second = trail_begin(f->trail);
    assert_ptr_not_equal(second, first);
    assert_non_null(settings_find(second->settings, SETTING_SAN_NAME, 7, 0));
}

TEST(a_walk_goes_on_in_the_view_that_it_began_in)
{
    struct fixture *f = *state;
    look(f);
    struct view *walked = follow(f, 0);
    for (uint32_t id = 1; id < 100; id++) {
        answer(f, walked, id);
        pass(f, TRAIL_FRESH_US);
        if (id == 50) {
            generated_remove(&f->g, f->g.count - 1);
            look(f);
        }
        assert_ptr_equal(follow(f, id), walked);
    }
    assert_ptr_not_equal(follow(f, 4711), walked); // another one begins
}

TEST(two_walks_of_the_same_names_stay_apart)
{
    struct fixture *f = *state;
    struct view *first = begin_anew(f);
    for (uint32_t id = 1; id < 100; id++)
        answer(f, first, id);
    struct view *second = begin_anew(f);
    assert_ptr_not_equal(first, second);
    for (uint32_t id = 1; id < 50; id++) {
        answer(f, second, id);
        answer(f, first, id + 100);
        assert_ptr_equal(follow(f, id), second);
        assert_ptr_equal(follow(f, id + 100), first);
    }
    assert_ptr_equal(follow(f, 99), first);
}

TEST(a_repeated_question_gets_the_same_view)
{
    struct fixture *f = *state;
    struct view *walked = begin_anew(f);
    answer(f, walked, 1);
    for (int i = 0; i < 5; i++) {
        pass(f, TRAIL_FRESH_US);
        assert_ptr_equal(follow(f, 1), walked);
    }
}

TEST(the_view_that_nobody_asked_for_the_longest_time_makes_room)
{
    struct fixture *f = *state;
    struct view *walked = begin_anew(f);
    answer(f, walked, 1);
    struct view *forgotten = begin_anew(f);
    answer(f, forgotten, 2);
    for (int i = 0; i < TRAIL_VIEWS - 1; i++) {
        assert_ptr_equal(follow(f, 1), walked);
        answer(f, begin_anew(f), 100 + (uint32_t)i);
    }
    assert_ptr_equal(follow(f, 1), walked);
    const struct view *newest = trail_begin(f->trail);
    assert_ptr_equal(follow(f, 2), newest); // it begins anew
}

// A place for names has room for more than one of the same digest's end, so that so many others may
// come between.
TEST(a_slow_walk_is_remembered_beside_fast_ones)
{
    struct fixture *f = *state;
    struct view *slow = begin_anew(f);
    answer(f, slow, 1);
    struct view *fast = begin_anew(f);
    for (uint32_t id = 0; id < TRAIL_NAMES / 8; id++)
        answer(f, fast, 1000 + id);
    assert_ptr_equal(follow(f, 1), slow);
    assert_ptr_equal(follow(f, 1000), fast);
}

TEST(views_that_nobody_asks_for_are_dropped)
{
    struct fixture *f = *state;
    assert_int_equal(trail_expire(f->trail), INT64_MAX);
    struct view *first = begin_anew(f);
    answer(f, first, 1);
    view_keep(first);
    assert_int_equal(trail_expire(f->trail), f->time.monotonic + TRAIL_KEEP_US);
    pass(f, TRAIL_KEEP_US - 1);
    trail_expire(f->trail);
    assert_int_equal(first->references, 2);
    pass(f, 1);
    assert_int_equal(trail_expire(f->trail), INT64_MAX);
    assert_int_equal(first->references, 1);
    assert_ptr_not_equal(follow(f, 1), first);
    view_release(first);
}

TEST(a_walk_that_is_overtaken_goes_on_in_its_own_view)
{
    struct fixture *f = *state;
    const struct view *slow = trail_begin(f->trail);
    answer(f, slow, 7);
    const struct view *fast = begin_anew(f);
    assert_ptr_not_equal(fast, slow);
    answer(f, fast, 7);
    assert_ptr_equal(follow(f, 7), fast);
    answer(f, fast, 8);
    assert_ptr_equal(follow(f, 7), slow);
    // Who asks once more, as an answer was lost, is taken for the last one.
    assert_ptr_equal(follow(f, 7), fast);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        T(a_walk_that_is_overtaken_goes_on_in_its_own_view),
        T(a_view_shows_the_switches_in_order),
        T(what_did_not_change_is_not_looked_at_again_for_a_second),
        T(another_fabric_shows_at_once),
        T(an_event_shows_at_once),
        T(without_a_file_the_oldest_event_is_the_first_in_memory),
        T(single_instances_take_no_view_from_a_walk),
        T(what_was_set_shows_at_once),
        T(a_walk_goes_on_in_the_view_that_it_began_in),
        T(two_walks_of_the_same_names_stay_apart),
        T(a_repeated_question_gets_the_same_view),
        T(the_view_that_nobody_asked_for_the_longest_time_makes_room),
        T(a_slow_walk_is_remembered_beside_fast_ones),
        T(views_that_nobody_asks_for_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
