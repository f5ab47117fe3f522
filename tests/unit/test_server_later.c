// SPDX-License-Identifier: BSD-2-Clause
// The control socket's requests that a worker's thread answers.
#include "support.h"

#include "base/clock.h"
#include "control/server.h"
#include "ctl/client.h"
#include "ctl/protocol.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLOW    "{\"version\":1,\"command\":\"slow\"}\n"
#define STATUS  "{\"version\":1,\"command\":\"status\"}\n"
#define WELL    "{\"version\":1,\"is\":\"well\"}\n"
#define READ_IT "{\"version\":1,\"is\":\"read\"}\n"
#define LATE    "{\"version\":1,\"error\":\"it takes too long\"}\n"
#define IN_LINE "{\"version\":1,\"error\":\"others take too long\"}\n"
#define STOPS_BEFORE                                                                               \
    "{\"version\":1,\"error\":\"ibtrapd stops; this request was not begun: ask again\"}\n"
#define STOPS_DURING                                                                               \
    "{\"version\":1,\"error\":\"ibtrapd stops; this request may be done or not: look before you "  \
    "ask again\"}\n"
#define CROWDED                                                                                    \
    "{\"version\":1,\"error\":\"ibtrapd has too many clients and gave this place to another; "     \
    "this request was not begun: ask again\"}\n"
#define STOPPING "{\"version\":1,\"error\":\"ibtrapd is stopping\"}\n"

static const int64_t LONG_US = 3600 * CLOCK_US_PER_S, SHORT_US = 20000;
static const int64_t DEADLINE_US = 300 * CLOCK_US_PER_S;

static struct event_base *base;
static struct server *server;
static struct worker *worker;
static struct log *log_;
static FILE *logged;
static char log_text[4096];
static struct error err;

// Work ends when the gate is open.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int begun, run, ended, unwanted;

static json_t *handle(void *ctx, const struct peer_credentials *client, const char *command,
                      const json_t *request)
{
    (void)ctx, (void)client, (void)request;
    assert_string_equal(command, "status");
    return json_pack("{s:i, s:s}", "version", 1, "is", "well");
}

static bool everything(const char *command)
{
    (void)command;
    return true;
}

static struct worker *slow_worker(void *ctx, const char *command)
{
    (void)ctx;
    return strcmp(command, "slow") == 0 ? worker : NULL;
}

static void *slow_begin(void *ctx, const struct peer_credentials *client, const char *command,
                        json_t *request)
{
    (void)ctx, (void)client;
    assert_string_equal(command, "slow");
    atomic_fetch_add(&begun, 1);
    return json_incref(request);
}

// For the test in which the worker goes on while a client hears that its work has not begun: the
// client's work, and the worker's next work.
static atomic_bool late_opens_gate, last_ran, was_broken;
static _Atomic(const void *) not_begun;

static void run_last(struct worker_job *job)
{
    (void)job;
    atomic_store(&last_ran, true);
}

static void end_last(struct worker_job *job)
{
    (void)job;
}

static void slow_work(void *work)
{
    assert_non_null(work);
    if (work == not_begun)
        was_broken = true;
    atomic_fetch_add(&run, 1);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

static const char *slow_late(const void *work, bool has_begun)
{
    assert_non_null(work);
    if (!has_begun && late_opens_gate) {
        late_opens_gate = false;
        not_begun = work;
        pthread_mutex_unlock(&gate);
        while (!atomic_load(&last_ran))
            usleep(200);
    }
    return has_begun ? "it takes too long" : "others take too long";
}

static void slow_end(void *work, struct evbuffer *out)
{
    json_decref(work);
    atomic_fetch_add(out ? &ended : &unwanted, 1);
    if (out)
        evbuffer_add(out, READ_IT, strlen(READ_IT));
}

static int64_t patience_us;

static int64_t slow_patience_us(const void *work)
{
    assert_non_null(work);
    return patience_us;
}

static void start(int64_t patience)
{
    patience_us = patience;
    worker = worker_start(base, "answers", &err);
    assert_non_null(worker);
    server = server_start(&(struct server_options){.base = base,
                                                   .path = support_path("control"),
                                                   .group = SERVER_OWN_GROUP,
                                                   .handler = handle,
                                                   .reads_only = everything,
                                                   .later = {.worker_of = slow_worker,
                                                             .patience_us = slow_patience_us,
                                                             .begin = slow_begin,
                                                             .work = slow_work,
                                                             .late = slow_late,
                                                             .end = slow_end},
                                                   .log = log_},
                          &err);
    assert_non_null(server);
}

static int begin(void **state)
{
    (void)state;
    base = event_base_new();
    memset(log_text, 0, sizeof log_text);
    logged = fmemopen(log_text, sizeof log_text - 1, "w");
    log_ = support_log(logged);
    begun = run = ended = unwanted = 0;
    start(LONG_US);
    return 0;
}

// All work that was begun has an end.
static int end(void **state)
{
    (void)state;
    assert_true(worker_stop(worker, DEADLINE_US));
    server_stop(server);
    worker_free(worker);
    event_base_free(base);
    log_close(log_);
    fclose(logged);
    assert_int_equal(begun, ended + unwanted);
    return 0;
}

static void serve_once(void)
{
    event_base_loop(base, EVLOOP_NONBLOCK);
    usleep(200);
}

static void serve_until(const atomic_int *count, int wanted)
{
    const int64_t until = clock_monotonic(&clock_system) + DEADLINE_US;
    while (atomic_load(count) < wanted && clock_monotonic(&clock_system) < until)
        serve_once();
    assert_int_equal(atomic_load(count), wanted);
}

static int ask(const char *requests)
{
    int fd = client_connect(support_path("control"), &err);
    assert_true(fd >= 0);
    assert_int_equal(send(fd, requests, strlen(requests), MSG_NOSIGNAL), strlen(requests));
    return fd;
}

// Serves until all of it is there.
static void expect(int fd, const char *expected)
{
    const int64_t until = clock_monotonic(&clock_system) + DEADLINE_US;
    char got[2000];
    size_t length = 0;
    while (length < strlen(expected) && clock_monotonic(&clock_system) < until) {
        serve_once();
        ssize_t n = recv(fd, got + length, sizeof got - 1 - length, MSG_DONTWAIT);
        length += n > 0 ? (size_t)n : 0;
    }
    got[length] = '\0';
    assert_string_equal(got, expected);
}

static void expect_end(int fd)
{
    const int64_t until = clock_monotonic(&clock_system) + DEADLINE_US;
    char octet;
    ssize_t n = -1;
    while (n < 0 && clock_monotonic(&clock_system) < until) {
        serve_once();
        n = recv(fd, &octet, 1, MSG_DONTWAIT);
    }
    assert_int_equal(n, 0);
}

TEST(only_who_asks_for_it_waits)
{
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW), other = ask(STATUS);
    serve_until(&run, 1);
    expect(other, WELL);
    assert_int_equal(ended, 0);
    pthread_mutex_unlock(&gate);
    expect(fd, READ_IT);
    close(fd);
    close(other);
}

TEST(answers_keep_the_order_of_their_requests)
{
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW STATUS SLOW SLOW STATUS STATUS);
    serve_until(&run, 1);
    for (int i = 0; i < 8; i++)
        serve_once();
    assert_int_equal(begun, 1);
    pthread_mutex_unlock(&gate);
    expect(fd, READ_IT WELL READ_IT READ_IT WELL WELL);
    close(fd);
}

TEST(who_sends_no_more_gets_all_answers)
{
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW STATUS SLOW);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    serve_until(&run, 1);
    for (int i = 0; i < 8; i++)
        serve_once();
    pthread_mutex_unlock(&gate);
    expect(fd, READ_IT WELL READ_IT);
    expect_end(fd);
    close(fd);
}

TEST(who_leaves_gives_up_his_request)
{
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW);
    serve_until(&run, 1);
    int waits = ask(SLOW);
    serve_until(&begun, 2);
    close(waits); // its work has not begun
    serve_until(&unwanted, 1);
    close(fd);
    for (int i = 0; i < 8; i++)
        serve_once();
    assert_int_equal(unwanted, 1);
    pthread_mutex_unlock(&gate);
    serve_until(&unwanted, 2);
    assert_int_equal(run, 1);
}

TEST(more_clients_than_places_give_up_requests)
{
    int fds[2 * SERVER_CLIENTS_MAX];
    pthread_mutex_lock(&gate);
    for (int i = 0; i < (int)COUNT(fds); i++) {
        fds[i] = ask(SLOW);
        serve_until(&begun, i + 1);
    }
    expect(fds[1], CROWDED);
    expect_end(fds[1]);
    int more = ask(STATUS);
    expect(more, WELL); // a place is left to see what goes on
    assert_non_null(strstr(log_text, "too many clients of the control socket: user "));
    assert_non_null(strstr(log_text, "loses its place, waiting for an answer, to user "));
    pthread_mutex_unlock(&gate);
    serve_until(&ended, SERVER_CLIENTS_MAX - 1);
    expect(fds[COUNT(fds) - 1], READ_IT);
    assert_int_equal(run, SERVER_CLIENTS_MAX); // and the first, which nobody could stop
    for (size_t i = 0; i < COUNT(fds); i++)
        close(fds[i]);
    close(more);
}

TEST(a_stop_tells_who_waits_what_became_of_it)
{
    pthread_mutex_lock(&gate);
    int runs = ask(SLOW);
    serve_until(&run, 1);
    int waits = ask(SLOW), silent = ask("");
    serve_until(&begun, 2);
    server_dismiss(server);
    expect(runs, STOPS_DURING);
    expect_end(runs);
    expect(waits, STOPS_BEFORE);
    expect_end(waits);
    expect_end(silent);
    pthread_mutex_unlock(&gate);
    serve_until(&unwanted, 2);
    assert_int_equal(run, 1);
    close(runs);
    close(waits);
    close(silent);
}

TEST(an_answer_that_is_made_at_a_stop_reaches_its_client)
{
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW);
    serve_until(&begun, 1);
    while (atomic_load(&run) < 1)
        usleep(200);
    pthread_mutex_unlock(&gate);
    assert_true(worker_stop(worker, DEADLINE_US)); // the loop does not run and takes no answer
    server_dismiss(server);
    expect(fd, READ_IT);
    expect_end(fd);
    close(fd);
}

TEST(who_waits_too_long_hears_why)
{
    assert_true(worker_stop(worker, DEADLINE_US));
    server_stop(server);
    worker_free(worker);
    start(SHORT_US);
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW STATUS);
    serve_until(&begun, 1);
    while (atomic_load(&run) < 1)
        usleep(200); // the worker begins, whatever time that takes
    expect(fd, LATE WELL);
    int other = ask(SLOW); // behind the one that hangs
    expect(other, IN_LINE);
    assert_int_equal(run, 1);
    pthread_mutex_unlock(&gate);
    serve_until(&unwanted, 2);
    assert_int_equal(send(fd, STATUS, strlen(STATUS), MSG_NOSIGNAL), strlen(STATUS));
    expect(fd, WELL);
    close(fd);
    close(other);
}

// The worker begins the work while the client hears that the work has not begun.
TEST(what_had_not_begun_when_its_client_heard_so_never_does)
{
    struct worker_job last = {.run = run_last, .done = end_last};
    assert_true(worker_stop(worker, DEADLINE_US));
    server_stop(server);
    worker_free(worker);
    start(SHORT_US);
    pthread_mutex_lock(&gate);
    int first = ask(SLOW);
    serve_until(&begun, 1);
    while (atomic_load(&run) < 1)
        usleep(200);
    int second = ask(SLOW);
    serve_until(&begun, 2);
    assert_true(worker_put(worker, &last));
    late_opens_gate = true;
    expect(second, IN_LINE);
    assert_true(last_ran);
    assert_false(was_broken);
    close(first);
    close(second);
}

static const size_t MANY = (size_t)3 * PROTOCOL_LINE_MAX / (sizeof "nonsense\n" - 1);

TEST(what_comes_meanwhile_waits_within_bounds)
{
    static const char LINE[] = "nonsense\n";
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW);
    serve_until(&run, 1);
    size_t sent = 0, answers = 0, last = 0;
    char got[4096];
    for (int still = 0; still<50; still = sent> last ? 0 : still + 1, serve_once()) {
        last = sent;
        while (sent < MANY && send(fd, LINE, sizeof LINE - 1, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
            sent++;
    }
    pthread_mutex_unlock(&gate);
    assert_in_range(sent, 1, MANY);
    for (int64_t until = clock_monotonic(&clock_system) + DEADLINE_US;
         answers < sent + 1 && clock_monotonic(&clock_system) < until;) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        const ssize_t n = recv(fd, got, sizeof got, MSG_DONTWAIT);
        for (ssize_t i = 0; i < n; i++)
            answers += got[i] == '\n';
    }
    assert_int_equal(answers, sent + 1);
    close(fd);
}

TEST(a_stop_does_not_wait_for_what_hangs)
{
    pthread_mutex_lock(&gate);
    int fd = ask(SLOW), other = ask(SLOW);
    serve_until(&begun, 2);
    serve_until(&run, 1);
    assert_false(worker_stop(worker, 1000));
    int late = ask(SLOW);
    expect(late, STOPPING);
    pthread_mutex_unlock(&gate);
    assert_true(worker_stop(worker, DEADLINE_US));
    assert_int_equal(run, 1);
    close(fd);
    close(other);
    close(late);
}

#define LATER_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LATER_TEST(only_who_asks_for_it_waits),
        LATER_TEST(answers_keep_the_order_of_their_requests),
        LATER_TEST(who_sends_no_more_gets_all_answers),
        LATER_TEST(who_leaves_gives_up_his_request),
        LATER_TEST(more_clients_than_places_give_up_requests),
        LATER_TEST(a_stop_tells_who_waits_what_became_of_it),
        LATER_TEST(an_answer_that_is_made_at_a_stop_reaches_its_client),
        LATER_TEST(who_waits_too_long_hears_why),
        LATER_TEST(what_had_not_begun_when_its_client_heard_so_never_does),
        LATER_TEST(what_comes_meanwhile_waits_within_bounds),
        LATER_TEST(a_stop_does_not_wait_for_what_hangs),
    };
    signal(SIGPIPE, SIG_IGN); // as the daemon's loop does
    return cmocka_run_group_tests(tests, NULL, NULL);
}
