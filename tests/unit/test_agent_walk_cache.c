// SPDX-License-Identifier: BSD-2-Clause
// Which agent snapshot answers a walk.
#include "generated.h"
#include "support.h"

#include "looks.h"

#include "agent/table.h"
#include "agent/walk_cache.h"
#include "model/catalogue.h"
#include "tables/tables.h"

struct fixture {
    struct support_time time;
    struct clock clock;
    struct generated g;
    struct topology *topology;
    struct journal *journal;
    struct settings *settings;
    struct log *log;
    struct snapshot_source source;
    struct walk_cache *cache;
};

static void fill_nothing(void *ctx, struct snapshot_gateway *out)
{
    (void)ctx;
    (void)out;
}

static struct settings *give_settings(void *ctx)
{
    struct fixture *f = ctx;
    return f->settings ? settings_ref(f->settings) : NULL;
}

static struct accumulated_counters *no_sums(void *ctx)
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
    f->topology = topology_new(NULL, &random_system, NULL);
    const struct journal_options options = {.directory = support_path("journal"),
                                            .rows_max = 1000,
                                            .bytes_max = 64 << 20,
                                            .age_us = CLOCK_US_PER_S * 86400,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = be_told,
                                            .clock = &f->clock,
                                            .random = &random_system,
                                            .log = f->log};
    f->journal = journal_open(&options, &err);
    f->source = (struct snapshot_source){.topology = f->topology,
                                         .journal = f->journal,
                                         .gateway = fill_nothing,
                                         .settings = give_settings,
                                         .sums = no_sums,
                                         .ctx = f,
                                         .clock = &f->clock};
    f->cache = walk_cache_new(&f->source, NULL, &random_system);
    *state = f;
    return f->journal && f->cache ? 0 : -1;
}

static int end(void **state)
{
    struct fixture *f = *state;
    walk_cache_free(f->cache);
    settings_unref(f->settings);
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

static struct agent_snapshot *follow(struct fixture *f, uint32_t id)
{
    const struct agentx_oid oid = name(id);
    return walk_cache_follow(f->cache, &oid);
}

static void answer(struct fixture *f, const struct agent_snapshot *snapshot, uint32_t id)
{
    const struct agentx_oid oid = name(id);
    walk_cache_remember(f->cache, snapshot, &oid);
}

static void add_event(struct fixture *f)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    snprintf(event->id, sizeof event->id, "%lld", (long long)journal_last(f->journal));
    journal_append(f->journal, event, &(struct journal_report){0});
    journal_commit(f->journal);
    event_unref(event);
}

// Advances the time and the gateway's state: the next walk that begins gets a new agent snapshot.
static struct agent_snapshot *begin_anew(struct fixture *f)
{
    pass(f, WALK_CACHE_FRESH_US);
    return walk_cache_begin(f->cache);
}

TEST(a_view_shows_the_switches_in_order)
{
    struct fixture *f = *state;
    assert_int_equal(walk_cache_begin(f->cache)->switch_count, 0);
    look(f);
    const struct agent_snapshot *snapshot = walk_cache_begin(f->cache);
    assert_true(snapshot->switch_count > 1);
    size_t switches = 0;
    for (uint32_t i = 0; i < snapshot->fabric->node_count; i++) {
        if (snapshot->fabric->nodes[i].type != FABRIC_CA)
            assert_int_equal(snapshot->switches[switches++], i);
    }
    assert_int_equal(snapshot->switch_count, switches);
}

TEST(what_did_not_change_is_not_looked_at_again_for_a_second)
{
    struct fixture *f = *state;
    look(f);
    const struct agent_snapshot *first = walk_cache_begin(f->cache);
    pass(f, WALK_CACHE_FRESH_US - 1);
    assert_ptr_equal(walk_cache_begin(f->cache), first);
    pass(f, 1);
    assert_ptr_not_equal(walk_cache_begin(f->cache), first);
}

TEST(another_fabric_shows_at_once)
{
    struct fixture *f = *state;
    const struct agent_snapshot *first = walk_cache_begin(f->cache);
    assert_null(first->fabric);
    look(f);
    const struct agent_snapshot *second = walk_cache_begin(f->cache);
    assert_ptr_not_equal(second, first);
    assert_non_null(second->fabric);
}

TEST(an_event_shows_at_once)
{
    struct fixture *f = *state;
    const struct agent_snapshot *first = walk_cache_begin(f->cache);
    struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    journal_append(f->journal, event, &(struct journal_report){0});
    assert_ptr_equal(walk_cache_begin(f->cache), first); // no answer has left before the commit
    journal_commit(f->journal);
    event_unref(event);
    assert_int_equal(walk_cache_begin(f->cache)->last_event, 1);
}

TEST(without_a_file_the_oldest_event_is_the_first_in_memory)
{
    struct fixture *f = *state;
    struct error err;
    const struct journal_options away = {.directory = "/dev/null/journal",
                                         .notify = be_told,
                                         .clock = &f->clock,
                                         .random = &random_system,
                                         .log = f->log};
    journal_close(f->journal);
    f->journal = journal_open(&away, &err);
    assert_non_null(f->journal);
    f->source.journal = f->journal;
    assert_int_equal(walk_cache_begin(f->cache)->first_event, 0);
    struct event *event = event_make(catalogue_get(CATALOGUE_GATEWAY_STARTED));
    int64_t number = journal_append(f->journal, event, &(struct journal_report){0});
    event_unref(event);
    journal_commit(f->journal);
    assert_int_equal(walk_cache_begin(f->cache)->first_event, number);
}

TEST(single_instances_take_no_view_from_a_walk)
{
    struct fixture *f = *state;
    struct agent_snapshot *walked = begin_anew(f);
    answer(f, walked, 1);
    for (size_t i = 0; i < 2 * WALK_CACHE_SNAPSHOTS_MAX; i++)
        begin_anew(f);
    assert_ptr_equal(follow(f, 1), walked);
}

TEST(what_was_set_shows_at_once)
{
    struct fixture *f = *state;
    const struct setting setting = {.kind = SETTING_SAN_NAME, .guid = 7, .size = 1, .value = {'x'}};
    const struct agent_snapshot *first = walk_cache_begin(f->cache);
    f->settings = settings_with(NULL, &setting, 1);
    const struct agent_snapshot *second = walk_cache_begin(f->cache);
    assert_ptr_not_equal(second, first);
    assert_non_null(settings_find(second->settings, SETTING_SAN_NAME, 7, 0));
}

TEST(a_walk_goes_on_in_the_view_that_it_began_in)
{
    struct fixture *f = *state;
    look(f);
    struct agent_snapshot *walked = follow(f, 0);
    for (uint32_t id = 1; id < 100; id++) {
        answer(f, walked, id);
        pass(f, WALK_CACHE_FRESH_US);
        if (id == 50) {
            generated_remove(&f->g, f->g.count - 1);
            look(f);
        }
        assert_ptr_equal(follow(f, id), walked);
    }
    assert_ptr_not_equal(follow(f, 4711), walked); // another walk begins
}

TEST(two_walks_of_the_same_names_stay_apart)
{
    struct fixture *f = *state;
    struct agent_snapshot *first = begin_anew(f);
    for (uint32_t id = 1; id < 100; id++)
        answer(f, first, id);
    struct agent_snapshot *second = begin_anew(f);
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
    struct agent_snapshot *walked = begin_anew(f);
    answer(f, walked, 1);
    pass(f, WALK_CACHE_KEEP_US - 1); // a slow walk
    for (int64_t us = 0; us < WALK_CACHE_REPEAT_US; us += WALK_CACHE_REPEAT_US / 8) {
        assert_ptr_equal(follow(f, 1), walked);
        answer(f, walked, 2);
        pass(f, WALK_CACHE_REPEAT_US / 8);
    }
    assert_ptr_not_equal(follow(f, 1), walked);
    assert_ptr_equal(follow(f, 2), walked);
}

TEST(a_walk_that_paused_for_long_begins_anew)
{
    struct fixture *f = *state;
    struct agent_snapshot *walked = begin_anew(f);
    answer(f, walked, 1);
    for (int64_t us = 0; us < WALK_CACHE_KEEP_US; us += WALK_CACHE_FRESH_US) {
        answer(f, walked, 2); // another walk in the same agent snapshot
        follow(f, 2);
        pass(f, WALK_CACHE_FRESH_US);
    }
    assert_ptr_not_equal(follow(f, 1), walked);
}

// A slow master agent, and managers that walk at the same time.
TEST(a_long_walk_stays_in_its_view)
{
    enum { NAMES = 40000, OTHERS = 1000000 };
    struct fixture *f = *state;
    struct agent_snapshot *walked = begin_anew(f);
    answer(f, walked, 0);
    for (uint32_t id = 0; id < NAMES; id++) {
        pass(f, 10 * CLOCK_US_PER_MS);
        if (id % 100 == 0) {
            add_event(f);
            answer(f, walk_cache_begin(f->cache), OTHERS + id);
        }
        walk_cache_expire(f->cache);
        assert_ptr_equal(follow(f, id), walked);
        answer(f, walked, id + 1);
    }
}

TEST(the_last_names_are_remembered)
{
    struct fixture *f = *state;
    struct agent_snapshot *walked = begin_anew(f);
    for (uint32_t id = 0; id <= WALK_CACHE_NAMES; id++)
        answer(f, walked, id);
    answer(f, walked, 1); // again: 2 is the oldest now
    answer(f, walked, WALK_CACHE_NAMES + 1);
    pass(f, WALK_CACHE_FRESH_US);
    for (uint32_t id = 3; id <= WALK_CACHE_NAMES + 1; id++)
        assert_ptr_equal(follow(f, id), walked);
    assert_ptr_equal(follow(f, 1), walked);
    assert_ptr_not_equal(follow(f, 0), walked);
    assert_ptr_not_equal(follow(f, 2), walked);
}

// A manager that requests one name again and again, each time in another agent snapshot, does not
// evict a walk.
TEST(a_name_has_few_places)
{
    enum { ASKED = 4711, OTHER_WALK = 5 };
    struct fixture *f = *state;
    const struct setting setting = {.kind = SETTING_SAN_NAME, .guid = 7, .size = 1, .value = {'x'}};
    struct agent_snapshot *walked = begin_anew(f);
    answer(f, walked, 1);
    for (uint32_t n = 0; n < WALK_CACHE_NAMES + 10; n++) {
        answer(f, walked, OTHER_WALK);
        pass(f, WALK_CACHE_KEEP_US / WALK_CACHE_NAMES / 2);
        assert_ptr_equal(follow(f, OTHER_WALK), walked);
        settings_unref(f->settings);
        f->settings = settings_with(NULL, &setting, 1);
        answer(f, walk_cache_begin(f->cache), ASKED);
    }
    assert_ptr_equal(follow(f, 1), walked);
}

// The number of the next event after that number, as a manager reads the column; 0: the column
// ends.
static uint32_t next_event(struct fixture *f, uint32_t number)
{
    enum { EVENT_ID = 2 };
    const struct table *const tables[] = {&OWN_EVENT_LOG};
    const struct table_list list = {.tables = tables, .count = 1};
    const struct agentx_oid no_end = {.length = 0};
    struct agentx_oid asked = {.length = 0}, found;
    struct agentx_value value;
    for (size_t i = 0; i < OWN_EVENT_LOG.entry_length; i++)
        agentx_oid_add(&asked, OWN_EVENT_LOG.entry[i]);
    agentx_oid_add(&asked, EVENT_ID);
    agentx_oid_add(&asked, number);
    struct agent_snapshot *snapshot = walk_cache_follow(f->cache, &asked);
    if (!looks_next(&list, snapshot, &asked, false, &no_end, &found, &value))
        return 0;
    walk_cache_remember(f->cache, snapshot, &found);
    bool is_event = found.ids[found.length - 2] == EVENT_ID;
    return is_event ? found.ids[found.length - 1] : 0;
}

// Continues a walk after the last event read: to the end of the column, or to the newest event.
static void check_polls(struct fixture *f, int64_t every_us, bool to_the_end)
{
    uint32_t last = 0;
    for (int poll = 0; poll < 50; poll++) {
        uint32_t next;
        if (poll % 3 == 0)
            add_event(f);
        if (poll % 7 == 0)
            add_event(f);
        while ((to_the_end || last < journal_last(f->journal)) && (next = next_event(f, last)) != 0)
            last = next;
        assert_int_equal(last, journal_last(f->journal));
        pass(f, every_us);
        walk_cache_expire(f->cache);
    }
}

TEST(who_polls_the_log_sees_what_came)
{
    check_polls(*state, 5 * CLOCK_US_PER_S, true);
    check_polls(*state, 30 * CLOCK_US_PER_S, true);
    check_polls(*state, 30 * CLOCK_US_PER_S, false);
}

TEST(the_view_that_nobody_asked_for_the_longest_time_makes_room)
{
    struct fixture *f = *state;
    struct agent_snapshot *walked = begin_anew(f);
    answer(f, walked, 1);
    struct agent_snapshot *forgotten = begin_anew(f);
    answer(f, forgotten, 2);
    for (int i = 0; i < WALK_CACHE_SNAPSHOTS_MAX - 1; i++) {
        assert_ptr_equal(follow(f, 1), walked);
        answer(f, walked, 1);
        answer(f, begin_anew(f), 100 + (uint32_t)i);
    }
    assert_ptr_equal(follow(f, 1), walked);
    const struct agent_snapshot *newest = walk_cache_begin(f->cache);
    assert_ptr_equal(follow(f, 2), newest); // a new walk begins
}

// A bucket holds several names whose digests end alike: many other names may come between.
TEST(a_slow_walk_is_remembered_beside_fast_ones)
{
    struct fixture *f = *state;
    struct agent_snapshot *slow = begin_anew(f);
    answer(f, slow, 1);
    struct agent_snapshot *fast = begin_anew(f);
    for (uint32_t id = 0; id < WALK_CACHE_NAMES / 8; id++)
        answer(f, fast, 1000 + id);
    assert_ptr_equal(follow(f, 1), slow);
    assert_ptr_equal(follow(f, 1000), fast);
}

TEST(views_that_nobody_asks_for_are_dropped)
{
    struct fixture *f = *state;
    assert_int_equal(walk_cache_expire(f->cache), INT64_MAX);
    struct agent_snapshot *first = begin_anew(f);
    answer(f, first, 1);
    const uint64_t number = walk_cache_number(f->cache, first);
    assert_int_equal(walk_cache_expire(f->cache), f->time.monotonic + WALK_CACHE_KEEP_US);
    pass(f, WALK_CACHE_KEEP_US - 1);
    walk_cache_expire(f->cache);
    assert_int_equal(walk_cache_number(f->cache, first), number);
    pass(f, 1);
    assert_int_equal(walk_cache_expire(f->cache), INT64_MAX);
    assert_int_equal(walk_cache_number(f->cache, first), 0);
    assert_true(walk_cache_number(f->cache, follow(f, 1)) > number);
}

TEST(a_walk_that_is_overtaken_goes_on_in_its_own_view)
{
    struct fixture *f = *state;
    const struct agent_snapshot *slow = walk_cache_begin(f->cache);
    answer(f, slow, 7);
    const struct agent_snapshot *fast = begin_anew(f);
    assert_ptr_not_equal(fast, slow);
    answer(f, fast, 7);
    assert_ptr_equal(follow(f, 7), fast);
    answer(f, fast, 8);
    assert_ptr_equal(follow(f, 7), slow);
    // A repeated request, after a lost answer, belongs to the latest walk.
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
        T(a_walk_that_paused_for_long_begins_anew),
        T(a_long_walk_stays_in_its_view),
        T(the_last_names_are_remembered),
        T(a_name_has_few_places),
        T(who_polls_the_log_sees_what_came),
        T(the_view_that_nobody_asked_for_the_longest_time_makes_room),
        T(a_slow_walk_is_remembered_beside_fast_ones),
        T(views_that_nobody_asks_for_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
