// SPDX-License-Identifier: BSD-2-Clause
// The posts to one Alertmanager, and the effect of the answers. The linker substitutes the
// functions in this file for those of http/transfer.h (--wrap): a peer without a network.
#include "support.h"

#include "http/alert_peer.h"

static struct alert_peer peer;
static struct alert_peers all;
static bool answers;
static char posted[ALERT_LIST_BODY_SIZE]; // "": nothing since
static struct transfer_answer next;
static int64_t next_date; // UTC seconds: the clock of the peer in its answer; 0: not said
static bool is_old, is_renewable, is_under_way;
static unsigned renewals;

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

void __wrap_transfer_close(struct transfer *t);
void __wrap_transfer_close(struct transfer *t)
{
    (void)t;
}

static const int64_t EXPIRE_US = 300 * CLOCK_US_PER_S;

static int setup(void **state)
{
    static const char URL[] = "http://127.0.0.1:9093";
    static const struct conf_http_access NO_ACCESS = {.user = ""};
    static const struct transfer_options NONE = {.url = "", .access = &NO_ACCESS, .scheme = ""};
    struct error err;
    (void)state;
    all = (struct alert_peers){
        .list = alert_list_new(EXPIRE_US, &random_system), .expire_us = EXPIRE_US, .name = "am"};
    answers = is_old = is_under_way = false;
    is_renewable = true;
    renewals = 0;
    next_date = 0;
    posted[0] = '\0';
    assert_true(alert_peer_init(&peer, &all, URL, strlen(URL), &NONE, &err));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    alert_peer_close(&peer);
    alert_list_free(all.list);
    return 0;
}

static void step(void)
{
    bool may_look_up = true;
    posted[0] = '\0';
    alert_peer_step(&peer, 0, &may_look_up);
}

static void answer(int status, const char *body)
{
    next = (struct transfer_answer){
        .status = status, .date = next_date, .body = body, .size = strlen(body)};
    answers = true;
    step();
    assert_false(answers);
}

// The peer takes the first post, which is empty.
static void greet(void)
{
    step();
    assert_string_equal(posted, "[]");
    answer(200, "");
}

static void have_alarms(unsigned count)
{
    alert_list_begin(all.list, clock_monotonic(&clock_system));
    for (unsigned i = 0; i < count; i++) {
        char labels[100];
        struct alarm a = {.severity = SEVERITY_ERROR};
        snprintf(a.key, sizeof a.key, "key%u", i);
        snprintf(labels, sizeof labels, "{\"alarmkey\":\"key%u\",\"source\":\"fabric\"}", i);
        alert_list_put(all.list, &a, strdup(labels), strdup("{}"), false);
    }
    alert_list_end(all.list, true, SUPPORT_UTC_US);
}

static unsigned posted_count(void)
{
    unsigned n = 0;
    for (const char *at = posted; (at = strstr(at, "\"labels\":")); at++)
        n++;
    return n;
}

// The answer tells the peer's clock before an alert gets an end by this clock.
static void the_first_post_is_empty_and_tells_the_clock_of_the_peer(void **state)
{
    char ends[CLOCK_TEXT_SIZE];
    (void)state;
    have_alarms(2);
    next_date = SUPPORT_UTC_US / CLOCK_US_PER_S;
    greet();
    assert_int_equal(posted_count(), 2);
    clock_format_utc(SUPPORT_UTC_US + EXPIRE_US, ends);
    ends[sizeof "2026-01-01T00:0" - 1] = '\0'; // whole minutes: seconds pass
    assert_non_null(strstr(posted, ends));
    answer(200, "");
    assert_true(alert_peer_is_settled(&peer));
}

static void a_peer_that_is_owed_nothing_is_posted_nothing_but_that(void **state)
{
    (void)state;
    greet();
    assert_string_equal(posted, "[]"); // the first round
    answer(200, "");
    assert_string_equal(posted, "");
    assert_true(alert_peer_is_settled(&peer));
}

static void an_end_is_posted(void **state)
{
    (void)state;
    have_alarms(2);
    greet();
    answer(200, "");
    have_alarms(1);
    assert_false(alert_peer_is_settled(&peer));
    step();
    assert_int_equal(posted_count(), 1);
    assert_non_null(strstr(posted, "\"key1\""));
    answer(200, "");
    assert_true(alert_peer_is_settled(&peer));
}

static void a_batch_that_is_too_large_is_halved_and_grows_again(void **state)
{
    (void)state;
    have_alarms(8);
    greet();
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
    assert_true(alert_peer_is_settled(&peer));
}

static void an_alert_that_is_refused_keeps_no_other_away(void **state)
{
    unsigned taken = 0;
    (void)state;
    have_alarms(8);
    greet();
    for (unsigned i = 0; i < 100 && posted[0] != '\0'; i++) {
        const bool refused = strstr(posted, "\"key3\"") != NULL;
        taken += refused ? 0 : posted_count();
        answer(refused ? 400 : 200, "bad");
    }
    assert_int_equal(taken, 7);
    assert_false(peer.fails);
    assert_true(alert_peer_is_settled(&peer));
    assert_true(peer.refused_until > 0);
    assert_string_equal(peer.refusal.text, "http://peer:9093 answers 400: bad");
}

static void a_peer_that_refuses_every_alert_fails(void **state)
{
    (void)state;
    have_alarms(ALERT_LIST_BATCH_MAX);
    greet();
    for (unsigned i = 0; i < 1000 && !peer.fails; i++)
        answer(400, "bad");
    assert_true(peer.fails);
    assert_true(peer.retry_at > clock_monotonic(&clock_system));
}

static void a_peer_that_was_closed_is_posted_all_again(void **state)
{
    (void)state;
    have_alarms(3);
    greet();
    answer(200, "");
    assert_true(alert_peer_is_settled(&peer));
    alert_peer_close(&peer);
    assert_false(alert_peer_is_settled(&peer));
    greet();
    assert_int_equal(posted_count(), 3);
}

static void a_peer_that_failed_is_posted_all_again(void **state)
{
    (void)state;
    have_alarms(3);
    greet();
    answer(200, "");
    have_alarms(4);
    step();
    assert_int_equal(posted_count(), 1);
    answer(503, "no");
    assert_true(peer.fails && alert_peer_is_away(&peer));
    assert_string_equal(peer.problem.text, "http://peer:9093 answers 503: no");
    assert_int_equal(peer.failed, 1);
    step();
    assert_string_equal(posted, ""); // not before its time
    peer.retry_at = 0;
    greet();
    assert_true(peer.fails && !alert_peer_is_away(&peer));
    assert_int_equal(posted_count(), 4);
    answer(200, "");
    assert_false(peer.fails);
    assert_true(alert_peer_is_settled(&peer));
}

static void a_peer_that_takes_no_alert_stays_failing(void **state)
{
    (void)state;
    have_alarms(1);
    greet();
    for (unsigned i = 0; i < 5; i++) {
        answer(503, "no");
        assert_true(peer.fails);
        assert_int_equal(peer.failures, i + 1);
        peer.retry_at = 0;
        greet();
    }
    answer(200, "");
    assert_false(peer.fails);
}

static void an_old_transfer_is_opened_anew_between_two_exchanges(void **state)
{
    (void)state;
    have_alarms(3);
    step();
    is_old = true;
    step();
    assert_int_equal(renewals, 0);
    const struct transfer *old = peer.transfer;
    answer(200, "");
    assert_int_equal(renewals, 1);
    assert_ptr_not_equal(peer.transfer, old);
    assert_int_equal(posted_count(), 3); // by the new one
    answer(200, "");
    assert_int_equal(renewals, 1);
    assert_true(alert_peer_is_settled(&peer));
}

static void a_transfer_that_cannot_be_opened_anew_goes_on(void **state)
{
    (void)state;
    have_alarms(3);
    step();
    is_old = true;
    is_renewable = false;
    const struct transfer *old = peer.transfer;
    answer(200, "");
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
    next = (struct transfer_answer){.status = 200, .body = ""};
    answers = true;
    alert_peer_step(&peer, 0, &may_look_up);
    assert_int_equal(renewals, 0);
    assert_int_equal(posted_count(), 3);
    answer(200, "");
    assert_int_equal(renewals, 1);
    may_look_up = is_old = true;
    alert_peer_step(&peer, 0, &may_look_up);
    assert_false(may_look_up);
    assert_int_equal(renewals, 2);
}

#define PEER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PEER_TEST(the_first_post_is_empty_and_tells_the_clock_of_the_peer),
        PEER_TEST(a_peer_that_is_owed_nothing_is_posted_nothing_but_that),
        PEER_TEST(an_end_is_posted),
        PEER_TEST(a_batch_that_is_too_large_is_halved_and_grows_again),
        PEER_TEST(an_alert_that_is_refused_keeps_no_other_away),
        PEER_TEST(a_peer_that_refuses_every_alert_fails),
        PEER_TEST(a_peer_that_was_closed_is_posted_all_again),
        PEER_TEST(a_peer_that_failed_is_posted_all_again),
        PEER_TEST(a_peer_that_takes_no_alert_stays_failing),
        PEER_TEST(an_old_transfer_is_opened_anew_between_two_exchanges),
        PEER_TEST(a_transfer_that_cannot_be_opened_anew_goes_on),
        PEER_TEST(an_old_transfer_waits_for_its_look_up_and_goes_on_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
