// SPDX-License-Identifier: BSD-2-Clause
// What one Alertmanager is asked and posted, and what its answers do. The linker substitutes the
// functions in this file for those of http/transfer.h (--wrap): a peer without a network.
#include "support.h"

#include "http/alert_peer.h"

static const struct alert_origin ORIGIN = {.source = "fabric", .gateway = "gw1"};

static struct alert_peer peer;
static struct alert_peers all;
static bool was_asked, answers;
static char posted[ALERT_LIST_BODY_SIZE]; // "": nothing since
static struct transfer_answer next;
static int64_t next_date; // UTC seconds: the clock of the peer as it answers; 0: not said
static bool is_old, is_renewable, is_under_way;
static unsigned renewals, forgets;

struct transfer *__wrap_transfer_open(const struct transfer_options *options, struct error *err);
struct transfer *__wrap_transfer_open(const struct transfer_options *options, struct error *err)
{
    static int opened;
    (void)options;
    (void)err;
    return (void *)&opened;
}

bool __wrap_transfer_is_old(const struct transfer *t);
bool __wrap_transfer_is_old(const struct transfer *t)
{
    assert_non_null(t);
    return is_old;
}

bool __wrap_transfer_renew(struct transfer **t, struct error *err);
bool __wrap_transfer_renew(struct transfer **t, struct error *err)
{
    static int renewed;
    assert_false(is_under_way);
    is_old = false;
    renewals++;
    if (!is_renewable)
        return error_set(err, "no such file");
    *t = (void *)&renewed;
    return true;
}

bool __wrap_transfer_begin(struct transfer *t, const struct transfer_request *request,
                           struct error *err);
bool __wrap_transfer_begin(struct transfer *t, const struct transfer_request *request,
                           struct error *err)
{
    (void)t;
    (void)err;
    is_under_way = true;
    was_asked = !request->content_type;
    if (!was_asked)
        snprintf(posted, sizeof posted, "%.*s", (int)request->size, (const char *)request->body);
    return true;
}

int __wrap_transfer_go_on(struct transfer *t, int timeout_ms, struct transfer_answer *answer,
                          struct error *err);
int __wrap_transfer_go_on(struct transfer *t, int timeout_ms, struct transfer_answer *answer,
                          struct error *err)
{
    (void)t;
    (void)timeout_ms;
    (void)err;
    if (!answers)
        return 0;
    answers = is_under_way = false;
    *answer = next;
    return 1;
}

const char *__wrap_transfer_peer(const struct transfer *t);
const char *__wrap_transfer_peer(const struct transfer *t)
{
    (void)t;
    return "http://peer:9093";
}

void __wrap_transfer_hide(const struct transfer *t, char *text);
void __wrap_transfer_hide(const struct transfer *t, char *text)
{
    (void)t;
    (void)text;
}

void __wrap_transfer_forget(struct transfer *t);
void __wrap_transfer_forget(struct transfer *t)
{
    assert_non_null(t);
    assert_false(is_under_way);
    forgets++;
}

void __wrap_transfer_close(struct transfer *t);
void __wrap_transfer_close(struct transfer *t)
{
    (void)t;
}

static void init(struct alert_peer *p, unsigned number)
{
    static const char URL[] = "http://127.0.0.1:9093";
    static const struct transfer_options NONE = {
        .url = "", .user = "", .password_file = "", .token_file = "", .scheme = ""};
    struct error err;
    assert_true(alert_peer_init(p, number, URL, strlen(URL), &NONE, &ORIGIN, &err));
}

static int setup(void **state)
{
    (void)state;
    all = (struct alert_peers){.list = alert_list_new(2, &random_system),
                               .origin = ORIGIN,
                               .expire_us = 300 * CLOCK_US_PER_S,
                               .version = 1,
                               .is_whole = true,
                               .name = "am"};
    was_asked = answers = is_old = is_under_way = false;
    is_renewable = true;
    renewals = forgets = 0;
    next_date = 0;
    posted[0] = '\0';
    assert_non_null(all.list);
    init(&peer, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    alert_peer_close(&peer, &all);
    alert_list_free(all.list);
    return 0;
}

static void step_of(struct alert_peer *p)
{
    bool may_look_up = true;
    was_asked = false;
    posted[0] = '\0';
    alert_peer_step(p, &all, 0, &may_look_up);
}

static void step(void)
{
    step_of(&peer);
}

static void answer_of(struct alert_peer *p, int status, const char *body, bool cut)
{
    next = (struct transfer_answer){
        .status = status, .date = next_date, .body = body, .size = strlen(body), .cut = cut};
    answers = true;
    step_of(p);
    assert_false(answers);
}

static void answer(int status, const char *body)
{
    answer_of(&peer, status, body, false);
}

// The labels of those from `known` on are guessed.
static void have_alarms_known(unsigned count, unsigned known)
{
    alert_list_begin(all.list);
    for (unsigned i = 0; i < count; i++) {
        char labels[100];
        struct alarm a = {.severity = SEVERITY_ERROR};
        snprintf(a.key, sizeof a.key, "key%u", i);
        snprintf(labels, sizeof labels, "{\"alarmkey\":\"key%u\",\"source\":\"fabric\"}", i);
        assert_true(alert_list_put(all.list, &a, strdup(labels), strdup("{}"), i >= known));
    }
    alert_list_end(all.list, true, 0);
    all.version++;
}

static void have_alarms(unsigned count)
{
    have_alarms_known(count, count);
}

static unsigned posted_count(void)
{
    unsigned n = 0;
    for (const char *at = posted; (at = strstr(at, "\"labels\":")); at++)
        n++;
    return n;
}

// Of the fabric, of this gateway, of the other one, of another source.
static const char HELD[] = "[{\"labels\":{\"alarmkey\":\"link\",\"source\":\"fabric\"}},"
                           "{\"labels\":{\"alarmkey\":\"own\",\"gateway\":\"gw1\","
                           "\"source\":\"fabric\"}},"
                           "{\"labels\":{\"alarmkey\":\"other\",\"gateway\":\"gw2\","
                           "\"source\":\"fabric\"}},"
                           "{\"labels\":{\"alarmkey\":\"stranger\",\"source\":\"elsewhere\"}}]";

static void an_active_gateway_ends_what_is_the_fabrics_and_its_own(void **state)
{
    (void)state;
    step();
    assert_true(was_asked);
    answer(200, HELD);
    assert_int_equal(posted_count(), 2);
    assert_non_null(strstr(posted, "\"link\""));
    assert_non_null(strstr(posted, "\"own\""));
}

// The active gateway tells the alerts of the fabric: its standby knows nothing of them.
static void a_standby_ends_its_own_alerts_only(void **state)
{
    (void)state;
    all.is_standby = true;
    step();
    assert_true(was_asked);
    answer(200, HELD);
    assert_int_equal(posted_count(), 1);
    assert_non_null(strstr(posted, "\"own\""));
    answer(200, "");
    assert_string_equal(posted, "");
    assert_true(alert_peer_is_settled(&peer, &all));
}

static void an_answer_to_a_list_that_is_no_longer_whole_ends_nothing(void **state)
{
    (void)state;
    step();
    assert_true(was_asked);
    all.is_whole = false;
    answer(200, HELD);
    assert_string_equal(posted, "");
    all.is_whole = true; // as the next scan ends
    all.version++;
    step();
    assert_true(was_asked);
    answer(200, HELD);
    assert_int_equal(posted_count(), 2);
}

static void a_batch_that_is_too_large_is_halved_and_grows_again(void **state)
{
    (void)state;
    have_alarms(8);
    step();
    answer(200, "[]");
    assert_int_equal(posted_count(), 8);
    answer(413, "too large");
    assert_int_equal(posted_count(), 4);
    answer(413, "too large");
    assert_int_equal(posted_count(), 2);
    assert_false(peer.fails);
    answer(200, "");
    assert_int_equal(posted_count(), 4);
    answer(200, "");
    assert_int_equal(posted_count(), 2);
    answer(200, "");
    assert_true(alert_peer_is_settled(&peer, &all));
}

static void a_peer_that_was_closed_is_asked_and_posted_all_again(void **state)
{
    (void)state;
    have_alarms(3);
    step();
    answer(200, "[]");
    answer(200, "");
    assert_true(alert_peer_is_settled(&peer, &all));
    alert_peer_close(&peer, &all);
    assert_false(alert_peer_is_settled(&peer, &all));
    step();
    assert_true(was_asked);
    answer(200, "[]");
    assert_int_equal(posted_count(), 3);
}

// Another sender, or its clock that was set, has the peer end an alert sooner than it was told.
static void what_the_peer_ends_too_soon_is_posted_again(void **state)
{
    static const int LEFT_S[] = {300, 20, 200, 100, -1};
    char body[1024], ends[CLOCK_TEXT_SIZE];
    struct text t = text_in(body, sizeof body);
    (void)state;
    have_alarms(6);
    step();
    answer(200, "[]");
    answer(200, "");
    assert_true(alert_peer_is_settled(&peer, &all));
    peer.ask_at = 0;
    step();
    assert_true(was_asked);
    next_date = SUPPORT_UTC_US / CLOCK_US_PER_S;
    for (unsigned i = 0; i < COUNT(LEFT_S); i++) {
        clock_format_utc((next_date + LEFT_S[i]) * CLOCK_US_PER_S, ends);
        text_addf(&t,
                  "%s{\"endsAt\":\"%s\",\"labels\":{\"alarmkey\":\"key%u\",\"source\":\"fabric\"}}",
                  i == 0 ? "[" : ",", ends, i);
    }
    text_add(&t, ",{\"labels\":{\"alarmkey\":\"key5\",\"source\":\"fabric\"}}]");
    answer(200, body);
    assert_int_equal(posted_count(), 3);
    assert_non_null(strstr(posted, "\"key1\""));
    assert_non_null(strstr(posted, "\"key3\""));
    assert_non_null(strstr(posted, "\"key4\""));
}

static void an_old_transfer_is_opened_anew_between_two_exchanges(void **state)
{
    (void)state;
    have_alarms(3);
    step();
    assert_true(was_asked);
    is_old = true;
    step();
    assert_int_equal(renewals, 0);
    const struct transfer *old = peer.transfer;
    answer(200, "[]");
    assert_int_equal(renewals, 1);
    assert_ptr_not_equal(peer.transfer, old);
    assert_int_equal(posted_count(), 3); // by the new one
    answer(200, "");
    assert_int_equal(renewals, 1);
    assert_true(alert_peer_is_settled(&peer, &all));
}

static void a_transfer_that_cannot_be_opened_anew_goes_on(void **state)
{
    (void)state;
    have_alarms(3);
    step();
    is_old = true;
    is_renewable = false;
    const struct transfer *old = peer.transfer;
    answer(200, "[]");
    assert_int_equal(renewals, 1);
    assert_ptr_equal(peer.transfer, old);
    assert_int_equal(posted_count(), 3);
    assert_false(peer.fails);
}

// Another peer's look-up was long enough for one step.
static void an_old_transfer_waits_for_its_look_up_and_goes_on_meanwhile(void **state)
{
    bool may_look_up = false;
    (void)state;
    have_alarms(3);
    step();
    is_old = true;
    next = (struct transfer_answer){.status = 200, .body = "[]", .size = 2};
    answers = true;
    alert_peer_step(&peer, &all, 0, &may_look_up);
    assert_int_equal(renewals, 0);
    assert_int_equal(posted_count(), 3);
    answer(200, "");
    assert_int_equal(renewals, 1);
    may_look_up = is_old = true;
    alert_peer_step(&peer, &all, 0, &may_look_up);
    assert_false(may_look_up);
    assert_int_equal(renewals, 2);
}

// 8 peers may each answer 32 MiB, and one call has 5 s (sink.h).
static void a_long_answer_is_heard_in_several_steps(void **state)
{
    enum { ALERTS = 100000, SIZE = 4 << 20 };
    char *body = malloc(SIZE);
    struct text t = text_in(body, SIZE);
    int steps = 1;
    (void)state;
    text_add(&t, "[{\"labels\":{\"alarmkey\":\"first\",\"source\":\"fabric\"}}");
    for (int i = 0; i < ALERTS; i++)
        text_addf(&t, ",{\"labels\":{\"n\":\"%d\"}}", i);
    text_add(&t, ",{\"labels\":{\"alarmkey\":\"last\",\"source\":\"fabric\"}}]");
    assert_false(t.cut);
    step();
    answer(200, body);
    for (; posted[0] == '\0' && steps < 10; steps++) {
        assert_false(alert_peer_is_settled(&peer, &all));
        step();
    }
    assert_int_equal(steps, (t.len + (1 << 20) - 1) >> 20);
    assert_int_equal(posted_count(), 2);
    assert_non_null(strstr(posted, "\"first\""));
    assert_non_null(strstr(posted, "\"last\""));
    free(body);
}

// Turns.

static struct alert_peer two[2];

static int setup_two(void **state)
{
    setup(state);
    init(&two[0], 0);
    init(&two[1], 1);
    return 0;
}

static int teardown_two(void **state)
{
    alert_peer_close(&two[0], &all);
    alert_peer_close(&two[1], &all);
    return teardown(state);
}

static void hand_on(void)
{
    alert_peers_hand_on(&all, two, 2);
}

static void take_posts(struct alert_peer *p)
{
    while (is_under_way && !was_asked)
        answer_of(p, 200, "", false);
}

// Asks both, and cuts both answers. What is due is posted to each then, and the first one is being
// asked in its turn.
static void find_both_long(void)
{
    step_of(&two[0]);
    assert_true(was_asked);
    assert_int_equal(two[0].to.answer_max, ALERT_PEER_ANSWER_SOME);
    answer_of(&two[0], 200, "[", true);
    take_posts(&two[0]);
    assert_true(was_asked);
    assert_int_equal(two[0].to.answer_max, ALERT_PEER_ANSWER_MAX);
    hand_on();
    step_of(&two[1]);
    assert_true(was_asked);
    assert_int_equal(two[1].to.answer_max, ALERT_PEER_ANSWER_SOME);
    answer_of(&two[1], 200, "[", true);
    take_posts(&two[1]);
    hand_on();
    assert_false(was_asked);
    assert_false(two[1].fails);
}

// Which alerts are over there, and the labels of those that were guessed, only its answer tells.
static void what_is_raised_does_not_wait_for_a_turn(void **state)
{
    (void)state;
    find_both_long();
    have_alarms_known(4, 3);
    step_of(&two[1]);
    assert_false(was_asked);
    assert_int_equal(posted_count(), 3);
    assert_null(strstr(posted, "\"key3\""));
    answer_of(&two[1], 200, "", false);
    assert_false(is_under_way);
    assert_false(alert_peer_is_settled(&two[1], &all));
    answer_of(&two[0], 503, "", false);
    hand_on();
    step_of(&two[1]);
    assert_true(was_asked);
    answer_of(&two[1], 200, "[]", false);
    assert_int_equal(posted_count(), 4);
}

// Its question takes longer than it may, each time.
static void what_is_raised_is_posted_to_a_peer_that_cannot_be_asked(void **state)
{
    (void)state;
    step();
    assert_true(was_asked);
    answer(503, "");
    have_alarms(2);
    peer.retry_at = 0;
    step();
    assert_false(was_asked);
    assert_int_equal(posted_count(), 2);
    answer(200, "");
    assert_true(peer.fails);
    assert_true(was_asked);
    answer(503, "");
    peer.retry_at = 0;
    step();
    assert_true(was_asked); // nothing is due
    answer(200, "[]");
    answer(200, "");
    assert_false(peer.fails);
    assert_true(alert_peer_is_settled(&peer, &all));
}

// A gateway without events scans its alarms before each step.
static void a_peer_that_is_owed_nothing_is_asked_after_each_scan(void **state)
{
    (void)state;
    step();
    answer(503, "");
    peer.retry_at = 0;
    have_alarms(0);
    step();
    assert_true(was_asked);
    answer(200, "[]");
    assert_true(alert_peer_is_settled(&peer, &all));
}

static void a_peer_with_a_long_answer_is_asked_again_after_each_scan(void **state)
{
    (void)state;
    find_both_long();
    answer_of(&two[0], 200, "[]", false);
    two[0].is_long = two[0].posts_first = true; // as if that had been long
    two[0].ask_at = 1;
    two[1].ask_at = INT64_MAX;
    have_alarms(0);
    hand_on();
    step_of(&two[0]);
    assert_true(was_asked);
}

static void one_peer_at_a_time_has_a_long_answer(void **state)
{
    (void)state;
    have_alarms(3);
    find_both_long();
    assert_true(alert_peer_waits(&two[1], &all));
    forgets = 0;
    answer_of(&two[0], 200, "[]", false);
    assert_int_equal(forgets, 1);
    assert_int_equal(posted_count(), 3);
    hand_on();
    assert_false(alert_peer_waits(&two[1], &all));
    step_of(&two[1]);
    assert_true(was_asked);
    assert_int_equal(two[1].to.answer_max, ALERT_PEER_ANSWER_MAX);
}

static void a_peer_whose_answer_is_short_waits_for_no_other(void **state)
{
    (void)state;
    step_of(&two[0]);
    answer_of(&two[0], 200, "[", true);
    hand_on();
    step_of(&two[1]);
    answer_of(&two[1], 200, HELD, false);
    assert_int_equal(posted_count(), 2);
    assert_int_equal(all.turn, 0);
}

static void a_peer_that_fails_in_its_turn_hands_it_on(void **state)
{
    (void)state;
    find_both_long();
    answer_of(&two[0], 503, "", false);
    assert_true(two[0].fails);
    hand_on();
    step_of(&two[1]);
    assert_true(was_asked);
    two[0].retry_at = 0;
    step_of(&two[0]);
    hand_on();
    assert_false(was_asked);
}

static void a_list_that_is_not_whole_keeps_no_peer_in_its_turn(void **state)
{
    (void)state;
    find_both_long();
    all.is_whole = false;
    answer_of(&two[0], 200, "[", true);
    hand_on();
    all.is_whole = true;
    step_of(&two[0]);
    assert_false(was_asked);
    step_of(&two[1]);
    assert_true(was_asked);
}

static void a_peer_that_was_asked_before_is_posted_while_it_waits(void **state)
{
    (void)state;
    find_both_long();
    two[1].ask_at = 1;
    have_alarms(3);
    step_of(&two[1]);
    assert_int_equal(posted_count(), 3);
}

#define PEER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TURN_TEST(name) cmocka_unit_test_setup_teardown(name, setup_two, teardown_two)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PEER_TEST(an_active_gateway_ends_what_is_the_fabrics_and_its_own),
        PEER_TEST(a_standby_ends_its_own_alerts_only),
        PEER_TEST(an_answer_to_a_list_that_is_no_longer_whole_ends_nothing),
        PEER_TEST(a_batch_that_is_too_large_is_halved_and_grows_again),
        PEER_TEST(a_long_answer_is_heard_in_several_steps),
        PEER_TEST(what_the_peer_ends_too_soon_is_posted_again),
        PEER_TEST(an_old_transfer_is_opened_anew_between_two_exchanges),
        PEER_TEST(a_transfer_that_cannot_be_opened_anew_goes_on),
        PEER_TEST(an_old_transfer_waits_for_its_look_up_and_goes_on_meanwhile),
        PEER_TEST(a_peer_that_was_closed_is_asked_and_posted_all_again),
        TURN_TEST(one_peer_at_a_time_has_a_long_answer),
        TURN_TEST(what_is_raised_does_not_wait_for_a_turn),
        PEER_TEST(what_is_raised_is_posted_to_a_peer_that_cannot_be_asked),
        PEER_TEST(a_peer_that_is_owed_nothing_is_asked_after_each_scan),
        TURN_TEST(a_peer_with_a_long_answer_is_asked_again_after_each_scan),
        TURN_TEST(a_peer_whose_answer_is_short_waits_for_no_other),
        TURN_TEST(a_peer_that_fails_in_its_turn_hands_it_on),
        TURN_TEST(a_list_that_is_not_whole_keeps_no_peer_in_its_turn),
        TURN_TEST(a_peer_that_was_asked_before_is_posted_while_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
