// SPDX-License-Identifier: BSD-2-Clause
// Which alerts Alertmanagers are told, against a model: made-up Alertmanagers that treat posts by
// the documentation of Alertmanager, and an alarm list that changes at random.
#include "support.h"

#include "http/alert_list.h"

enum { KEYS = 40, PEERS = 3, STEPS = 4000, HELD_MAX = 4096, TEXT = 200 };

enum { EXPIRE_S = 300, CLOCK_STEP_S = 100 };
static const int64_t EXPIRE_US = EXPIRE_S * CLOCK_US_PER_S;
static const int64_t AHEAD[PEERS] = {0, 2000, -2000}; // seconds, their clocks

// An Alertmanager: what it was posted, by labels.
struct peer {
    struct held {
        char labels[TEXT];
        int64_t ends; // seconds of its clock
    } held[HELD_MAX];
    size_t count;
    struct alert_place place;
    bool is_away;
    int64_t ahead;       // its clock, in seconds
    int64_t lost_s;      // when the peer may have lost alerts, unseen
    int64_t stand_until; // until then alerts may stand that are over
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
    alert_list_begin(list, now_s * CLOCK_US_PER_S);
    for (size_t i = 0; i < KEYS; i++) {
        if (active[i] && !alert_list_see(list, &alarms[i]))
            alert_list_put(list, &alarms[i], labels_of(&alarms[i]), annotations_of(&alarms[i]),
                           false);
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

// The text between two marks, from `*at` on. `*at` moves behind the second mark. False: there is no
// such text.
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
                                     .utc_us = clock_of(p) * CLOCK_US_PER_S};
}

// Returns how many alerts are due at the peer's place, in `body_buffer`.
static size_t take(unsigned n, size_t max, struct alert_place *next)
{
    const struct alert_list_times times = times_of(&peers[n]);
    struct text body = text_in(body_buffer, sizeof body_buffer);
    size_t count;
    if (!alert_list_take(list, &peers[n].place, &times, max, &body, &count, next))
        assert_int_equal(count, 0);
    assert_true(count <= ALERT_LIST_BATCH_MAX && !body.cut);
    return count;
}

// The same, and the peer takes them.
static size_t give(unsigned n)
{
    struct alert_place next;
    const size_t count = take(n, ALERT_LIST_BATCH_MAX, &next);
    alert_place_move(&peers[n].place, &next, now_s * CLOCK_US_PER_S);
    return count;
}

// As alert_peer.c: posts until nothing is due; a post to an absent peer may have reached the peer.
static void post(unsigned n)
{
    struct peer *p = &peers[n];
    for (unsigned i = 0; alert_list_has_due(list, &p->place, now_s * CLOCK_US_PER_S); i++) {
        struct alert_place next;
        take(n, 1 + roll(ALERT_LIST_BATCH_MAX), &next);
        if (!p->is_away || roll(2) == 0)
            take_post(p, body_buffer);
        if (i < 100 && roll(4) == 0)
            scan(true);
        if (p->is_away) {
            alert_place_forget(&p->place);
            return;
        }
        alert_place_move(&p->place, &next, now_s * CLOCK_US_PER_S);
        if (i > 1000)
            fail_msg("it posts without end");
    }
    assert_true(alert_list_is_told(list, &p->place));
}

// The oracle: the active alerts at the peer are the active alarms. Returns whether all of that
// holds now, and not only later.
static bool check_agreed(unsigned n)
{
    struct peer *p = &peers[n];
    const bool has_all = now_s >= p->lost_s + EXPIRE_S / 4, has_no_more = now_s >= p->stand_until;
    size_t wanted = 0, has = 0;
    for (size_t i = 0; i < KEYS; i++) {
        char *labels = active[i] ? labels_of(&alarms[i]) : NULL;
        wanted += active[i];
        if (labels && has_all && held_of(p, labels)->ends <= clock_of(p))
            fail_msg("peer %u lacks %s", n, labels);
        free(labels);
    }
    for (size_t i = 0; i < p->count; i++)
        has += p->held[i].ends > clock_of(p);
    if (has_all && has_no_more)
        assert_int_equal(has, wanted);
    return has_all && has_no_more;
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
    for (unsigned i = 0; i < PEERS; i++)
        alert_place_forget(&peers[i].place);
    memset(active, 0, sizeof active);
    now_s = SUPPORT_UTC_US / CLOCK_US_PER_S;
    dice = 1;
    list = alert_list_new(EXPIRE_US, &SUPPORT_SAME);
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
    list = alert_list_new(EXPIRE_US, &SUPPORT_SAME);
    for (unsigned i = 0; i < PEERS; i++) {
        peers[i].place = (struct alert_place){.owes_round = true};
        peers[i].stand_until = now_s + EXPIRE_S;
    }
}

static void disturb(void)
{
    struct peer *p = &peers[roll(PEERS)];
    switch (roll(200)) {
    case 0:
        restart();
        break;
    case 1: // it restarts, and forgets
        p->count = 0;
        p->lost_s = now_s;
        break;
    case 2: // its clock is set: an ended alert may go on, and an active alert may be over
        p->ahead = AHEAD[p - peers] + (int64_t)roll(2 * CLOCK_STEP_S) - CLOCK_STEP_S;
        p->lost_s = now_s;
        p->stand_until = now_s + EXPIRE_S + 2 * CLOCK_STEP_S;
        break;
    case 3: // another sender has it end its alerts sooner
        for (size_t i = 0; i < p->count; i++) {
            const int64_t sooner = clock_of(p) + 1 + roll(200);
            p->held[i].ends = p->held[i].ends < sooner ? p->held[i].ends : sooner;
        }
        p->lost_s = now_s;
        break;
    case 4:
    case 5:
        p->is_away = true;
        break;
    case 6:
    case 7:
    case 8:
        p->is_away = false;
        break;
    default:
        change_alarm(roll(KEYS));
        break;
    }
}

TEST(peers_that_answer_have_the_alarm_list_whatever_happened)
{
    unsigned agreed = 0;
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
            agreed += !peers[n].is_away && check_agreed(n);
        }
    }
    assert_in_range(agreed, STEPS / 2, STEPS * PEERS);
}

// Lets the time pass, second by second, until something is due at the peer, and gives it.
static int64_t wait_for_post(unsigned peer)
{
    const int64_t from = now_s;
    while (!alert_list_has_due(list, &peers[peer].place, now_s * CLOCK_US_PER_S))
        now_s++;
    return now_s - from;
}

TEST(an_alert_is_posted_again_before_it_expires)
{
    change_alarm(0);
    active[0] = true;
    scan(true);
    post(0);
    assert_int_equal(wait_for_post(0), EXPIRE_S / 4);
    assert_int_equal(give(0), 1);
    assert_int_equal(wait_for_post(0), EXPIRE_S / 4);
}

// A lost post, or a post that the peer forgets, leaves no alert behind.
TEST(an_end_is_posted_again_until_the_alert_has_expired)
{
    unsigned ends = 0;
    change_alarm(0);
    active[0] = true;
    scan(true);
    post(0);
    active[0] = false;
    scan(true);
    for (const int64_t until = now_s + 2 * EXPIRE_S; now_s < until;) {
        ends += give(0) == 1;
        assert_true(ends == 0 || strstr(body_buffer, "\"link 0\"") || body_buffer[1] == ']');
        wait_for_post(0);
        scan(true);
    }
    assert_in_range(ends, 4, 5);
}

TEST(an_alert_that_begins_again_is_not_ended_by_a_repeated_end)
{
    change_alarm(0);
    active[0] = true;
    scan(true);
    post(0);
    active[0] = false;
    scan(true);
    post(0);
    active[0] = true;
    alarms[0].last_sequence++;
    scan(true);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(give(0), 1);
        take_post(&peers[0], body_buffer);
        assert_true(check_agreed(0));
        wait_for_post(0);
        scan(true);
    }
}

TEST(an_alert_that_no_peer_was_posted_has_no_end)
{
    change_alarm(0);
    active[0] = true;
    scan(true);
    active[0] = false;
    scan(true);
    assert_int_equal(give(0), 0);
    assert_true(alert_list_is_told(list, &peers[0].place));
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

// Scans until the alert with guessed labels is asked for, and puts it with these. Returns how many
// scans that took.
static unsigned scan_guessed(char *labels, bool guessed)
{
    for (unsigned n = 1; n <= 5000; n++) {
        alert_list_begin(list, now_s * CLOCK_US_PER_S);
        const bool known = alert_list_see(list, &alarms[0]);
        if (!known)
            alert_list_put(list, &alarms[0], labels, annotations_of(&alarms[0]), guessed);
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
    change_alarm(0);
    scan_guessed(labels_of(&alarms[0]), true);
    post(0);
    assert_in_range(scan_guessed(labels_of(&alarms[0]), true), 1, 2);
    assert_int_equal(give(0), 0);
    scan_guessed(strdup(FULL), false);
    assert_int_equal(give(0), 2);
    take_post(&peers[0], body_buffer);
    char *guess = labels_of(&alarms[0]);
    assert_true(held_of(&peers[0], guess)->ends <= clock_of(&peers[0]));
    assert_true(held_of(&peers[0], FULL)->ends > clock_of(&peers[0]));
    free(guess);
    for (unsigned i = 0; i < 5000; i++) { // what is known is not asked for any more
        alert_list_begin(list, now_s * CLOCK_US_PER_S);
        assert_true(alert_list_see(list, &alarms[0]));
        alert_list_end(list, true, 0);
    }
}

// An operator acknowledges an alarm whose event the journal has no longer.
TEST(known_labels_do_not_give_way_to_guessed_ones_of_the_same_event)
{
    static const char FULL[] = "{\"alarmkey\":\"link 0\",\"node\":\"leaf1\"}";
    change_alarm(0);
    scan_guessed(strdup(FULL), false);
    post(0);
    alarms[0].acknowledged_us = 1;
    snprintf(alarms[0].text, sizeof alarms[0].text, "It is known.");
    scan_guessed(labels_of(&alarms[0]), true);
    assert_int_equal(give(0), 1);
    assert_non_null(strstr(body_buffer, FULL));
    assert_non_null(strstr(body_buffer, "It is known."));
    alarms[0].last_sequence++; // another event, of which no more is known
    assert_int_equal(scan_guessed(labels_of(&alarms[0]), true), 1);
    assert_int_equal(give(0), 2);
}

// Puts the known or guessed state of the alarm after a change without an event.
static void put_changed(char *labels, bool guessed)
{
    alarms[0].acknowledged_us++;
    assert_int_equal(scan_guessed(labels, guessed), 1);
}

// A filter by names refuses or passes what lacks the names.
TEST(who_is_to_have_an_alarm_is_not_guessed_once_it_is_known)
{
    change_alarm(0);
    put_changed(labels_of(&alarms[0]), false);
    assert_int_equal(give(0), 1);
    snprintf(alarms[0].text, sizeof alarms[0].text, "It is known.");
    put_changed(NULL, true);
    assert_int_equal(give(0), 1);
    assert_non_null(strstr(body_buffer, "It is known."));
    alarms[0].last_sequence++;
    put_changed(NULL, false);
    assert_int_equal(give(0), 1); // its end
    put_changed(labels_of(&alarms[0]), true);
    assert_int_equal(give(0), 0);
}

TEST(an_alarm_that_was_refused_by_guess_is_asked_for_again)
{
    unsigned scans = 0, asked = 0;
    change_alarm(0);
    for (; scans < 20000; asked++)
        scans += scan_guessed(NULL, true);
    assert_in_range(asked, 10, 40);
    assert_int_equal(give(0), 0);
    scan_guessed(labels_of(&alarms[0]), false);
    assert_int_equal(give(0), 1);
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

TEST(an_alert_that_flaps_while_a_peer_is_away_ends_once)
{
    for (unsigned i = 0; i < 5; i++) {
        struct alert_place next;
        change_alarm(0);
        alarms[0].severity = SEVERITY_ERROR;
        snprintf(alarms[0].type, sizeof alarms[0].type, "link-down");
        active[0] = true;
        scan(true);
        assert_int_equal(take(0, ALERT_LIST_BATCH_MAX, &next), 1);
        active[0] = false;
        scan(true); // whether the peer has it, nobody knows
    }
    assert_int_equal(give(0), 1);
    assert_int_equal(give(0), 0);
}

static void add_test(unsigned n)
{
    char labels[64];
    const struct alert_list_times times = {now_s * CLOCK_US_PER_S, now_s * CLOCK_US_PER_S};
    snprintf(labels, sizeof labels, "{\"alarmkey\":\"test %u\",\"test\":\"true\"}", n);
    alert_list_add_test(list, strdup(labels), strdup("{}"), 60 * CLOCK_US_PER_S, &times);
}

// Posts to a peer that takes all. Returns how many alerts that were.
static size_t post_and_count(unsigned peer)
{
    size_t count = 0;
    for (size_t n; (n = give(peer)) > 0;)
        count += n;
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
        assert_int_equal(post_and_count(peer), 2);
    add_test(1);
    assert_int_equal(post_and_count(0), 1);
    assert_non_null(strstr(body_buffer, "]"));
}

TEST(a_test_is_forgotten_once_it_has_ended_by_itself)
{
    add_test(1);
    assert_int_equal(post_and_count(0), 1);
    now_s += 60;
    scan(true);
    peers[1].place.told = 0;
    assert_int_equal(post_and_count(1), 0);
}

TEST(tests_that_wait_for_a_peer_that_is_away_are_bounded)
{
    enum { MANY = 3 * ALERT_LIST_TESTS_MAX };
    for (unsigned i = 0; i < MANY; i++) {
        add_test(i);
        assert_int_equal(post_and_count(0), 1);
    }
    assert_int_equal(post_and_count(1), ALERT_LIST_TESTS_MAX);
    add_test(MANY);
    assert_int_equal(post_and_count(1), 1);
}

static void have_many(unsigned count)
{
    alert_list_begin(list, now_s * CLOCK_US_PER_S);
    for (unsigned i = 0; i < count; i++) {
        struct alarm a = {.last_sequence = i + 1};
        snprintf(a.key, sizeof a.key, "link %u", i);
        alert_list_put(list, &a, labels_of(&a), annotations_of(&a), false);
    }
    alert_list_end(list, true, 0);
}

TEST(a_batch_is_bounded_and_all_are_posted_in_the_end)
{
    have_many(3 * ALERT_LIST_BATCH_MAX / 2);
    assert_int_equal(post_and_count(0), 3 * ALERT_LIST_BATCH_MAX / 2);
}

// A peer that fails within each round gets every alert all the same, in turn.
TEST(a_round_goes_on_where_the_last_one_broke_off)
{
    enum { MANY = 8000, BATCHES = 5 };
    static unsigned posted[MANY];
    memset(posted, 0, sizeof posted);
    have_many(MANY);
    assert_int_equal(post_and_count(0), MANY);
    for (unsigned round = 0; round < 2 * MANY / ALERT_LIST_BATCH_MAX / BATCHES + 1; round++) {
        alert_place_forget(&peers[0].place);
        for (unsigned i = 0; i < BATCHES; i++) {
            assert_int_equal(give(0), ALERT_LIST_BATCH_MAX);
            for (const char *at = body_buffer; (at = strstr(at, "\"link ")) != NULL; at++)
                posted[atoi(at + 6)]++;
        }
        assert_false(alert_list_is_told(list, &peers[0].place));
        have_many(MANY); // the scans go on
        assert_true(peers[0].place.in_round);
    }
    for (unsigned i = 0; i < MANY; i++)
        assert_in_range(posted[i], 2, 3);
}

TEST(what_is_raised_does_not_wait_for_the_end_of_a_round)
{
    enum { MANY = 8000 };
    have_many(MANY);
    assert_int_equal(post_and_count(0), MANY);
    alert_place_forget(&peers[0].place);
    assert_int_equal(give(0), ALERT_LIST_BATCH_MAX);
    have_many(MANY + 1);
    assert_int_equal(give(0), ALERT_LIST_BATCH_MAX);
    assert_non_null(strstr(body_buffer, "\"link 8000\""));
    assert_int_equal(post_and_count(0), MANY - 2 * ALERT_LIST_BATCH_MAX + 1);
    assert_true(alert_list_is_told(list, &peers[0].place));
}

TEST(a_round_that_takes_longer_than_alerts_live_is_told)
{
    enum { MANY = 8000 };
    have_many(MANY);
    assert_int_equal(post_and_count(0), MANY);
    alert_place_forget(&peers[0].place);
    for (unsigned i = 0; i < MANY / ALERT_LIST_BATCH_MAX; i++) {
        assert_int_equal(give(0), ALERT_LIST_BATCH_MAX);
        now_s += EXPIRE_S / 10;
    }
    const int64_t late = alert_list_lateness(list, &peers[0].place, now_s * CLOCK_US_PER_S);
    assert_in_range(late, EXPIRE_US, 2 * EXPIRE_US);
    post_and_count(0);
    wait_for_post(0);
    assert_int_equal(post_and_count(0), MANY);
    assert_int_equal(alert_list_lateness(list, &peers[0].place, now_s * CLOCK_US_PER_S), 0);
}

// A text that JSON cannot have must not keep the whole list from being told.
TEST(labels_and_annotations_are_text_whatever_they_are_made_of)
{
    const struct alert_origin origin = {.source = "s", .gateway = "g", .fabric = ""};
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
    assert_non_null(strstr(annotations, catalogue_remedy("link-down")));
    free(labels);
    free(annotations);
    event_unref(event);
}

TEST(alarms_without_room_are_counted)
{
    alert_list_begin(list, now_s * CLOCK_US_PER_S);
    for (unsigned i = 0; i < ALERT_LIST_MAX + 3; i++) {
        struct alarm a = {.last_sequence = i + 1};
        snprintf(a.key, sizeof a.key, "link %u", i);
        assert_int_equal(alert_list_lacks_room(list, &a), i >= ALERT_LIST_MAX);
        if (i < ALERT_LIST_MAX)
            alert_list_put(list, &a, NULL, NULL, false);
    }
    alert_list_end(list, true, 0);
    assert_int_equal(alert_list_beyond(list), 3);
    alert_list_begin(list, now_s * CLOCK_US_PER_S);
    alert_list_end(list, true, 0);
    assert_int_equal(alert_list_beyond(list), 0);
}

#define LIST_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIST_TEST(peers_that_answer_have_the_alarm_list_whatever_happened),
        LIST_TEST(an_alert_is_posted_again_before_it_expires),
        LIST_TEST(an_end_is_posted_again_until_the_alert_has_expired),
        LIST_TEST(an_alert_that_begins_again_is_not_ended_by_a_repeated_end),
        LIST_TEST(an_alert_that_no_peer_was_posted_has_no_end),
        LIST_TEST(a_list_that_is_not_whole_ends_nothing),
        LIST_TEST(guessed_labels_give_way_to_those_that_become_known),
        LIST_TEST(known_labels_do_not_give_way_to_guessed_ones_of_the_same_event),
        LIST_TEST(who_is_to_have_an_alarm_is_not_guessed_once_it_is_known),
        LIST_TEST(an_alarm_that_was_refused_by_guess_is_asked_for_again),
        LIST_TEST(what_stays_unknown_is_asked_for_ever_more_rarely),
        LIST_TEST(an_alert_that_flaps_while_a_peer_is_away_ends_once),
        LIST_TEST(a_test_that_waits_is_posted_once),
        LIST_TEST(a_test_is_forgotten_once_it_has_ended_by_itself),
        LIST_TEST(tests_that_wait_for_a_peer_that_is_away_are_bounded),
        LIST_TEST(a_batch_is_bounded_and_all_are_posted_in_the_end),
        LIST_TEST(a_round_goes_on_where_the_last_one_broke_off),
        LIST_TEST(what_is_raised_does_not_wait_for_the_end_of_a_round),
        LIST_TEST(a_round_that_takes_longer_than_alerts_live_is_told),
        LIST_TEST(labels_and_annotations_are_text_whatever_they_are_made_of),
        LIST_TEST(alarms_without_room_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
