// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"
#include "talker.h"

#include "sink/relp.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_MS = 300000 };

#define OPENED "200 OK\nrelp_version=0\nrelp_software=test\ncommands=syslog"

// The peer: accepts, reads the first frame and answers it. Afterwards the test speaks for it.
static int listener = -1, peer = -1;
static uint16_t port;
static const char *greeting;
static pthread_t thread;
static const struct clock *clock_;
static struct relp *relp;
static struct error err;
static struct tickets tickets;

static void say(const char *octets)
{
    assert_int_equal(send(peer, octets, strlen(octets), MSG_NOSIGNAL), strlen(octets));
}

// Reads one frame, octet by octet.
static void hear(struct relp_frame *out, char *buffer, size_t size)
{
    size_t n = 0;
    while (n < size && relp_frame_parse(buffer, n, out) == 0)
        n += (size_t)(recv(peer, buffer + n, 1, 0) == 1);
}

static void *greet(void *arg)
{
    (void)arg;
    struct relp_frame f;
    char buffer[1024];
    peer = accept(listener, NULL, NULL);
    hear(&f, buffer, sizeof buffer);
    if (strcmp(f.command, "open") == 0)
        say(greeting);
    return NULL;
}

static void expect_client(const char *answer)
{
    greeting = answer;
    assert_int_equal(pthread_create(&thread, NULL, greet, NULL), 0);
}

static int setup(void **state)
{
    (void)state;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&a, size) != 0 || listen(listener, 4) != 0)
        return -1;
    getsockname(listener, (struct sockaddr *)&a, &size);
    port = ntohs(a.sin_port);
    clock_ = &clock_system;
    relp = NULL;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (peer >= 0)
        close(peer);
    peer = -1;
    if (relp)
        relp_close(relp);
    close(listener);
    return 0;
}

static void open_with(const char *answer)
{
    expect_client(answer);
    tickets = (struct tickets){.first = 1, .base = 1};
    relp = relp_open("127.0.0.1", port, NULL, clock_, &tickets, &err);
    pthread_join(thread, NULL);
}

static const char *frame(uint32_t transaction, const char *command, const char *data)
{
    static char buffer[512];
    struct text t = text_in(buffer, sizeof buffer);
    relp_frame_add(&t, transaction, command, data, strlen(data));
    return buffer;
}

static void open_session(void)
{
    char answer[512];
    snprintf(answer, sizeof answer, "%s", frame(1, "rsp", OPENED));
    open_with(answer);
    assert_non_null(relp);
}

static void send_messages(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        assert_true(tickets_give(&tickets, tickets.newest + 1));
        assert_true(relp_send(relp, "<28>1 a message", 15, &err));
    }
}

// Returns how many messages were confirmed, or -1 if the session has failed.
static int wait_ms(int timeout_ms)
{
    const bool ok = relp_wait(relp, timeout_ms, &err);
    const int n = (int)tickets.done;
    tickets.done = 0;
    return n > 0 || ok ? n : -1;
}

static void check_broken(const char *reason)
{
    char expected[300];
    snprintf(expected, sizeof expected, "127.0.0.1 port %u: %s", port, reason);
    assert_false(relp_wait(relp, PATIENCE_MS, &err));
    assert_string_equal(err.text, expected);
}

// Frames.

TEST(frames_are_put_together)
{
    assert_string_equal(frame(1, "open", "relp_version=0"), "1 open 14 relp_version=0\n");
    assert_string_equal(frame(999999999, "close", ""), "999999999 close 0\n");
}

TEST(frames_are_taken_apart)
{
    static const char OCTETS[] = "12 rsp 6 200 OK\n0 serverclose 0\n";
    struct relp_frame f;
    for (size_t n = 0; n < 16; n++)
        assert_int_equal(relp_frame_parse(OCTETS, n, &f), 0);
    assert_int_equal(relp_frame_parse(OCTETS, sizeof OCTETS - 1, &f), 16);
    assert_int_equal(f.transaction, 12);
    assert_string_equal(f.command, "rsp");
    assert_int_equal(f.size, 6);
    assert_memory_equal(f.data, "200 OK", 6);
    assert_int_equal(relp_frame_parse(OCTETS + 16, sizeof OCTETS - 1 - 16, &f), 16);
    assert_int_equal(f.transaction, 0);
    assert_string_equal(f.command, "serverclose");
    assert_int_equal(f.size, 0);
}

TEST(numbers_begin_anew_after_the_greatest)
{
    assert_int_equal(relp_frame_next(1), 2);
    assert_int_equal(relp_frame_next(RELP_FRAME_NUMBER_MAX - 1), RELP_FRAME_NUMBER_MAX);
    assert_int_equal(relp_frame_next(RELP_FRAME_NUMBER_MAX), 1);
}

static const char *const BAD_FRAMES[] = {
    "x",
    " 1",
    "-1 rsp 0\n",
    "1  rsp 0\n",
    "1 rsp! 0\n",
    "1 rsp x\n",
    "1 rsp 0 \n",
    "1 rsp 1 ab",
    "1234567890",
    "1 rsp 1234567890",
    "HTTP/1.1 400 Bad Request\r\n",
    "1 abcdefghijklmnopqrstuvwxyzabcdefg",
    "1 rsp 6 200 OKx",
    "\n",
};

TEST(what_is_no_frame_is_noticed)
{
    struct relp_frame f;
    for (size_t i = 0; i < COUNT(BAD_FRAMES); i++) {
        if (relp_frame_parse(BAD_FRAMES[i], strlen(BAD_FRAMES[i]), &f) != -1)
            fail_msg("'%s' passes for a frame", BAD_FRAMES[i]);
    }
}

static bool answer_of(const char *data, struct relp_answer *out)
{
    static char octets[256];
    struct relp_frame f;
    snprintf(octets, sizeof octets, "%s", frame(1, "rsp", data));
    assert_true(relp_frame_parse(octets, strlen(octets), &f) > 0);
    return relp_frame_answer(&f, out);
}

TEST(answers_are_taken_apart)
{
    struct relp_answer a;
    assert_true(answer_of("500 no room\nx=1\ny", &a));
    assert_int_equal(a.code, 500);
    assert_int_equal(a.message_size, 7);
    assert_memory_equal(a.message, "no room", 7);
    assert_int_equal(a.more_size, 5);
    assert_memory_equal(a.more, "x=1\ny", 5);
    assert_true(answer_of("200", &a));
    assert_int_equal(a.code, 200);
    assert_int_equal(a.message_size + a.more_size, 0);
    assert_true(answer_of("200\nx", &a));
    assert_int_equal(a.more_size, 1);
    assert_false(answer_of("20", &a));
    assert_false(answer_of("20x OK", &a));
    assert_false(answer_of("2000", &a));
}

// Sessions.

TEST(confirmations_count_in_any_order)
{
    open_session();
    send_messages(3);
    assert_int_equal(wait_ms(0), 0);
    say(frame(4, "rsp", "200 OK"));
    say(frame(3, "rsp", "200"));
    for (int n = 0; n < 2;)
        n += wait_ms(PATIENCE_MS);
    assert_int_equal(tickets.oldest, 1);
    assert_int_equal(tickets.in_flight, 1);
    say(frame(2, "rsp", "200 OK"));
    assert_int_equal(wait_ms(PATIENCE_MS), 1);
    send_messages(1);
    say(frame(5, "rsp", "200 OK"));
    assert_int_equal(wait_ms(PATIENCE_MS), 1);
    assert_int_equal(wait_ms(0), 0);
}

TEST(answers_come_in_any_pieces)
{
    static const char ANSWERS[] = "2 rsp 6 200 OK\n3 rsp 6 200 OK\n";
    open_session();
    send_messages(2);
    int n = 0;
    for (const char *p = ANSWERS; *p; p++) {
        assert_int_equal(send(peer, p, 1, 0), 1);
        n += wait_ms(p[1] == '\0' ? PATIENCE_MS : 0);
    }
    assert_int_equal(n, 2);
}

TEST(a_whole_window_may_be_unconfirmed)
{
    open_session();
    for (int round = 0; round < 3; round++) {
        send_messages(RELP_WINDOW);
        for (uint32_t i = 0; i < RELP_WINDOW; i++)
            say(frame(2 + (uint32_t)round * RELP_WINDOW + i, "rsp", "200 OK"));
        for (int n = 0; n < RELP_WINDOW;) {
            int more = wait_ms(PATIENCE_MS);
            assert_true(more > 0);
            n += more;
        }
    }
}

TEST(what_was_confirmed_before_a_refusal_is_told_first)
{
    open_session();
    send_messages(3);
    say(frame(2, "rsp", "200 OK"));
    say(frame(3, "rsp", "500 no \x01 room"));
    say(frame(4, "rsp", "200 OK"));
    int n = 0;
    while (n < 1)
        n += wait_ms(PATIENCE_MS);
    assert_int_equal(n, 1);
    check_broken("it refuses a message: 500 no ? room");
    assert_int_equal(tickets_refused(&tickets), 2); // message 3
}

TEST(a_receiver_that_closes_is_noticed)
{
    open_session();
    send_messages(1);
    say(frame(0, "serverclose", ""));
    check_broken("it closed the session");
    assert_int_equal(tickets_refused(&tickets), 0);
}

TEST(a_connection_that_ends_is_noticed)
{
    open_session();
    send_messages(2);
    say(frame(2, "rsp", "200 OK"));
    shutdown(peer, SHUT_WR);
    assert_int_equal(wait_ms(PATIENCE_MS), 1);
    check_broken("it closed the connection");
}

TEST(answers_that_nobody_asked_for_are_refused)
{
    static const char *const ANSWERS[] = {"7 rsp 6 200 OK\n", "1 rsp 6 200 OK\n",
                                          "3 rsp 6 200 OK\n3 rsp 6 200 OK\n"};
    for (size_t i = 0; i < COUNT(ANSWERS); i++) {
        open_session();
        send_messages(2);
        say(ANSWERS[i]);
        check_broken("it answers a request that was not sent");
        relp_close(relp);
        close(peer);
    }
    relp = NULL;
    peer = -1;
}

TEST(what_is_not_relp_is_refused)
{
    static const char *const MORE[] = {"2 rsp 2 20\n", "2 syslog 6 200 OK\n", "2 rsp 6 abc OK\n"};
    for (size_t i = 0; i < COUNT(BAD_FRAMES) + COUNT(MORE); i++) {
        open_session();
        send_messages(1);
        say(i < COUNT(MORE) ? MORE[i] : BAD_FRAMES[i - COUNT(MORE)]);
        check_broken("it does not speak RELP");
        relp_close(relp);
        close(peer);
    }
    relp = NULL;
    peer = -1;
}

TEST(a_frame_that_is_too_long_is_refused)
{
    static char octets[8192];
    open_session();
    send_messages(1);
    memset(octets, 'x', sizeof octets - 1);
    memcpy(octets, "2 rsp 100000 200 ", 17);
    say(octets);
    check_broken("it does not speak RELP");
}

TEST(a_message_is_confirmed_within_thirty_seconds)
{
    struct support_time time = {0};
    const struct clock stands_still = support_clock(&time);
    clock_ = &stands_still;
    open_session();
    send_messages(2);
    time.monotonic += 30 * CLOCK_US_PER_S;
    say(frame(2, "rsp", "200 OK"));
    assert_int_equal(wait_ms(PATIENCE_MS), 1);
    time.monotonic += 30 * CLOCK_US_PER_S;
    assert_int_equal(wait_ms(0), 0);
    time.monotonic++;
    check_broken("it does not confirm a message");
}

TEST(hints_are_ignored)
{
    open_session();
    send_messages(1);
    say(frame(0, "anything", "at all"));
    say(frame(2, "rsp", "200 OK"));
    assert_int_equal(wait_ms(PATIENCE_MS), 1);
}

// Hints are valid, and a receiver that sends them without end must not keep the caller.
TEST(a_receiver_that_never_stops_talking_fails)
{
    static char hint[] = "0 hint 1000 ", hints[sizeof hint + 1000];
    struct talker talker;
    memset(hints, 'x', sizeof hints);
    memcpy(hints, hint, sizeof hint - 1);
    hints[sizeof hints - 1] = '\n';
    open_session();
    send_messages(1);
    talker_start(&talker, peer, hints, sizeof hints);
    check_broken("it sends more than it was asked for");
    talker_end(&talker);
}

TEST(a_session_that_is_refused_is_none)
{
    static const struct {
        const char *answer, *reason;
    } ROWS[] = {
        {"500 not now", "it refuses the session: 500 not now"},
        {"200 OK\nrelp_version=0\ncommands=eventlog,syslogs",
         "it offers another version of RELP, or no syslog"},
        {"200 OK\ncommands=syslog", "it offers another version of RELP, or no syslog"},
        {"200 OK", "it offers another version of RELP, or no syslog"},
        {"OK", "it does not speak RELP"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char answer[256], expected[200];
        snprintf(answer, sizeof answer, "%s", frame(1, "rsp", ROWS[i].answer));
        snprintf(expected, sizeof expected, "127.0.0.1 port %u: %s", port, ROWS[i].reason);
        open_with(answer);
        assert_null(relp);
        assert_string_equal(err.text, expected);
        close(peer);
    }
    peer = -1;
}

TEST(an_idle_session_that_was_closed_is_opened_again)
{
    char answer[512];
    open_session();
    close(peer);
    snprintf(answer, sizeof answer, "%s", frame(1, "rsp", OPENED));
    expect_client(answer);
    send_messages(1);
    pthread_join(thread, NULL);
    say(frame(2, "rsp", "200 OK"));
    assert_int_equal(wait_ms(PATIENCE_MS), 1);
}

TEST(the_end_is_told)
{
    struct relp_frame f;
    char buffer[256];
    open_session();
    relp_close(relp);
    relp = NULL;
    hear(&f, buffer, sizeof buffer);
    assert_string_equal(f.command, "close");
    assert_int_equal(f.transaction, 2);
}

int main(void)
{
#define SESSION_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_put_together),
        cmocka_unit_test(frames_are_taken_apart),
        cmocka_unit_test(what_is_no_frame_is_noticed),
        cmocka_unit_test(answers_are_taken_apart),
        cmocka_unit_test(numbers_begin_anew_after_the_greatest),
        SESSION_TEST(confirmations_count_in_any_order),
        SESSION_TEST(answers_come_in_any_pieces),
        SESSION_TEST(a_whole_window_may_be_unconfirmed),
        SESSION_TEST(what_was_confirmed_before_a_refusal_is_told_first),
        SESSION_TEST(a_receiver_that_closes_is_noticed),
        SESSION_TEST(a_connection_that_ends_is_noticed),
        SESSION_TEST(answers_that_nobody_asked_for_are_refused),
        SESSION_TEST(what_is_not_relp_is_refused),
        SESSION_TEST(a_frame_that_is_too_long_is_refused),
        SESSION_TEST(a_message_is_confirmed_within_thirty_seconds),
        SESSION_TEST(hints_are_ignored),
        SESSION_TEST(a_receiver_that_never_stops_talking_fails),
        SESSION_TEST(a_session_that_is_refused_is_none),
        SESSION_TEST(an_idle_session_that_was_closed_is_opened_again),
        SESSION_TEST(the_end_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
