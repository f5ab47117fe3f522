// SPDX-License-Identifier: BSD-2-Clause
// Which alerts Alertmanagers are told, against a model: made-up Alertmanagers that do with what is
// posted as the documentation of Alertmanager says, and an alarm list that changes at random.
#include "support.h"

#include "http/alert.h"
#include "http/alert_list.h"

enum { KEYS = 40, PEERS = 3, STEPS = 4000, HELD_MAX = 4096, TEXT = 200 };

static bool lacks_memory_once; // the next copy of a string fails

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    const bool lacks_memory = lacks_memory_once;
    lacks_memory_once = false;
    return lacks_memory ? NULL : __real_strdup(text);
}

static const int64_t EXPIRE_US = 300 * CLOCK_US_PER_S;
static const int64_t AHEAD[PEERS] = {0, 2000, -2000}; // seconds, their clocks

// An Alertmanager: what it was posted, by labels.
struct peer {
    struct held {
        char labels[TEXT];
        int64_t ends; // seconds of its clock
    } held[HELD_MAX];
    size_t count;
    bool is_away, was_asked;
    int64_t ahead; // its clock, in seconds
};

static struct alert_list *list;
static struct peer peers[PEERS];
static struct alarm alarms[KEYS];
static bool active[KEYS];
static int64_t now_s;
static uint64_t dice;
static char body_buffer[ALERT_LIST_BODY_SIZE];

static unsigned roll(unsigned n)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); // Knuth's MMIX
    return (unsigned)(dice >> 33) % n;
}

static char *labels_of(const struct alarm *a)
{
    char text[TEXT];
    snprintf(text, sizeof text, "{\"alarmkey\":\"%s\",\"alertname\":\"%s\",\"severity\":\"%s\"}",
             a->key, a->type, severity_word(a->severity));
    return strdup(text);
}

static char *annotations_of(const struct alarm *a)
{
    char text[EVENT_TEXT_SIZE + 16];
    snprintf(text, sizeof text, "{\"summary\":\"%s\"}", a->text);
    return strdup(text);
}

static void scan(bool whole)
{
    alert_list_begin(list);
    for (size_t i = 0; i < KEYS; i++) {
        if (active[i] && !alert_list_see(list, &alarms[i]))
            assert_true(alert_list_put(list, &alarms[i], labels_of(&alarms[i]),
                                       annotations_of(&alarms[i]), false));
    }
    alert_list_end(list, whole, now_s * CLOCK_US_PER_S);
}

// The peers.

static struct held *held_of(struct peer *p, const char *labels)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->held[i].labels, labels) == 0)
            return &p->held[i];
    }
    assert_true(p->count < HELD_MAX);
    snprintf(p->held[p->count].labels, TEXT, "%s", labels);
    p->held[p->count].ends = 0;
    return &p->held[p->count++];
}

static int64_t clock_of(const struct peer *p)
{
    return now_s + p->ahead;
}

// What is between two marks in the text from `*at` on, which moves behind it. False: none.
static bool cut_out(const char **at, const char *from, const char *to, char *out, size_t size)
{
    const char *begin = strstr(*at, from), *end = begin ? strstr(begin + strlen(from), to) : NULL;
    if (!end)
        return false;
    begin += strlen(from);
    assert_true((size_t)(end - begin) < size);
    snprintf(out, size, "%.*s", (int)(end - begin), begin);
    *at = end;
    return true;
}

static int64_t seconds_of(const char *text)
{
    struct tm tm = {0};
    assert_non_null(strptime(text, "%Y-%m-%dT%H:%M:%S", &tm));
    return timegm(&tm);
}

// The latest end counts, unless the alert is over. None may end before it begins.
static void take_post(struct peer *p, const char *body)
{
    char inside[TEXT], labels[TEXT], between[EVENT_TEXT_SIZE + TEXT], starts[64], ends[64];
    while (cut_out(&body, "{\"labels\":{", "}", inside, sizeof inside) &&
           cut_out(&body, "}", "\"endsAt", between, sizeof between) &&
           cut_out(&body, "\"endsAt\":\"", "\"", ends, sizeof ends)) {
        snprintf(labels, sizeof labels, "{%.*s}", (int)sizeof inside - 1, inside);
        struct held *h = held_of(p, labels);
        const int64_t end = seconds_of(ends);
        const char *at = between;
        if (cut_out(&at, "\"startsAt\":\"", "\"", starts, sizeof starts))
            assert_true(seconds_of(starts) <= end);
        h->ends = end > clock_of(p) && h->ends > end ? h->ends : end;
    }
}

static struct alert_list_times times_of(const struct peer *p)
{
    return (struct alert_list_times){.now_us = now_s * CLOCK_US_PER_S,
                                     .peer_utc_us = clock_of(p) * CLOCK_US_PER_S,
                                     .expire_us = EXPIRE_US};
}

static void ask(unsigned n)
{
    struct peer *p = &peers[n];
    alert_list_ask(list, n);
    for (size_t i = 0; i < p->count; i++) {
        const char *at = p->held[i].labels;
        char key[EVENT_KEY_SIZE];
        assert_true(cut_out(&at, "\"alarmkey\":\"", "\"", key, sizeof key));
        if (p->held[i].ends > clock_of(p))
            assert_int_equal(
                alert_list_hear(list, n, key, p->held[i].labels,
                                p->held[i].ends - clock_of(p) >= EXPIRE_US / CLOCK_US_PER_S / 2),
                ALERT_HEARD);
    }
    alert_list_heard(list, n);
    p->was_asked = true;
}

// As alert_peer.c: posts until nothing is due; a post to a peer that is away may have reached it.
static void post(unsigned n)
{
    struct peer *p = &peers[n];
    const struct alert_list_times times = times_of(p);
    if (!p->is_away && !p->was_asked)
        ask(n);
    for (unsigned i = 0; i < 100; i++) {
        struct text body = text_in(body_buffer, sizeof body_buffer);
        if (alert_list_take(list, n, &times, ALERT_LIST_BATCH_MAX, true, &body) == 0)
            return;
        if (!p->is_away || roll(2) == 0)
            take_post(p, body_buffer);
        if (roll(4) == 0)
            scan(true);
        alert_list_taken(list, n, !p->is_away, &times);
        if (p->is_away) {
            p->was_asked = false;
            return;
        }
    }
    fail_msg("it posts without end");
}

// The oracle: the active alerts at the peer are the active alarms.
static void check_agreed(unsigned n)
{
    struct peer *p = &peers[n];
    size_t wanted = 0, has = 0;
    for (size_t i = 0; i < KEYS; i++) {
        char *labels = active[i] ? labels_of(&alarms[i]) : NULL;
        wanted += active[i];
        if (labels && held_of(p, labels)->ends <= clock_of(p))
            fail_msg("peer %u lacks %s", n, labels);
        free(labels);
    }
    for (size_t i = 0; i < p->count; i++)
        has += p->held[i].ends > clock_of(p);
    assert_int_equal(has, wanted);
}

// The list of alarms.

static void change_alarm(size_t i)
{
    struct alarm *a = &alarms[i];
    static int64_t sequence;
    active[i] = !active[i] || roll(3) > 0;
    if (roll(3) == 0)
        active[i] = false;
    snprintf(a->key, sizeof a->key, "link %zu", i);
    snprintf(a->type, sizeof a->type, "%s", roll(4) == 0 ? "link-flapping" : "link-down");
    snprintf(a->text, sizeof a->text, "It happened %u times.", roll(5));
    a->severity = roll(2) == 0 ? SEVERITY_WARNING : SEVERITY_ERROR;
    a->last_sequence = ++sequence;
    a->raised_us = a->last_us = now_s * CLOCK_US_PER_S;
}

static int setup(void **state)
{
    (void)state;
    memset(peers, 0, sizeof peers);
    for (unsigned i = 0; i < PEERS; i++)
        peers[i].ahead = AHEAD[i];
    memset(active, 0, sizeof active);
    now_s = SUPPORT_UTC_US / CLOCK_US_PER_S;
    dice = 1;
    list = alert_list_new(PEERS, &SUPPORT_SAME);
    assert_non_null(list);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    alert_list_free(list);
    return 0;
}

static void restart(void)
{
    alert_list_free(list);
    list = alert_list_new(PEERS, &SUPPORT_SAME);
    assert_non_null(list);
    for (unsigned i = 0; i < PEERS; i++)
        peers[i].was_asked = false;
}

static void disturb(void)
{
    struct peer *p = &peers[roll(PEERS)];
    switch (roll(20)) {
    case 0:
        restart();
        break;
    case 1:
        p->is_away = true;
        break;
    case 2:
        p->is_away = false;
        break;
    case 3: // it restarts, and forgets; a failing exchange shows it
        p->count = 0;
        p->was_asked = false;
        break;
    case 4: // its clock is set, and what was over may go on; it is asked again before long
        p->ahead = AHEAD[p - peers] + (int64_t)roll(200) - 100;
        p->was_asked = false;
        break;
    case 5: // another sender has it end its alerts sooner; it is asked again before long
        for (size_t i = 0; i < p->count; i++) {
            if (p->held[i].ends > clock_of(p))
                p->held[i].ends = clock_of(p) + 1 + roll(200);
        }
        p->was_asked = false;
        break;
    default:
        change_alarm(roll(KEYS));
        break;
    }
}

TEST(peers_that_answer_have_the_alarm_list_whatever_happened)
{
    for (unsigned step = 0; step < STEPS; step++) {
        for (unsigned i = roll(6); i > 0; i--)
            disturb();
        now_s += roll(60);
        scan(true);
        for (unsigned n = 0; n < PEERS; n++)
            post(n);
        scan(true);
        for (unsigned n = 0; n < PEERS; n++) {
            post(n);
            if (!peers[n].is_away)
                check_agreed(n);
        }
    }
}

TEST(an_alert_is_posted_again_before_it_expires)
{
    struct text body;
    change_alarm(0);
    active[0] = true;
    scan(true);
    post(0);
    const int64_t first = now_s;
    for (const int64_t until = now_s + EXPIRE_US / CLOCK_US_PER_S / 4; now_s <= until; now_s++) {
        const struct alert_list_times times = times_of(&peers[0]);
        body = text_in(body_buffer, sizeof body_buffer);
        if (alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body) == 1)
            break;
    }
    assert_in_range(now_s - first, EXPIRE_US / CLOCK_US_PER_S / 8, EXPIRE_US / CLOCK_US_PER_S / 4);
}

TEST(a_list_that_is_not_whole_ends_nothing)
{
    change_alarm(0);
    active[0] = true;
    scan(true);
    post(0);
    active[0] = false;
    scan(false);
    post(0);
    active[0] = true;
    check_agreed(0);
    active[0] = false;
    scan(true);
    post(0);
    check_agreed(0);
}

TEST(guessed_labels_give_way_to_those_that_the_peer_has)
{
    static const char FULL[] = "{\"alarmkey\":\"link 0\",\"alertname\":\"link-down\","
                               "\"node\":\"leaf1\",\"severity\":\"warning\"}";
    struct text body = text_in(body_buffer, sizeof body_buffer);
    const struct alert_list_times times = times_of(&peers[0]);
    change_alarm(0);
    snprintf(alarms[0].type, sizeof alarms[0].type, "link-down");
    alarms[0].severity = SEVERITY_WARNING;
    alert_list_begin(list);
    assert_true(
        alert_list_put(list, &alarms[0], labels_of(&alarms[0]), annotations_of(&alarms[0]), true));
    alert_list_end(list, true, 0);
    alert_list_ask(list, 0);
    assert_int_equal(alert_list_hear(list, 0, "link 0", FULL, true), ALERT_HEARD);
    alert_list_heard(list, 0);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 1);
    assert_non_null(strstr(body_buffer, FULL));
}

// With too little memory to take them, the peer is asked again. The alert that it has goes on.
TEST(guessed_labels_end_no_alert_when_memory_is_short)
{
    static const char FULL[] = "{\"alarmkey\":\"link 0\",\"alertname\":\"link-down\","
                               "\"node\":\"leaf1\",\"severity\":\"warning\"}";
    struct text body = text_in(body_buffer, sizeof body_buffer);
    const struct alert_list_times times = times_of(&peers[0]);
    change_alarm(0);
    snprintf(alarms[0].type, sizeof alarms[0].type, "link-down");
    alarms[0].severity = SEVERITY_WARNING;
    alert_list_begin(list);
    assert_true(
        alert_list_put(list, &alarms[0], labels_of(&alarms[0]), annotations_of(&alarms[0]), true));
    alert_list_end(list, true, 0);
    alert_list_ask(list, 0);
    lacks_memory_once = true;
    assert_int_equal(alert_list_hear(list, 0, "link 0", FULL, true), ALERT_NO_MEMORY);
    assert_false(lacks_memory_once);
    alert_list_ask(list, 0);
    assert_int_equal(alert_list_hear(list, 0, "link 0", FULL, true), ALERT_HEARD);
    alert_list_heard(list, 0);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 1);
    assert_non_null(strstr(body_buffer, FULL));
}

// Scans until the alert with guessed labels is asked for, and puts it with these. Returns how many
// scans that took.
static unsigned scan_guessed(char *labels, bool guessed)
{
    for (unsigned n = 1; n <= 5000; n++) {
        alert_list_begin(list);
        const bool known = alert_list_see(list, &alarms[0]);
        if (!known)
            assert_true(
                alert_list_put(list, &alarms[0], labels, annotations_of(&alarms[0]), guessed));
        alert_list_end(list, true, now_s * CLOCK_US_PER_S);
        if (!known)
            return n;
    }
    fail_msg("guessed labels stay");
    return 0;
}

// The journal could not be read as the alarm was put first; later it can.
TEST(guessed_labels_give_way_to_those_that_become_known)
{
    static const char FULL[] = "{\"alarmkey\":\"link 0\",\"node\":\"leaf1\"}";
    const struct alert_list_times times = times_of(&peers[0]);
    struct text body = text_in(body_buffer, sizeof body_buffer);
    change_alarm(0);
    scan_guessed(labels_of(&alarms[0]), true);
    post(0);
    assert_in_range(scan_guessed(labels_of(&alarms[0]), true), 1, 2);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 0);
    scan_guessed(strdup(FULL), false);
    body = text_in(body_buffer, sizeof body_buffer);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 2);
    take_post(&peers[0], body_buffer);
    alert_list_taken(list, 0, true, &times);
    char *guess = labels_of(&alarms[0]);
    assert_true(held_of(&peers[0], guess)->ends <= clock_of(&peers[0]));
    assert_true(held_of(&peers[0], FULL)->ends > clock_of(&peers[0]));
    free(guess);
    for (unsigned i = 0; i < 5000; i++) { // what is known is not asked for any more
        alert_list_begin(list);
        assert_true(alert_list_see(list, &alarms[0]));
        alert_list_end(list, true, 0);
    }
}

// An operator acknowledges an alarm whose event the journal has no longer.
TEST(known_labels_do_not_give_way_to_guessed_ones_of_the_same_event)
{
    static const char FULL[] = "{\"alarmkey\":\"link 0\",\"node\":\"leaf1\"}";
    const struct alert_list_times times = times_of(&peers[0]);
    struct text body = text_in(body_buffer, sizeof body_buffer);
    change_alarm(0);
    scan_guessed(strdup(FULL), false);
    post(0);
    alarms[0].acknowledged_us = 1;
    snprintf(alarms[0].text, sizeof alarms[0].text, "It is known.");
    scan_guessed(labels_of(&alarms[0]), true);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 1);
    assert_non_null(strstr(body_buffer, FULL));
    assert_non_null(strstr(body_buffer, "It is known."));
    alert_list_taken(list, 0, true, &times);
    alarms[0].last_sequence++; // another event, of which no more is known
    assert_int_equal(scan_guessed(labels_of(&alarms[0]), true), 1);
    body = text_in(body_buffer, sizeof body_buffer);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 2);
}

// Puts what is known of the alarm, or guessed, after a change of it that is no event.
static void put_changed(char *labels, bool guessed)
{
    alarms[0].acknowledged_us++;
    assert_int_equal(scan_guessed(labels, guessed), 1);
}

static size_t take_all(void)
{
    const struct alert_list_times times = times_of(&peers[0]);
    struct text body = text_in(body_buffer, sizeof body_buffer);
    const size_t n = alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body);
    alert_list_taken(list, 0, true, &times);
    return n;
}

// A filter by names refuses or passes what lacks the names.
TEST(who_is_to_have_an_alarm_is_not_guessed_once_it_is_known)
{
    change_alarm(0);
    put_changed(labels_of(&alarms[0]), false);
    assert_int_equal(take_all(), 1);
    snprintf(alarms[0].text, sizeof alarms[0].text, "It is known.");
    put_changed(NULL, true);
    assert_int_equal(take_all(), 1);
    assert_non_null(strstr(body_buffer, "It is known."));
    alarms[0].last_sequence++;
    put_changed(NULL, false);
    assert_int_equal(take_all(), 1); // its end
    put_changed(labels_of(&alarms[0]), true);
    assert_int_equal(take_all(), 0);
}

TEST(an_alarm_that_was_refused_by_guess_is_asked_for_again)
{
    unsigned scans = 0, asked = 0;
    change_alarm(0);
    for (; scans < 20000; asked++)
        scans += scan_guessed(NULL, true);
    assert_in_range(asked, 10, 40);
    assert_int_equal(take_all(), 0);
    scan_guessed(labels_of(&alarms[0]), false);
    assert_int_equal(take_all(), 1);
}

// Most often the journal has the event no longer.
TEST(what_stays_unknown_is_asked_for_ever_more_rarely)
{
    unsigned scans = 0, asked = 0;
    change_alarm(0);
    for (; scans < 20000; asked++)
        scans += scan_guessed(labels_of(&alarms[0]), true);
    assert_in_range(asked, 10, 40);
}

TEST(what_a_peer_makes_up_blocks_nothing)
{
    static char labels[ALERT_LIST_BODY_SIZE + 100];
    const struct alert_list_times times = times_of(&peers[0]);
    struct text body = text_in(body_buffer, sizeof body_buffer);
    snprintf(labels, sizeof labels, "{\"alarmkey\":\"%0*d\"}", (int)ALERT_LIST_BODY_SIZE, 0);
    alert_list_ask(list, 0);
    assert_int_equal(alert_list_hear(list, 0, "link 1", labels, true), ALERT_PASSED_OVER);
    assert_int_equal(alert_list_hear(list, 0, "link 2", "{\"alarmkey\":\"link 2\"}", true),
                     ALERT_HEARD);
    alert_list_heard(list, 0);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 1);
    assert_non_null(strstr(body_buffer, "link 2"));
}

// Else a peer would choose how long it takes to look them up.
TEST(a_peer_cannot_make_up_any_number_of_alerts_of_a_key)
{
    enum { MANY = 20000 };
    size_t known = 0;
    char labels[TEXT];
    alert_list_ask(list, 0);
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(labels, sizeof labels, "{\"alarmkey\":\"link 1\",\"alertname\":\"%u\"}", i);
        known += alert_list_hear(list, 0, "link 1", labels, true) == ALERT_HEARD;
    }
    alert_list_heard(list, 0);
    assert_in_range(known, 1, 1000);
}

TEST(an_alert_that_flaps_while_a_peer_is_away_ends_once)
{
    const struct alert_list_times times = times_of(&peers[0]);
    struct text body;
    for (unsigned i = 0; i < 5; i++) {
        change_alarm(0);
        alarms[0].severity = SEVERITY_ERROR;
        snprintf(alarms[0].type, sizeof alarms[0].type, "link-down");
        active[0] = true;
        scan(true);
        body = text_in(body_buffer, sizeof body_buffer);
        assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body),
                         i == 0 ? 1 : 2);
        active[0] = false;
        scan(true);
        alert_list_taken(list, 0, false, &times); // whether the peer has it, nobody knows
    }
    body = text_in(body_buffer, sizeof body_buffer);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 1);
    alert_list_taken(list, 0, true, &times);
    body = text_in(body_buffer, sizeof body_buffer);
    assert_int_equal(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 0);
}

// The ends fill a batch, but for less than the next one takes.
TEST(no_alert_goes_before_an_end_that_has_to_wait)
{
    static char labels[6000];
    char key[16];
    const struct alert_list_times times = times_of(&peers[0]);
    struct text body = text_in(body_buffer, sizeof body_buffer);
    alert_list_ask(list, 0);
    for (unsigned i = 100; i < 200; i++) {
        snprintf(key, sizeof key, "link %u", i);
        snprintf(labels, sizeof labels, "{\"alarmkey\":\"%s\",\"x\":\"%05500d\"}", key, 0);
        assert_int_equal(alert_list_hear(list, 0, key, labels, true), ALERT_HEARD);
    }
    alert_list_heard(list, 0);
    change_alarm(0);
    active[0] = true;
    scan(true);
    assert_in_range(alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body), 1, 99);
    assert_null(strstr(body_buffer, "link-"));
}

static void add_test(unsigned n)
{
    char labels[64];
    snprintf(labels, sizeof labels, "{\"alarmkey\":\"test %u\",\"test\":\"true\"}", n);
    assert_true(alert_list_add_test(list, strdup(labels), strdup("{}"), 1, 2));
}

// Posts to a peer that takes all. Returns how often the text was in what was posted.
static size_t post_and_count(unsigned peer, const char *text)
{
    const struct alert_list_times times = times_of(&peers[peer]);
    size_t n, count = 0;
    do {
        struct text body = text_in(body_buffer, sizeof body_buffer);
        n = alert_list_take(list, peer, &times, ALERT_LIST_BATCH_MAX, true, &body);
        for (const char *at = body_buffer; (at = strstr(at, text)) != NULL; at++)
            count++;
        alert_list_taken(list, peer, true, &times);
    } while (n > 0);
    return count;
}

// Delivery sends tests again after each failure.
TEST(a_test_that_waits_is_posted_once)
{
    for (unsigned i = 0; i < 3; i++) {
        add_test(1);
        add_test(2);
    }
    for (unsigned peer = 0; peer < PEERS; peer++)
        assert_int_equal(post_and_count(peer, "\"labels\""), 2);
    add_test(1);
    assert_int_equal(post_and_count(0, "\"test 1\""), 1);
}

TEST(tests_that_wait_for_a_peer_that_is_away_are_bounded)
{
    enum { MANY = 3 * ALERT_LIST_TESTS_MAX };
    for (unsigned i = 0; i < MANY; i++) {
        add_test(i);
        assert_int_equal(post_and_count(0, "\"labels\""), 1);
    }
    assert_int_equal(post_and_count(1, "\"labels\""), ALERT_LIST_TESTS_MAX);
    add_test(MANY);
    assert_int_equal(post_and_count(1, "\"labels\""), 1);
}

TEST(a_batch_is_bounded_and_all_are_posted_in_the_end)
{
    enum { MANY = 3 * ALERT_LIST_BATCH_MAX / 2 };
    const struct alert_list_times times = times_of(&peers[0]);
    size_t n, all = 0;
    alert_list_begin(list);
    for (unsigned i = 0; i < MANY; i++) {
        struct alarm a = {.last_sequence = i + 1};
        snprintf(a.key, sizeof a.key, "link %u", i);
        assert_true(alert_list_put(list, &a, labels_of(&a), annotations_of(&a), false));
    }
    alert_list_end(list, true, 0);
    do {
        struct text body = text_in(body_buffer, sizeof body_buffer);
        n = alert_list_take(list, 0, &times, ALERT_LIST_BATCH_MAX, true, &body);
        assert_true(n <= ALERT_LIST_BATCH_MAX && !body.cut);
        alert_list_taken(list, 0, true, &times);
        all += n;
    } while (n > 0);
    assert_int_equal(all, MANY);
}

// A text that JSON cannot have must not keep the whole list from being told.
TEST(labels_and_annotations_are_text_whatever_they_are_made_of)
{
    const struct alert_origin origin = {.source = "s", .gateway = "g"};
    struct alarm alarm = {.key = "link 0", .type = "link-down", .text = "cut in \xc3"};
    struct event *event = event_make(catalogue_find("link-down"));
    assert_non_null(event);
    alarm.category = event->category;
    alarm.severity = event->severity;
    snprintf(event->subject.name, sizeof event->subject.name, "a\xff");
    char *labels = alert_labels(&alarm, event, &origin);
    char *annotations = alert_annotations(&alarm);
    assert_non_null(labels);
    assert_non_null(annotations);
    assert_non_null(strstr(labels, "\"node\":\"a\xef\xbf\xbd\""));
    assert_non_null(strstr(annotations, "cut in "));
    free(labels);
    free(annotations);
    event_unref(event);
}

TEST(alarms_without_room_are_counted)
{
    alert_list_begin(list);
    for (unsigned i = 0; i < ALERT_LIST_MAX + 3; i++) {
        struct alarm a = {.last_sequence = i + 1};
        snprintf(a.key, sizeof a.key, "link %u", i);
        assert_int_equal(alert_list_lacks_room(list, &a), i >= ALERT_LIST_MAX);
        if (i < ALERT_LIST_MAX)
            assert_true(alert_list_put(list, &a, NULL, NULL, false));
    }
    alert_list_end(list, true, 0);
    assert_int_equal(alert_list_beyond(list), 3);
    alert_list_begin(list);
    alert_list_end(list, true, 0);
    assert_int_equal(alert_list_beyond(list), 0);
}

#define LIST_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIST_TEST(peers_that_answer_have_the_alarm_list_whatever_happened),
        LIST_TEST(an_alert_is_posted_again_before_it_expires),
        LIST_TEST(a_list_that_is_not_whole_ends_nothing),
        LIST_TEST(guessed_labels_give_way_to_those_that_the_peer_has),
        LIST_TEST(guessed_labels_end_no_alert_when_memory_is_short),
        LIST_TEST(guessed_labels_give_way_to_those_that_become_known),
        LIST_TEST(known_labels_do_not_give_way_to_guessed_ones_of_the_same_event),
        LIST_TEST(what_stays_unknown_is_asked_for_ever_more_rarely),
        LIST_TEST(who_is_to_have_an_alarm_is_not_guessed_once_it_is_known),
        LIST_TEST(an_alarm_that_was_refused_by_guess_is_asked_for_again),
        LIST_TEST(what_a_peer_makes_up_blocks_nothing),
        LIST_TEST(a_peer_cannot_make_up_any_number_of_alerts_of_a_key),
        LIST_TEST(an_alert_that_flaps_while_a_peer_is_away_ends_once),
        LIST_TEST(no_alert_goes_before_an_end_that_has_to_wait),
        LIST_TEST(a_test_that_waits_is_posted_once),
        LIST_TEST(tests_that_wait_for_a_peer_that_is_away_are_bounded),
        LIST_TEST(a_batch_is_bounded_and_all_are_posted_in_the_end),
        LIST_TEST(labels_and_annotations_are_text_whatever_they_are_made_of),
        LIST_TEST(alarms_without_room_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
