// SPDX-License-Identifier: BSD-2-Clause
// The parts of an event that receivers share (model/event.h, sink/format.h). Each receiver gets the
// same octets as from an unshared event, and the octets are made once.
#include "support.h"

#include "event/test_event.h"
#include "model/event.h"
#include "sink/format.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8, ROUNDS = 20, RECEIVERS = 64, ORIGINS = 8, ROOMS = 4, TEXT_ROOM = 500 };

static const size_t ROOM[ROOMS] = {FORMAT_SIZE, FORMAT_SIZE_MIN, 3000, FORMAT_SIZE + 64};

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;
static struct format_origin origins[ORIGINS];
static atomic_uint fields_made;

void __wrap_format_fields(const struct event *event, format_take *take, void *ctx);
void __real_format_fields(const struct event *event, format_take *take, void *ctx);

void __wrap_format_fields(const struct event *event, format_take *take, void *ctx)
{
    atomic_fetch_add(&fields_made, 1);
    __real_format_fields(event, take, ctx);
}

// The first two origins differ in the parts made anew for each receiver; each other origin differs
// in one thing that decides the shared parts.
static void make_origins(void)
{
    for (int i = 0; i < ORIGINS; i++) {
        origins[i] = (struct format_origin){.facility = 3,
                                            .hostname = "host.example",
                                            .process_id = "42",
                                            .ip = "192.0.2.1",
                                            .engine_id = "80001f8804",
                                            .started_us = SUPPORT_UTC_US - 5 * CLOCK_US_PER_S,
                                            .sequence = 9};
        for (int s = 0; s < FORMAT_SEVERITIES; s++)
            origins[i].severity_map[s] = i == 2 ? SEVERITY_DEBUG : (enum severity)s;
    }
    origins[1].ip = "2001:db8::1:2:3:4:5:6";
    origins[1].sequence = INT32_MAX;
    origins[3].facility = 23;
    origins[4].hostname = "another-host.example";
    origins[5].engine_id = NULL;
    origins[6].started_us = 0;
    origins[7].process_id = "4294967296";
}

static int begin(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder = (struct event_builder){.clock = &clock_, .random = &chance};
    make_origins();
    return 0;
}

// Nothing is kept of events that are gone.
static int end(void **state)
{
    (void)state;
    return event_text_octets() == 0 ? 0 : -1;
}

static struct event *make(enum catalogue_event type)
{
    struct test_event test = {.type = type};
    test_event_make_up(&test);
    struct event *event = test_event_make(&builder, &test);
    assert_non_null(event);
    event->for_several = true;
    return event;
}

static void fill(char *out, size_t size, char c)
{
    memset(out, c, size - 1);
    out[size - 1] = '\0';
}

// As long as an event can be. Each format escapes another of the characters.
static struct event *make_long(char c)
{
    struct event *event = make(CATALOGUE_FLAPPING);
    struct endpoint *const nodes[] = {&event->issuer, &event->subject, &event->source,
                                      &event->destination, &event->peer};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        fill(nodes[i]->name, sizeof nodes[i]->name, c);
    memset(event->raw, 0xff, sizeof event->raw);
    event->raw_size = sizeof event->raw;
    fill(event->reason, sizeof event->reason, c);
    fill(event->dates, sizeof event->dates, c);
    fill(event->alarm_key, sizeof event->alarm_key, c);
    fill(event->text, sizeof event->text, c);
    return event;
}

static size_t message_of(enum format format, const struct format_origin *origin,
                         const struct event *event, char *out, size_t room)
{
    struct text t = text_in(out, room);
    format_message(&t, format, origin, event);
    return t.len;
}

// Whether a receiver gets the same octets from the event and from the copy. Any thread.
static bool is_equal(enum format format, const struct format_origin *origin,
                     const struct event *event, const struct event *copy, size_t room)
{
    char got[FORMAT_SIZE + 64], expected[FORMAT_SIZE + 64];
    struct text line = text_in(got, room), own = text_in(expected, room);
    const size_t size = message_of(format, origin, copy, expected, room);
    if (message_of(format, origin, event, got, room) != size || strcmp(got, expected) != 0)
        return false;
    line.len = own.len = 0;
    format_line(&line, format, origin, event);
    format_line(&own, format, origin, copy);
    return line.len == own.len && strcmp(got, expected) == 0;
}

static bool all_equal(const struct event *event, const struct event *copy)
{
    bool equal = true;
    for (int f = 0; f < FORMAT_COUNT; f++) {
        for (int o = 0; o < ORIGINS; o++) {
            for (int r = 0; r < ROOMS; r++)
                equal &= is_equal((enum format)f, &origins[o], event, copy, ROOM[r]);
        }
        if (f == FORMAT_RFC3164)
            equal &= is_equal((enum format)f, &origins[0], event, copy, FORMAT_SIZE_RFC3164);
    }
    return equal;
}

static void check_shared(struct event *event)
{
    struct event *copy = event_copy(event), *other = event_ref(event);
    assert_non_null(copy);
    assert_true(all_equal(event, copy));
    event_unref(other);
    event_unref(event);
    event_unref(copy);
}

TEST(every_event_is_the_same_for_those_who_share_it)
{
    for (int type = 0; type < CATALOGUE_COUNT; type++)
        check_shared(make((enum catalogue_event)type));
}

TEST(an_event_too_long_for_a_room_is_the_same_too)
{
    static const char EACH[] = "a\"\\=|]\x01";
    for (const char *c = EACH; *c; c++)
        check_shared(make_long(*c));
}

static void check_rooms(struct event *event)
{
    char out[FORMAT_SIZE];
    struct event *copy = event_copy(event);
    const size_t whole = message_of(FORMAT_RFC5424, &origins[0], copy, out, sizeof out);
    assert_in_range(whole, FORMAT_SIZE_MIN, sizeof out - 1);
    event_ref(event);
    for (size_t room = FORMAT_SIZE_MIN; room <= whole + 2; room++) {
        for (int f = 0; f < FORMAT_COUNT; f++)
            assert_true(is_equal((enum format)f, &origins[0], event, copy, room));
    }
    event_unref(event);
    event_unref(event);
    event_unref(copy);
}

// Rooms in which the message just fits, or the next element does not fit.
TEST(every_room_gets_what_fits_it)
{
    struct event *event = make(CATALOGUE_LINK_DOWN);
    memset(event->raw, 0xff, sizeof event->raw);
    event->raw_size = sizeof event->raw;
    fill(event->reason, sizeof event->reason, '"');
    fill(event->dates, sizeof event->dates, '"');
    fill(event->alarm_key, sizeof event->alarm_key, '"');
    fill(event->text, TEXT_ROOM, 'a');
    check_rooms(make_long('"'));
    check_rooms(event);
}

// The variants of different origins differ, so a receiver never gets another one's.
TEST(every_order_of_origins_gives_each_its_own)
{
    for (int first = 0; first < ORIGINS; first++) {
        struct event *event = make(CATALOGUE_LINK_DOWN), *copy = event_copy(event);
        event_ref(event);
        for (int f = 0; f < FORMAT_COUNT; f++) {
            for (int o = 0; o < ORIGINS; o++)
                assert_true(is_equal((enum format)f, &origins[(first + o) % ORIGINS], event, copy,
                                     FORMAT_SIZE));
        }
        event_unref(event);
        event_unref(event);
        event_unref(copy);
    }
}

TEST(of_many_receivers_of_a_format_one_makes_it)
{
    char out[FORMAT_SIZE];
    for (int f = 0; f < FORMAT_COUNT; f++) {
        struct event *event = event_ref(make(CATALOGUE_GID_IN_SERVICE));
        atomic_store(&fields_made, 0);
        for (int i = 0; i < RECEIVERS; i++) {
            struct format_origin origin = origins[i % 2];
            origin.sequence = (uint32_t)i + 1;
            assert_true(message_of((enum format)f, &origin, event, out, sizeof out) > 0);
        }
        assert_int_equal(atomic_load(&fields_made), 1);
        event_unref(event);
        event_unref(event);
    }
}

TEST(an_event_that_one_holds_keeps_nothing)
{
    char out[FORMAT_SIZE];
    struct event *event = make(CATALOGUE_GID_IN_SERVICE);
    for (int f = 0; f < FORMAT_COUNT; f++)
        message_of((enum format)f, &origins[0], event, out, sizeof out);
    assert_int_equal(event_text_octets(), 0);
    event_unref(event);
}

TEST(an_event_for_one_receiver_keeps_nothing)
{
    char out[FORMAT_SIZE];
    struct event *event = event_ref(make(CATALOGUE_GID_IN_SERVICE));
    event->for_several = false;
    for (int f = 0; f < FORMAT_COUNT; f++)
        message_of((enum format)f, &origins[0], event, out, sizeof out);
    assert_int_equal(event_text_octets(), 0);
    event_unref(event);
    event_unref(event);
}

// A receiver's own view is a copy, which must not say what the event says.
TEST(a_copy_shows_what_is_changed_in_it)
{
    char out[FORMAT_SIZE];
    for (int f = 0; f < FORMAT_COUNT; f++) {
        struct event *event = event_ref(make(CATALOGUE_GID_IN_SERVICE));
        message_of((enum format)f, &origins[0], event, out, sizeof out);
        struct event *copy = event_ref(event_copy(event));
        strcpy(copy->text, "Changed.");
        message_of((enum format)f, &origins[0], copy, out, sizeof out);
        assert_non_null(strstr(out, "Changed."));
        event_unref(copy);
        event_unref(copy);
        event_unref(event);
        event_unref(event);
    }
}

// Beyond what all events may keep, receivers make their own.
TEST(what_events_keep_is_bounded)
{
    enum { MANY = 2 * 6000, OCTETS = 2000 };
    static struct event *events[MANY];
    static const char octets[OCTETS];
    for (size_t i = 0; i < MANY; i++) {
        events[i] = event_ref(event_make(NULL));
        events[i]->for_several = true;
        event_text_keep(events[i], EVENT_TEXT_JSON, 0, octets, OCTETS);
        assert_true(event_text_octets() <= EVENT_TEXT_OCTETS_MAX);
    }
    assert_true(event_text_octets() > EVENT_TEXT_OCTETS_MAX - 2 * OCTETS);
    assert_null(event_text_find(events[MANY - 1], EVENT_TEXT_JSON, 0));
    check_shared(make(CATALOGUE_GID_IN_SERVICE));
    for (size_t i = 0; i < MANY; i++) {
        event_unref(events[i]);
        event_unref(events[i]);
    }
}

// Threads that begin together.

struct crowd {
    struct event *event, *copy;
    pthread_barrier_t begin;
    atomic_bool wrong;
};

static void *share(void *arg)
{
    struct crowd *crowd = arg;
    pthread_barrier_wait(&crowd->begin);
    for (int f = 0; f < FORMAT_COUNT; f++) {
        for (int o = 0; o < ORIGINS; o++) {
            if (!is_equal((enum format)f, &origins[o], crowd->event, crowd->copy, FORMAT_SIZE))
                atomic_store(&crowd->wrong, true);
        }
    }
    event_unref(crowd->event); // the last frees what is kept
    return NULL;
}

static void share_in_threads(struct event *event)
{
    pthread_t threads[THREADS];
    struct crowd crowd = {.event = event, .copy = event_copy(event)};
    pthread_barrier_init(&crowd.begin, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        event_ref(event);
        assert_int_equal(pthread_create(&threads[i], NULL, share, &crowd), 0);
    }
    event_unref(event);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&crowd.begin);
    event_unref(crowd.copy);
    assert_false(atomic_load(&crowd.wrong));
}

TEST(threads_that_begin_together_get_the_same)
{
    for (int i = 0; i < ROUNDS; i++)
        share_in_threads(i % 2 == 0 ? make((enum catalogue_event)i) : make_long('"'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_event_is_the_same_for_those_who_share_it, begin, end),
        cmocka_unit_test_setup_teardown(an_event_too_long_for_a_room_is_the_same_too, begin, end),
        cmocka_unit_test_setup_teardown(every_room_gets_what_fits_it, begin, end),
        cmocka_unit_test_setup_teardown(every_order_of_origins_gives_each_its_own, begin, end),
        cmocka_unit_test_setup_teardown(of_many_receivers_of_a_format_one_makes_it, begin, end),
        cmocka_unit_test_setup_teardown(an_event_that_one_holds_keeps_nothing, begin, end),
        cmocka_unit_test_setup_teardown(an_event_for_one_receiver_keeps_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_copy_shows_what_is_changed_in_it, begin, end),
        cmocka_unit_test_setup_teardown(what_events_keep_is_bounded, begin, end),
        cmocka_unit_test_setup_teardown(threads_that_begin_together_get_the_same, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
