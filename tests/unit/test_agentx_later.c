// SPDX-License-Identifier: BSD-2-Clause
// Requests whose values come later: they wait, and other requests pass them.
#include "fake_master.h"

#include "agentx/client.h"
#include "agentx/session.h"

static const uint32_t ROOT[] = {1, 3, 6, 1, 4, 1, 99999};
enum { AT = COUNT(ROOT), LAST = 9, WAITS_S = 3 };

static struct fake_master master;
static struct agentx_client *client;
static struct support_time now;
static struct clock virtual_clock;
static uint8_t chance;
static struct random virtual_random;
static struct error err;

// Instances ROOT.1 to ROOT.LAST. Those that are away come later.
static bool away[LAST + 1];
static unsigned asked; // for any of them

static bool is_ready(void *ctx, int64_t ticket)
{
    (void)ctx;
    return !away[ticket];
}

static void set_value(uint32_t last, struct agentx_value *value)
{
    asked++;
    value->type = away[last] ? AGENTX_LATER : AGENTX_INTEGER;
    value->number = last;
}

static void get(void *ctx, const char *context, const struct agentx_oid *name,
                struct agentx_value *value)
{
    (void)ctx, (void)context;
    set_value(name->ids[AT], value);
}

static bool get_next(void *ctx, const char *context, const struct agentx_oid *name, bool include,
                     const struct agentx_oid *end, struct agentx_oid *found,
                     struct agentx_value *value)
{
    (void)ctx, (void)context, (void)include, (void)end;
    const uint32_t next = name->length > AT ? name->ids[AT] + 1 : 1;
    if (next > LAST)
        return false;
    found->length = AT;
    memcpy(found->ids, ROOT, sizeof ROOT);
    agentx_oid_add(found, next);
    set_value(next, value);
    return true;
}

// The phases of a Set: the requests called, and the instance that each waits for; 0: none.
static char phases[64];
static uint32_t waits_for;

static enum agentx_error set_phase(const char *letter)
{
    assert_true(strlen(phases) + 1 < sizeof phases);
    strcat(phases, letter);
    return AGENTX_NO_ERROR;
}

static enum agentx_error test_set(void *ctx, const char *context,
                                  const struct agentx_varbind *varbinds, size_t n, size_t *failed)
{
    (void)ctx, (void)context, (void)varbinds, (void)n, (void)failed;
    return set_phase("t");
}

static enum agentx_error commit_set(void *ctx)
{
    (void)ctx;
    return set_phase("c");
}

static enum agentx_error undo_set(void *ctx)
{
    (void)ctx;
    return set_phase("u");
}

static void clean_up_set(void *ctx)
{
    (void)ctx;
    set_phase("x");
}

static int64_t pending_set(void *ctx)
{
    (void)ctx;
    return away[waits_for] ? waits_for : 0;
}

static void run(void)
{
    struct pollfd p;
    agentx_client_poll(client, &p);
    poll(&p, 1, 0);
    agentx_client_run(client, p.revents);
}

static void wait_s(int64_t s)
{
    now.monotonic += s * CLOCK_US_PER_S;
    run();
}

static int setup(void **state)
{
    (void)state;
    static const struct agentx_region REGION = {.ids = ROOT, .length = COUNT(ROOT)};
    struct fake_pdu p;
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * CLOCK_US_PER_S};
    virtual_clock = support_clock(&now);
    virtual_random = support_constant(&chance);
    memset(away, 0, sizeof away);
    asked = waits_for = 0;
    phases[0] = '\0';
    fake_master_begin(&master, "master");
    fake_master_listen(&master);
    const struct agentx_options options = {.master = master.path,
                                           .description = "a test",
                                           .regions = &REGION,
                                           .region_count = 1,
                                           .handler = {.get = get,
                                                       .get_next = get_next,
                                                       .is_ready = is_ready,
                                                       .test = test_set,
                                                       .commit = commit_set,
                                                       .undo = undo_set,
                                                       .cleanup = clean_up_set,
                                                       .pending = pending_set},
                                           .clock = &virtual_clock,
                                           .random = &virtual_random};
    client = agentx_client_new(&options, &err);
    assert_non_null(client);
    run();
    assert_true(fake_master_accept(&master));
    for (unsigned type = PDU_OPEN; type <= PDU_REGISTER; type += PDU_REGISTER - PDU_OPEN) {
        fake_master_expect(&master, (uint8_t)type, &p);
        fake_master_respond(&master, &p, AGENTX_NO_ERROR);
        run();
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    agentx_client_free(client);
    fake_master_end(&master);
    return 0;
}

static uint8_t room[1 << 14];

static struct pdu_writer request(uint8_t type, uint32_t packet)
{
    struct pdu_writer w = {.octets = room, .size = sizeof room};
    pdu_begin(&w, type, FAKE_MASTER_SESSION, 7, packet, "");
    return w;
}

static void add_range(struct pdu_writer *w, uint32_t last)
{
    uint32_t ids[COUNT(ROOT) + 1];
    memcpy(ids, ROOT, sizeof ROOT);
    ids[AT] = last;
    pdu_add_oid(w, ids, COUNT(ids), false);
    pdu_add_oid(w, NULL, 0, false);
}

// Gets one instance.
static void tell_get(uint32_t packet, uint32_t last)
{
    struct pdu_writer w = request(PDU_GET, packet);
    add_range(&w, last);
    fake_master_say(&master, &w);
    run();
}

static struct fake_pdu response;

// The error of the response that has come.
static unsigned expect(uint32_t packet)
{
    uint32_t uptime;
    uint16_t error = 0, at = 0;
    fake_master_expect(&master, PDU_RESPONSE, &response);
    assert_int_equal(response.header.packet, packet);
    assert_true(pdu_read32(&response.rest, &uptime) && pdu_read16(&response.rest, &error) &&
                pdu_read16(&response.rest, &at));
    return error;
}

static void assert_next(uint32_t last)
{
    struct agentx_varbind v;
    assert_true(pdu_read_varbind(&response.rest, &v));
    assert_int_equal(v.value.type, AGENTX_INTEGER);
    assert_int_equal(v.value.number, last);
}

static void assert_end(void)
{
    assert_ptr_equal(response.rest.at, response.rest.end);
}

static void assert_nothing(void)
{
    struct fake_pdu p;
    assert_false(fake_master_hear(&master, &p));
}

TEST(a_request_waits_and_others_pass_it)
{
    away[1] = true;
    tell_get(100, 1);
    assert_nothing();
    tell_get(101, 2);
    assert_int_equal(expect(101), AGENTX_NO_ERROR);
    assert_next(2);
    const unsigned before = asked;
    run();
    assert_int_equal(asked, before); // nobody asks again while nothing has come
    away[1] = false;
    run();
    assert_int_equal(expect(100), AGENTX_NO_ERROR);
    assert_next(1);
    assert_end();
    run();
    assert_nothing();
}

TEST(all_values_of_a_request_are_asked_for_at_once)
{
    away[1] = away[3] = true;
    struct pdu_writer w = request(PDU_GET, 100);
    for (uint32_t i = 1; i <= 4; i++)
        add_range(&w, i);
    fake_master_say(&master, &w);
    run();
    assert_int_equal(asked, 4);
    assert_nothing();
    away[1] = false;
    run();
    assert_nothing();
    away[3] = false;
    run();
    assert_int_equal(expect(100), AGENTX_NO_ERROR);
    for (uint32_t i = 1; i <= 4; i++)
        assert_next(i);
    assert_end();
}

TEST(a_request_that_waited_too_long_is_an_error)
{
    struct pollfd p;
    away[1] = true;
    tell_get(100, 1);
    assert_int_equal(agentx_client_poll(client, &p), now.monotonic + WAITS_S * CLOCK_US_PER_S);
    wait_s(WAITS_S - 1);
    assert_nothing();
    wait_s(1);
    assert_int_equal(expect(100), AGENTX_GEN_ERR);
    away[1] = false;
    wait_s(1);
    assert_nothing();
}

TEST(get_bulk_ends_before_what_comes_later)
{
    away[4] = true;
    struct pdu_writer w = request(PDU_GET_BULK, 100);
    pdu_add_four(&w, 0, 0, 0, LAST);
    add_range(&w, 0);
    fake_master_say(&master, &w);
    run();
    assert_int_equal(expect(100), AGENTX_NO_ERROR);
    for (uint32_t i = 1; i <= 3; i++)
        assert_next(i);
    assert_end();
    w = request(PDU_GET_BULK, 101);
    pdu_add_four(&w, 0, 0, 0, LAST);
    add_range(&w, 3);
    fake_master_say(&master, &w);
    run();
    assert_nothing(); // its first value is away
    away[4] = false;
    run();
    assert_int_equal(expect(101), AGENTX_NO_ERROR);
    for (uint32_t i = 4; i <= LAST; i++)
        assert_next(i);
}

TEST(only_so_many_requests_wait)
{
    away[1] = true;
    for (uint32_t i = 0; i < AGENTX_LATER_MAX; i++)
        tell_get(100 + i, 1);
    assert_nothing();
    tell_get(5000, 1);
    assert_int_equal(expect(5000), AGENTX_GEN_ERR);
    tell_get(5001, 2);
    assert_int_equal(expect(5001), AGENTX_NO_ERROR);
    away[1] = false;
    run();
    for (uint32_t i = 0; i < AGENTX_LATER_MAX; i++)
        assert_int_equal(expect(100 + i), AGENTX_NO_ERROR);
    assert_nothing();
}

TEST(large_requests_fill_the_room_sooner)
{
    struct agentx_later later;
    static uint8_t large[AGENTX_LATER_SIZE_MAX / 2];
    agentx_later_init(&later);
    assert_int_equal(agentx_later_until(&later), INT64_MAX);
    agentx_later_add(&later, large, sizeof large, 1, 11);
    agentx_later_add(&later, large, sizeof large, 1, 12);
    assert_false(agentx_later_has_room(&later, 1));
    assert_int_equal(agentx_later_until(&later), 11);
    agentx_later_remove(&later, TAILQ_FIRST(&later.requests));
    assert_int_equal(agentx_later_until(&later), 12);
    assert_true(agentx_later_has_room(&later, sizeof large));
    agentx_later_clear(&later);
    assert_int_equal(later.count + later.size, 0);
}

TEST(a_lost_session_forgets_what_waits)
{
    struct fake_pdu p;
    away[1] = true;
    tell_get(100, 1);
    fake_master_die(&master);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    away[1] = false;
    fake_master_listen(&master);
    wait_s(60);
    assert_true(fake_master_accept(&master));
    fake_master_expect(&master, PDU_OPEN, &p);
    assert_nothing();
}

// Sets.

static void tell_phase(uint8_t type, uint32_t packet)
{
    struct pdu_writer w = request(type, packet);
    if (type == PDU_TEST_SET) {
        struct agentx_oid oid = {.length = COUNT(ROOT)};
        memcpy(oid.ids, ROOT, sizeof ROOT);
        agentx_oid_add(&oid, 1);
        pdu_add_varbind(&w, &oid, &(struct agentx_value){.type = AGENTX_INTEGER, .number = 1});
    }
    fake_master_say(&master, &w);
    run();
}

TEST(each_phase_of_a_set_waits)
{
    away[5] = true;
    waits_for = 5;
    static const uint8_t TYPES[] = {PDU_TEST_SET, PDU_COMMIT_SET, PDU_UNDO_SET};
    for (uint32_t i = 0; i < COUNT(TYPES); i++) {
        away[5] = true;
        tell_phase(TYPES[i], 10 + i);
        assert_nothing();
        tell_get(50 + i, 1); // others do not wait
        assert_int_equal(expect(50 + i), AGENTX_NO_ERROR);
        away[5] = false;
        run();
        assert_int_equal(expect(10 + i), AGENTX_NO_ERROR);
    }
    assert_string_equal(phases, "ttccuu");
}

TEST(a_phase_that_waits_too_long_has_failed)
{
    waits_for = 5;
    away[5] = true;
    tell_phase(PDU_TEST_SET, 10);
    wait_s(WAITS_S);
    assert_int_equal(expect(10), AGENTX_RESOURCE_UNAVAILABLE);
    away[5] = false;
    tell_phase(PDU_TEST_SET, 11);
    assert_int_equal(expect(11), AGENTX_NO_ERROR);
    away[5] = true;
    tell_phase(PDU_COMMIT_SET, 12);
    wait_s(WAITS_S);
    assert_int_equal(expect(12), AGENTX_COMMIT_FAILED);
    tell_phase(PDU_UNDO_SET, 13); // has nothing to undo
    assert_int_equal(expect(13), AGENTX_NO_ERROR);
    assert_string_equal(phases, "ttxtccx");
}

// The instance of an earlier request means nothing to a later request.
TEST(a_test_that_needs_nobody_does_not_wait)
{
    static uint8_t longer[AGENTX_OCTETS_MAX + 4];
    waits_for = 5;
    away[5] = true;
    tell_phase(PDU_TEST_SET, 10);
    wait_s(WAITS_S);
    assert_int_equal(expect(10), AGENTX_RESOURCE_UNAVAILABLE);
    struct pdu_writer w = request(PDU_TEST_SET, 11);
    pdu_add_four(&w, 0, AGENTX_OCTETS, 0, 0);
    pdu_add_oid(&w, ROOT, COUNT(ROOT), false);
    pdu_add_octets(&w, longer, sizeof longer);
    fake_master_say(&master, &w);
    run();
    assert_int_equal(expect(11), AGENTX_WRONG_LENGTH);
    assert_string_equal(phases, "ttx");
}

TEST(an_undo_that_waits_too_long_has_failed)
{
    waits_for = 5;
    tell_phase(PDU_TEST_SET, 10);
    tell_phase(PDU_COMMIT_SET, 11);
    assert_int_equal(expect(10), AGENTX_NO_ERROR);
    assert_int_equal(expect(11), AGENTX_NO_ERROR);
    away[5] = true;
    tell_phase(PDU_UNDO_SET, 12);
    wait_s(WAITS_S);
    assert_int_equal(expect(12), AGENTX_UNDO_FAILED);
    tell_phase(PDU_TEST_SET, 13); // the next Set is let in
    away[5] = false;
    run();
    assert_int_equal(expect(13), AGENTX_NO_ERROR);
}

TEST(a_commit_that_waits_ends_with_the_session)
{
    waits_for = 5;
    tell_phase(PDU_TEST_SET, 10);
    assert_int_equal(expect(10), AGENTX_NO_ERROR);
    away[5] = true;
    tell_phase(PDU_COMMIT_SET, 11);
    fake_master_die(&master);
    run();
    assert_string_equal(phases, "tcx");
    away[5] = false;
    wait_s(1);
    assert_string_equal(phases, "tcx");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_request_waits_and_others_pass_it),
        CASE(all_values_of_a_request_are_asked_for_at_once),
        CASE(a_request_that_waited_too_long_is_an_error),
        CASE(get_bulk_ends_before_what_comes_later),
        CASE(only_so_many_requests_wait),
        CASE(large_requests_fill_the_room_sooner),
        CASE(a_lost_session_forgets_what_waits),
        CASE(each_phase_of_a_set_waits),
        CASE(a_phase_that_waits_too_long_has_failed),
        CASE(a_test_that_needs_nobody_does_not_wait),
        CASE(an_undo_that_waits_too_long_has_failed),
        CASE(a_commit_that_waits_ends_with_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
