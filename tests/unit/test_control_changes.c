// SPDX-License-Identifier: BSD-2-Clause
// The commands of the control socket that wait for the pipeline, while the pipeline waits.
#include "support.h"

#include "control/commands.h"
#include "control/server.h"
#include "ctl/client.h"
#include "topology/topology.h"

#include <event2/event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LIST "{\"version\":1,\"command\":\"maintenance-list\"}\n"
#define START                                                                                      \
    "{\"version\":1,\"command\":\"maintenance-start\",\"name\":\"a\",\"until_us\":%lld,\"all\":"   \
    "true}\n"
#define NONE "{\"version\":1,\"maintenance\":[],\"held_back\":0}\n"
#define GONE                                                                                       \
    "{\"version\":1,\"error\":\"no such alarm is active; 'ibtrapctl alarms' lists keys and "       \
    "numbers\"}\n"

static const int64_t LONG_US = 3600 * CLOCK_US_PER_S, SHORT_US = 20000;
static const int64_t DEADLINE_US = 300 * CLOCK_US_PER_S;

static struct event_base *base;
static struct server *server;
static struct parts parts;
static struct control control;
static struct pipeline *pipeline;
static struct journal *journal;
static struct topology *topology;
static struct support_time now_;
static struct clock clock_;
static struct support_chance chance;
static struct random random_;
static struct log *log_;
static struct error err;

// The pipeline goes on when the gate is open.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_t caller;
static atomic_bool waits;

static void wait_at_gate(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx, (void)inside;
    atomic_store(&waits, true);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

static void *stop_pipeline_at_gate(void *arg)
{
    assert_true(pipeline_call(pipeline, wait_at_gate, NULL));
    return arg;
}

static void close_gate(void)
{
    atomic_store(&waits, false);
    pthread_mutex_lock(&gate);
    assert_int_equal(pthread_create(&caller, NULL, stop_pipeline_at_gate, NULL), 0);
    while (!atomic_load(&waits))
        usleep(200);
}

static void open_gate(void)
{
    pthread_mutex_unlock(&gate);
    assert_int_equal(pthread_join(caller, NULL), 0);
}

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static void ignore_report(void *ctx, const struct sa_report *report)
{
    (void)ctx, (void)report;
}

static int begun; // requests that a worker answers

static void *count_and_begin(void *ctx, const struct peer_credentials *client, const char *command,
                             json_t *request)
{
    begun++;
    return CONTROL_LATER.begin(ctx, client, command, request);
}

static int64_t patience_us;

static int64_t given_patience_us(const void *work)
{
    const int64_t wanted_us = (control.reload ? 25 : 8) * CLOCK_US_PER_S;
    assert_int_equal(CONTROL_LATER.patience_us(work), wanted_us);
    return patience_us;
}

static void serve(int64_t patience)
{
    patience_us = patience;
    control.answers = worker_start(base, "answers", &err);
    control.changes = worker_start(base, "changes", &err);
    control.reloads = worker_start(base, "reloads", &err);
    assert_true(control.answers && control.changes && control.reloads);
    server = server_start(&(struct server_options){.base = base,
                                                   .path = support_path("control"),
                                                   .group = SERVER_OWN_GROUP,
                                                   .handler = control_answer,
                                                   .reads_only = control_reads_only,
                                                   .later = {.worker_of = CONTROL_LATER.worker_of,
                                                             .patience_us = given_patience_us,
                                                             .begin = count_and_begin,
                                                             .work = CONTROL_LATER.work,
                                                             .late = CONTROL_LATER.late,
                                                             .end = CONTROL_LATER.end},
                                                   .ctx = &control,
                                                   .log = log_},
                          &err);
    assert_non_null(server);
}

static void serve_no_more(void)
{
    assert_true(worker_stop(control.answers, DEADLINE_US));
    assert_true(worker_stop(control.changes, DEADLINE_US));
    assert_true(worker_stop(control.reloads, DEADLINE_US));
    server_stop(server);
    worker_free(control.answers);
    worker_free(control.changes);
    worker_free(control.reloads);
}

static int begin(void **state)
{
    (void)state;
    static char directory[200];
    static unsigned journals;
    snprintf(directory, sizeof directory, "%s-%u", support_path("journal"), journals++);
    now_ = (struct support_time){.utc = SUPPORT_UTC_US};
    clock_ = support_clock(&now_);
    random_ = support_random(&chance);
    log_ = support_log(NULL);
    journal = journal_open(&(struct journal_options){.directory = directory,
                                                     .rows_max = 100000,
                                                     .bytes_max = 64 << 20,
                                                     .age_us = 86400 * CLOCK_US_PER_S,
                                                     .patience_us = SUPPORT_PATIENCE_US,
                                                     .notify = ignore_change,
                                                     .clock = &clock_,
                                                     .random = &random_,
                                                     .log = log_},
                           &err);
    assert_non_null(journal);
    topology = topology_new(NULL, &random_system, log_);
    const struct event_builder builder = {.clock = &clock_, .random = &random_};
    pipeline = pipeline_start(&(struct pipeline_options){.builder = builder,
                                                         .journal = journal,
                                                         .topology = topology,
                                                         .acknowledge = ignore_report,
                                                         .log = log_},
                              &err);
    assert_non_null(pipeline);
    parts =
        (struct parts){.journal = journal, .pipeline = pipeline, .topology = topology, .log = log_};
    control = (struct control){.parts = &parts, .builder = builder};
    base = event_base_new();
    serve(LONG_US);
    return 0;
}

static int end(void **state)
{
    (void)state;
    pipeline_stop(pipeline);
    serve_no_more();
    event_base_free(base);
    pipeline_free(pipeline);
    topology_free(topology);
    journal_close(journal);
    log_close(log_);
    return 0;
}

static int ask(const char *requests)
{
    int fd = client_connect(support_path("control"), &err);
    assert_true(fd >= 0);
    assert_int_equal(send(fd, requests, strlen(requests), MSG_NOSIGNAL), strlen(requests));
    return fd;
}

static void serve_once(void)
{
    event_base_loop(base, EVLOOP_NONBLOCK);
    usleep(200);
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

static void expect_nothing(int fd)
{
    char octet;
    assert_int_equal(recv(fd, &octet, 1, MSG_DONTWAIT), -1);
}

// Serves until the next request is with its worker, and goes no further before that has called the
// pipeline.
static void serve_until_it_waits(void)
{
    struct pipeline_counters counters = {0};
    for (const int before = begun; begun == before;)
        serve_once();
    while (counters.queued == 0) {
        usleep(200);
        pipeline_get_counters(pipeline, &counters);
    }
}

// The window "a", as answers show it.
static const char *window(void)
{
    static char text[300];
    char who[PEER_CREDENTIALS_NAME_SIZE];
    peer_credentials_name(&(struct peer_credentials){.uid = getuid()}, who);
    snprintf(text, sizeof text,
             "{\"name\":\"a\",\"until\":\"2026-11-21T03:19:04.123456Z\",\"nodes\":[],\"all\":true,"
             "\"who\":\"%s\",\"comment\":null}",
             who);
    return text;
}

static const char *done(void)
{
    static char text[400];
    snprintf(text, sizeof text,
             "{\"version\":1,\"window\":%s,\"extended\":false,\"unknown\":[],\"nameless\":[]}\n",
             window());
    return text;
}

static const char *there(void)
{
    static char text[400];
    const int length = (int)strlen(window()) - 1;
    snprintf(text, sizeof text,
             "{\"version\":1,\"maintenance\":[%.*s,\"held_back\":0}],\"held_back\":0}\n", length,
             window());
    return text;
}

static const char *start_of(int64_t ahead_us)
{
    static char text[200];
    snprintf(text, sizeof text, START, (long long)(SUPPORT_UTC_US + ahead_us));
    return text;
}

TEST(others_get_answers_while_a_change_waits)
{
    static const char *const CHANGES[][2] = {
        {"{\"version\":1,\"command\":\"maintenance-stop\",\"name\":\"b\"}\n",
         "{\"version\":1,\"error\":\"there is no maintenance of that name\"}\n"},
        {"{\"version\":1,\"command\":\"alarm-shelve\",\"alarm\":\"k\",\"minutes\":5}\n", GONE},
        {"{\"version\":1,\"command\":\"alarm-clear\",\"alarm\":\"k\",\"reason\":\"gone\"}\n", GONE},
    };
    close_gate();
    int fds[COUNT(CHANGES)], first = ask(start_of(CLOCK_US_PER_S));
    for (size_t i = 0; i < COUNT(CHANGES); i++)
        fds[i] = ask(CHANGES[i][0]);
    int other = ask(LIST "{\"version\":1,\"command\":\"alarms\"}\n");
    expect(other, NONE "{\"version\":1,\"alarms\":[],\"left_out\":0}\n");
    expect_nothing(first);
    for (size_t i = 0; i < COUNT(CHANGES); i++)
        expect_nothing(fds[i]);
    open_gate();
    expect(first, done());
    for (size_t i = 0; i < COUNT(CHANGES); i++) {
        expect(fds[i], CHANGES[i][1]);
        close(fds[i]);
    }
    close(first);
    close(other);
}

TEST(a_client_sees_its_own_change_in_the_next_answer)
{
    char requests[400];
    snprintf(requests, sizeof requests, "%s" LIST, start_of(CLOCK_US_PER_S));
    close_gate();
    int fd = ask(requests), other = ask(LIST);
    expect(other, NONE);
    expect_nothing(fd);
    open_gate();
    char answers[800];
    snprintf(answers, sizeof answers, "%s%s", done(), there());
    expect(fd, answers);
    close(fd);
    close(other);
}

static atomic_int reloads;

static bool reload_at_gate(void *ctx, struct text *restart, struct text *backlogs,
                           struct error *why)
{
    assert_ptr_equal(ctx, &gate);
    assert_true(restart->len == 0 && backlogs->len == 0);
    atomic_fetch_add(&reloads, 1);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return error_set(why, "refused");
}

// The first reload goes on; the second never begins.
TEST(who_waits_too_long_for_a_reload_hears_whether_it_goes_on)
{
    static const char RELOAD[] = "{\"version\":1,\"command\":\"reload\"}\n";
    control.reload = reload_at_gate;
    control.ctx = &gate;
    serve_no_more();
    serve(SHORT_US);
    pthread_mutex_lock(&gate);
    int fd = ask(RELOAD);
    for (const int before = begun; begun == before;)
        serve_once();
    while (atomic_load(&reloads) == 0)
        usleep(200); // the worker begins, whatever time that takes
    expect(fd, "{\"version\":1,\"error\":\"the reload takes long, as a disk or a receiver does not "
               "answer; it goes on, and the log will say how it ended\"}\n");
    int other = ask(RELOAD);
    expect(other, "{\"version\":1,\"error\":\"nothing was reloaded, as another reload takes long; "
                  "look at the log and try again\"}\n");
    pthread_mutex_unlock(&gate);
    serve_no_more();
    assert_int_equal(reloads, 1);
    serve(LONG_US);
    close(fd);
    close(other);
}

static void expect_part(const char *items, int64_t ahead_us, const char *part)
{
    char text[400], answer[1000] = "";
    snprintf(
        text, sizeof text,
        "{\"version\":1,\"command\":\"maintenance-start\",\"name\":\"a\",\"until_us\":%lld%s}\n",
        (long long)(SUPPORT_UTC_US + ahead_us), items);
    int fd = ask(text);
    for (size_t n = 0; !strchr(answer, '\n');) {
        serve_once();
        const ssize_t got = recv(fd, answer + n, sizeof answer - 1 - n, MSG_DONTWAIT);
        n += got > 0 ? (size_t)got : 0;
    }
    if (!strstr(answer, part))
        fail_msg("%s: %s", text, answer);
    close(fd);
}

TEST(a_window_is_extended_and_never_becomes_one_of_all_nodes)
{
    expect_part("", CLOCK_US_PER_S, "say which nodes, or --all");
    expect_part(",\"all\":true,\"nodes\":[\"b\"]", CLOCK_US_PER_S, "not both");
    expect_part(",\"nodes\":[\"n*\"],\"comment\":\"cables\"", CLOCK_US_PER_S,
                "\"nodes\":[\"n*\"],\"all\":false");
    expect_part("", 2 * CLOCK_US_PER_S,
                "\"until\":\"2026-11-21T03:19:05.123456Z\",\"nodes\":[\"n*\"],\"all\":false");
    expect_part("", 3 * CLOCK_US_PER_S, "\"comment\":\"cables\"},\"extended\":true");
    expect_part(",\"nodes\":[\"n*\"]", CLOCK_US_PER_S, "\"extended\":true");
    expect_part(",\"nodes\":[\"m*\"]", CLOCK_US_PER_S, "is there for other nodes");
    expect_part(",\"all\":true", CLOCK_US_PER_S, "is there for other nodes");
    expect_part(",\"comment\":\"\"", CLOCK_US_PER_S, "1 to 255 characters");
}

// The first change may be made later; the second never is.
TEST(who_waits_too_long_hears_whether_the_change_may_be_made)
{
    static const char BEGUN[] =
        "{\"version\":1,\"error\":\"the journal's disk does not write, so ibtrapd does not know "
        "yet "
        "whether this change is done; look again in a minute, and at 'ibtrapctl status'\"}\n";
    static const char IN_LINE[] = "{\"version\":1,\"error\":\"nothing was changed, as changes of "
                                  "others wait for the journal's "
                                  "disk; look at 'ibtrapctl status' and try again\"}\n";
    serve_no_more();
    serve(SHORT_US);
    close_gate();
    int fd = ask(start_of(CLOCK_US_PER_S));
    serve_until_it_waits();
    expect(fd, BEGUN);
    int other = ask("{\"version\":1,\"command\":\"maintenance-stop\",\"name\":\"a\"}\n");
    expect(other, IN_LINE);
    open_gate();
    serve_no_more();
    serve(LONG_US);
    int last = ask(LIST);
    expect(last, there());
    close(fd);
    close(other);
    close(last);
}

#define CHANGES_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHANGES_TEST(others_get_answers_while_a_change_waits),
        CHANGES_TEST(a_client_sees_its_own_change_in_the_next_answer),
        CHANGES_TEST(a_window_is_extended_and_never_becomes_one_of_all_nodes),
        CHANGES_TEST(who_waits_too_long_for_a_reload_hears_whether_it_goes_on),
        CHANGES_TEST(who_waits_too_long_hears_whether_the_change_may_be_made),
    };
    signal(SIGPIPE, SIG_IGN); // as the daemon's loop does
    alarm(600);               // without the workers, the loop would wait for the gate
    return cmocka_run_group_tests(tests, NULL, NULL);
}
