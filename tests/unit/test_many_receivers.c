// SPDX-License-Identifier: BSD-2-Clause
// Many receivers of one journal at once, some behind and some dead: each gets exactly the events
// that its filter passes, once and in order, whatever they share inside: also turns short enough to
// end at any place. In real time.
#include "support.h"

#include "model/catalogue.h"
#include "sink/receiver.h"

enum { EVENTS = 6000, TOGETHER = 100, RECEIVERS = 12, KINDS = 3, WINDOW = 32, DEAD = 11 };
static const int64_t LONG_US = 60 * CLOCK_US_PER_S;

// The kind of an event follows from its number.
static const enum catalogue_event KIND[KINDS] = {
    CATALOGUE_GATEWAY_STARTED, CATALOGUE_GID_IN_SERVICE, CATALOGUE_GID_OUT_OF_SERVICE};

// A receiver's end. Its thread has all but `receiver`.
struct peer {
    struct receiver *receiver;
    struct tickets *tickets;
    bool wants[KINDS];
    bool dead;
    unsigned fail_at; // this number fails once; 0: none
    unsigned numbers[EVENTS];
    size_t count, pending;
    bool wrong; // an event was not what its number says
};

static struct peer peers[RECEIVERS];
static const char *directory;
static struct journal *journal;
static struct turns *turns;
static struct log *log_;
static FILE *log_stream;
static char *log_text;
static size_t log_size;

static void expected_text(unsigned number, char out[64])
{
    snprintf(out, 64, "%u: %u", number, number * 2654435761U);
}

static bool peer_open(void *self, struct tickets *tickets, struct error *err)
{
    struct peer *peer = self;
    peer->tickets = tickets;
    return !peer->dead || error_set(err, "nobody is there");
}

static enum sink_result peer_send(void *self, const struct event *event, struct error *err)
{
    struct peer *peer = self;
    char text[64];
    unsigned number = (unsigned)strtoul(event->id, NULL, 10);
    if (number == peer->fail_at) {
        peer->fail_at = 0;
        error_set(err, "not now");
        return SINK_FAILED;
    }
    expected_text(number, text);
    peer->wrong |= strcmp(text, event->text) != 0 ||
                   event->type != catalogue_get(KIND[number % KINDS]) || peer->count == EVENTS;
    if (!peer->wrong)
        peer->numbers[peer->count++] = number;
    peer->pending++;
    return SINK_PENDING;
}

// Confirms all that is pending.
static bool peer_wait(void *self, int timeout_ms, struct error *err)
{
    (void)timeout_ms, (void)err;
    struct peer *peer = self;
    while (peer->tickets->in_flight > 0)
        tickets_settle(peer->tickets, tickets_behind(peer->tickets, 0), TICKET_DONE);
    peer->pending = 0;
    return true;
}

static void peer_close(void *self)
{
    struct peer *peer = self;
    peer->count -= peer->pending; // these come again
    peer->pending = 0;
}

static void peer_free(void *self)
{
    (void)self;
}

static void ignore_journal(void *ctx, enum journal_change change, const char *reason,
                           uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static void ignore_receiver(void *ctx, const char *receiver, enum receiver_change change,
                            const char *reason, uint64_t dropped)
{
    (void)ctx, (void)receiver, (void)change, (void)reason, (void)dropped;
}

static int begin(void **state)
{
    (void)state;
    struct error err;
    memset(peers, 0, sizeof peers);
    directory = scratch_make_in_memory();
    log_stream = open_memstream(&log_text, &log_size);
    log_ = support_log(log_stream);
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * CLOCK_US_PER_S,
                                            .patience_us = LONG_US,
                                            .notify = ignore_journal,
                                            .clock = &clock_system,
                                            .random = &random_system,
                                            .log = log_};
    journal = journal_open(&options, &err);
    turns = turns_make(2, 50);
    assert_non_null(journal);
    assert_non_null(turns);
    return 0;
}

static int end(void **state)
{
    (void)state;
    journal_close(journal);
    turns_free(turns);
    scratch_remove(directory);
    log_close(log_);
    fclose(log_stream);
    free(log_text);
    return 0;
}

// The filter names the wanted kinds; one that wants all names none.
static void set_filter(struct filter *filter, const struct peer *peer)
{
    filter_init(filter);
    for (size_t k = 0; k < KINDS; k++) {
        if (peer->wants[k])
            snprintf(filter->events.patterns[filter->events.count++], FILTER_PATTERN_SIZE, "%s",
                     catalogue_get(KIND[k])->name);
    }
}

static void start(size_t i)
{
    struct error err;
    struct peer *peer = &peers[i];
    struct receiver_options options = {.change = ignore_receiver,
                                       .clock = &clock_system,
                                       .random = &random_system,
                                       .journal = journal,
                                       .turns = turns,
                                       .log = log_};
    struct sink sink = {.open = peer_open,
                        .send = peer_send,
                        .wait = peer_wait,
                        .close = peer_close,
                        .free = peer_free,
                        .self = peer,
                        .in_flight_max = WINDOW,
                        .kind = "test"};
    snprintf(sink.name, sizeof sink.name, "r%zu", i);
    for (size_t k = 0; k < KINDS; k++)
        peer->wants[k] = (i % 8) == 0 || ((i % 8) >> k & 1) != 0;
    peer->dead = i == DEAD;
    peer->fail_at = i % 3 == 0 ? EVENTS / 2 + (unsigned)i : 0;
    set_filter(&options.filter, peer);
    peer->receiver = receiver_start(&sink, &options, &err);
    assert_non_null(peer->receiver);
}

static void append(unsigned number)
{
    struct event *event = event_make(catalogue_get(KIND[number % KINDS]));
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "%u", number);
    expected_text(number, event->text);
    event->time_us = clock_utc(&clock_system);
    journal_append(journal, event, &(struct journal_report){0});
    event_unref(event);
}

static void put_all(void)
{
    for (unsigned number = 1; number <= EVENTS; number++) {
        append(number);
        if (number % TOGETHER == 0)
            journal_commit(journal);
    }
    journal_commit(journal);
}

static int64_t lag_of(size_t i)
{
    struct receiver_status status;
    receiver_get_status(peers[i].receiver, &status);
    return status.lag;
}

// Waits until that receiver has all.
static void await(size_t i)
{
    int64_t until = clock_monotonic(&clock_system) + LONG_US;
    while (lag_of(i) > 0) {
        assert_true(clock_monotonic(&clock_system) < until);
        clock_sleep(CLOCK_US_PER_MS);
        journal_commit(journal); // the pipeline works on
    }
}

static void await_all(void)
{
    for (size_t i = 0; i < RECEIVERS; i++) {
        if (i != DEAD)
            await(i);
    }
}

static void stop_all(void)
{
    for (size_t i = 0; i < RECEIVERS; i++)
        receiver_request_stop(peers[i].receiver, 0);
    for (size_t i = 0; i < RECEIVERS; i++)
        assert_true(receiver_finish(peers[i].receiver, LONG_US));
}

static void check(const struct peer *peer)
{
    size_t count = 0;
    assert_false(peer->wrong);
    for (unsigned number = 1; number <= EVENTS; number++) {
        if (peer->wants[number % KINDS] && !peer->dead) {
            assert_true(count < peer->count);
            assert_int_equal(peer->numbers[count++], number);
        }
    }
    assert_int_equal(peer->count, count);
}

static void check_all(void)
{
    for (size_t i = 0; i < RECEIVERS; i++)
        check(&peers[i]);
}

TEST(each_gets_what_its_filter_passes)
{
    for (size_t i = 0; i < RECEIVERS; i++)
        start(i);
    put_all();
    await_all();
    stop_all();
    check_all();
}

// The receivers were stopped meanwhile: all of them read the same from the file at the same time.
TEST(those_that_come_late_get_the_same)
{
    for (size_t i = 0; i < RECEIVERS; i++) {
        start(i);
        receiver_pause(peers[i].receiver, true);
    }
    put_all();
    for (size_t i = 0; i < RECEIVERS; i++)
        receiver_pause(peers[i].receiver, false);
    await_all();
    stop_all();
    check_all();
}

TEST(one_that_is_dead_keeps_its_place)
{
    start(0);
    start(DEAD);
    put_all();
    await(0);
    assert_int_equal(lag_of(DEAD), EVENTS);
    receiver_request_stop(peers[0].receiver, 0);
    receiver_request_stop(peers[DEAD].receiver, 0);
    assert_true(receiver_finish(peers[0].receiver, LONG_US));
    assert_true(receiver_finish(peers[DEAD].receiver, LONG_US));
    check(&peers[0]);
    check(&peers[DEAD]);
}

#define MANY_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MANY_TEST(each_gets_what_its_filter_passes),
        MANY_TEST(those_that_come_late_get_the_same),
        MANY_TEST(one_that_is_dead_keeps_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
