// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "control/server.h"
#include "ctl/client.h"
#include "ctl/protocol.h"

#include <errno.h>
#include <event2/event.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct event_base *base;
static struct server *server;
static const char *path;
static struct log *log_;
static FILE *logged;
static char log_text[4096];
static struct error err;

// Makes a long answer, and counts them.
enum { LONG_SIZE = 1 << 20 };
static unsigned long_answers;

static json_t *answer_at_length(void)
{
    static char text[LONG_SIZE + 1];
    memset(text, 'x', LONG_SIZE);
    long_answers++;
    return json_pack("{s:s}", "text", text);
}

static json_t *handle(void *ctx, const struct peer_credentials *client, const char *command,
                      const json_t *request)
{
    assert_ptr_equal(ctx, &base);
    assert_non_null(client);
    assert_true(json_is_object(request));
    if (strcmp(command, "talk") == 0)
        return answer_at_length();
    if (strcmp(command, "reload") == 0)
        return json_pack("{s:i}", "version", 1);
    return strcmp(command, "status") == 0 ? json_pack("{s:i, s:s}", "version", 1, "is", "well")
                                          : NULL;
}

static bool reads_only(const char *command)
{
    return strcmp(command, "status") == 0 || strcmp(command, "talk") == 0;
}

static struct server *start(const char *at, gid_t group)
{
    const struct server_options options = {.base = base,
                                           .path = at,
                                           .group = group,
                                           .handler = handle,
                                           .reads_only = reads_only,
                                           .ctx = &base,
                                           .log = log_};
    return server_start(&options, &err);
}

static int begin(void **state)
{
    (void)state;
    path = support_path("control");
    base = event_base_new();
    memset(log_text, 0, sizeof log_text);
    logged = fmemopen(log_text, sizeof log_text - 1, "w");
    log_ = support_log(logged);
    server = start(path, SERVER_OWN_GROUP);
    assert_non_null(server);
    return 0;
}

static int end(void **state)
{
    (void)state;
    server_stop(server);
    event_base_free(base);
    log_close(log_);
    fclose(logged);
    return 0;
}

static void serve(void)
{
    for (int i = 0; i < 8; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
}

static int connect_client(void)
{
    int fd = client_connect(path, &err);
    assert_true(fd >= 0);
    serve();
    return fd;
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
    serve();
}

static void check_answer(int fd, const char *expected)
{
    char got[1000];
    ssize_t n = recv(fd, got, sizeof got - 1, MSG_DONTWAIT);
    assert_int_equal(n, strlen(expected));
    got[n] = '\0';
    assert_string_equal(got, expected);
}

static void check_closed(int fd)
{
    char octet;
    assert_int_equal(recv(fd, &octet, 1, MSG_DONTWAIT), 0);
}

static void check_open_and_quiet(int fd)
{
    char octet;
    assert_int_equal(recv(fd, &octet, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

#define REQUEST         "{\"version\":1,\"command\":\"status\"}\n"
#define WELL            "{\"version\":1,\"is\":\"well\"}\n"
#define ERROR(sentence) "{\"version\":1,\"error\":\"" sentence "\"}\n"

TEST(a_line_gets_an_answer)
{
    int fd = connect_client();
    send_text(fd, REQUEST);
    check_answer(fd, WELL);
    send_text(fd, REQUEST REQUEST);
    check_answer(fd, WELL WELL);
    close(fd);
}

TEST(a_request_may_come_in_pieces)
{
    int fd = connect_client();
    send_text(fd, "{\"version\":1,");
    check_open_and_quiet(fd);
    send_text(fd, "\"command\":\"status\"}");
    check_open_and_quiet(fd);
    send_text(fd, "\n");
    check_answer(fd, WELL);
    close(fd);
}

TEST(errors_are_sentences)
{
    static const char *const ROWS[][2] = {
        {"nonsense\n", ERROR("the request is not JSON")},
        {"\n", ERROR("the request is not JSON")},
        {"\"status\"\n", ERROR("the request is not JSON")},
        {"[]\n", ERROR("the request needs 'version' and 'command'")},
        {"{}\n", ERROR("the request needs 'version' and 'command'")},
        {"{\"version\":\"1\",\"command\":\"status\"}\n",
         ERROR("the request needs 'version' and 'command'")},
        {"{\"version\":1,\"command\":[]}\n", ERROR("the request needs 'version' and 'command'")},
        {"{\"version\":2,\"command\":\"status\"}\n",
         ERROR("this ibtrapd speaks version 1 of the control protocol")},
        {"{\"version\":1,\"command\":\"dance\"}\n", ERROR("unknown command")},
    };
    int fd = connect_client();
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        send_text(fd, ROWS[i][0]);
        check_answer(fd, ROWS[i][1]);
    }
    close(fd);
}

TEST(the_answer_reaches_who_sends_no_more)
{
    int fd = connect_client();
    assert_int_equal(send(fd, REQUEST, strlen(REQUEST), MSG_NOSIGNAL), strlen(REQUEST));
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    serve();
    check_answer(fd, WELL);
    check_closed(fd);
    close(fd);
}

TEST(however_many_answers_reach_who_sends_no_more)
{
    static char got[100000];
    char lines[1000];
    size_t length = 0;
    int fd = connect_client();
    memset(lines, '\n', sizeof lines);
    assert_int_equal(send(fd, lines, sizeof lines, MSG_NOSIGNAL), sizeof lines);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    for (ssize_t n = 1; n != 0;) {
        serve();
        n = recv(fd, got + length, sizeof got - length, MSG_DONTWAIT);
        length += n > 0 ? (size_t)n : 0;
    }
    assert_int_equal(length, 1000 * strlen(ERROR("the request is not JSON")));
    close(fd);
}

TEST(a_line_without_end_is_not_kept)
{
    char piece[8192];
    int fd = connect_client();
    memset(piece, 'x', sizeof piece);
    for (size_t sent = 0; sent < 2 * PROTOCOL_LINE_MAX; sent += sizeof piece) {
        send(fd, piece, sizeof piece, MSG_NOSIGNAL);
        serve();
    }
    char octet;
    assert_int_not_equal(recv(fd, &octet, 1, MSG_DONTWAIT), 1);
    assert_int_not_equal(errno, EAGAIN);
    close(fd);
}

static void check_served(int fd)
{
    send_text(fd, REQUEST);
    check_answer(fd, WELL);
}

static void close_all(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        close(fds[i]);
}

TEST(one_more_client_takes_the_place_of_the_one_that_was_silent_longest)
{
    int fds[SERVER_CLIENTS_MAX];
    for (size_t i = 0; i < COUNT(fds); i++)
        fds[i] = connect_client();
    check_served(fds[0]);
    int more = connect_client();
    check_served(more);
    check_closed(fds[1]);
    check_served(fds[0]);
    check_served(fds[SERVER_CLIENTS_MAX - 1]);
    close(fds[2]);
    serve();
    fds[2] = connect_client();
    check_served(fds[2]);
    check_served(fds[3]);
    close(more);
    close_all(fds, COUNT(fds));
}

TEST(a_client_may_go_at_any_time)
{
    int fd = connect_client();
    assert_true(send(fd, REQUEST, strlen(REQUEST), MSG_NOSIGNAL) > 0);
    close(fd);
    serve();
    fd = connect_client();
    send_text(fd, REQUEST);
    check_answer(fd, WELL);
    close(fd);
}

TEST(the_socket_is_for_its_group_only)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(S_ISSOCK(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0660);
    assert_int_equal(st.st_gid, getegid());
}

// Root may become any user while it connects.
enum { STRANGER = 54321, STRANGERS = 54322, GROUP = 54323 };

static void need_root(void)
{
    if (geteuid() != 0)
        skip();
}

static int connect_as(uid_t uid, gid_t gid, gid_t other)
{
    char directory[200];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_int_equal(chmod(directory, 0711), 0);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(setgroups(1, &other), 0);
    assert_int_equal(setegid(gid), 0);
    assert_int_equal(seteuid(uid), 0);
    int fd = client_connect(path, &err);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(setegid(0), 0);
    assert_int_equal(setgroups(0, NULL), 0);
    assert_true(fd >= 0);
    serve();
    return fd;
}

static void restart(gid_t group)
{
    server_stop(server);
    server = start(path, group);
    assert_non_null(server);
}

#define RELOAD  "{\"version\":1,\"command\":\"reload\"}\n"
#define REFUSED ERROR("only root and the members of the control socket's group may do that")

static void check_may_reload(int fd)
{
    send_text(fd, RELOAD);
    check_answer(fd, "{\"version\":1}\n");
    close(fd);
}

static void check_may_only_look(int fd)
{
    send_text(fd, RELOAD);
    check_answer(fd, REFUSED);
    send_text(fd, REQUEST);
    check_answer(fd, WELL);
    close(fd);
}

TEST(the_group_is_as_wanted)
{
    struct stat st;
    need_root();
    restart(GROUP);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_gid, GROUP);
    assert_int_equal(st.st_mode & 0777, 0660);
}

TEST(a_group_that_one_is_not_in_cannot_be_given)
{
    const char *at = support_path("other-group");
    char expected[300];
    need_root();
    char directory[200];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(at, '/') - at), at);
    assert_int_equal(chmod(directory, 01777), 0);
    assert_int_equal(seteuid(STRANGER), 0);
    struct server *other = start(at, GROUP);
    assert_int_equal(seteuid(0), 0);
    assert_null(other);
    snprintf(expected, sizeof expected,
             "cannot give the control socket %s to the group 54323: Operation not permitted; the "
             "user that runs ibtrapd must be a member of it",
             at);
    assert_string_equal(err.text, expected);
    assert_int_equal(access(at, F_OK), -1);
}

TEST(the_own_user_changes_things_and_that_is_logged)
{
    char expected[100];
    check_may_reload(connect_client());
    snprintf(expected, sizeof expected, "<6>control: command 'reload' of user %u, process %d\n",
             (unsigned)geteuid(), (int)getpid());
    assert_string_equal(log_text, expected);
}

TEST(what_only_tells_is_not_logged)
{
    int fd = connect_client();
    send_text(fd, REQUEST);
    check_answer(fd, WELL);
    close(fd);
    assert_string_equal(log_text, "");
}

TEST(a_member_of_the_group_changes_things)
{
    need_root();
    restart(GROUP);
    check_may_reload(connect_as(STRANGER, GROUP, STRANGERS));
    check_may_reload(connect_as(STRANGER, STRANGERS, GROUP)); // a supplementary group
    check_may_only_look(connect_as(STRANGER, STRANGERS, STRANGERS));
}

TEST(without_a_group_the_own_one_counts)
{
    need_root();
    check_may_reload(connect_as(STRANGER, getegid(), STRANGERS));
    check_may_reload(connect_as(STRANGER, STRANGERS, getegid()));
    check_may_only_look(connect_as(STRANGER, GROUP, GROUP));
}

TEST(others_are_refused_and_that_is_logged)
{
    char expected[100];
    need_root();
    check_may_only_look(connect_as(STRANGER, STRANGERS, STRANGERS));
    snprintf(expected, sizeof expected,
             "<4>control: refused the command 'reload' of user 54321, process %d\n", (int)getpid());
    assert_string_equal(log_text, expected);
    check_may_only_look(connect_as(STRANGER, STRANGERS, STRANGERS));
    assert_string_equal(log_text, expected); // repeated requests do not fill the log
}

TEST(strangers_lock_out_neither_each_other_nor_the_members)
{
    int fds[SERVER_CLIENTS_MAX + 4];
    need_root();
    restart(GROUP);
    int other = connect_as(STRANGER + 1, STRANGERS, STRANGERS);
    int member = connect_as(STRANGER, GROUP, STRANGERS);
    for (size_t i = 0; i < COUNT(fds); i++)
        fds[i] = connect_as(STRANGER, STRANGERS, STRANGERS);
    for (size_t i = 0; i < COUNT(fds) - SERVER_STRANGER_MAX; i++)
        check_closed(fds[i]);
    check_served(fds[COUNT(fds) - SERVER_STRANGER_MAX]);
    check_served(other);
    check_served(member);
    check_may_reload(connect_client());
    close(other);
    close(member);
    close_all(fds, COUNT(fds));
}

TEST(silent_members_do_not_lock_out_root)
{
    int fds[SERVER_CLIENTS_MAX];
    need_root();
    restart(GROUP);
    for (size_t i = 0; i < COUNT(fds); i++)
        fds[i] = connect_as(STRANGER, GROUP, STRANGERS);
    int stranger = connect_as(STRANGER, STRANGERS, STRANGERS);
    check_closed(stranger);
    check_may_reload(connect_client());
    check_closed(fds[0]);
    check_served(fds[1]);
    close(stranger);
    close_all(fds, COUNT(fds));
}

// Clients that leave their answers unread are not idle, yet keep nobody out that has more rights.
TEST(members_that_do_not_read_do_not_lock_out_root)
{
    static const char TALK[] = "{\"version\":1,\"command\":\"talk\"}\n";
    int fds[SERVER_CLIENTS_MAX];
    need_root();
    restart(GROUP);
    for (size_t i = 0; i < COUNT(fds); i++) {
        fds[i] = connect_as(STRANGER, GROUP, STRANGERS);
        send_text(fds[i], TALK);
    }
    int member = connect_as(STRANGER, GROUP, STRANGERS);
    check_closed(member);
    check_may_reload(connect_client());
    close(member);
    close_all(fds, COUNT(fds));
}

TEST(a_command_that_nobody_knows_changes_something)
{
    need_root();
    int fd = connect_as(STRANGER, STRANGERS, STRANGERS);
    send_text(fd, "{\"version\":1,\"command\":\"dance\"}\n");
    check_answer(fd, REFUSED);
    close(fd);
}

TEST(what_is_logged_has_no_control_characters_and_an_end)
{
    char expected[100];
    int fd = connect_client();
    send_text(
        fd, "{\"version\":1,\"command\":\"\\u001b[2J\\n\\u009b%n abcdefghijklmnopqrstuvwxyz\"}\n");
    check_answer(fd, ERROR("unknown command"));
    snprintf(expected, sizeof expected,
             "<6>control: command '?[2J??%%n abcdefghijklmnopqrstuv' of user %u, process %d\n",
             (unsigned)geteuid(), (int)getpid());
    assert_string_equal(log_text, expected);
    close(fd);
}

TEST(a_second_server_is_refused)
{
    char expected[300];
    assert_null(start(path, SERVER_OWN_GROUP));
    snprintf(expected, sizeof expected,
             "another ibtrapd already serves the control socket %s; give this one its own (item "
             "'socket' of section 'control'), and a state directory of its own",
             path);
    assert_string_equal(err.text, expected);
    int fd = connect_client(); // the first server still works
    send_text(fd, REQUEST);
    check_answer(fd, WELL);
    close(fd);
}

TEST(a_socket_that_nobody_serves_is_replaced)
{
    const char *stale = support_path("stale");
    struct server *other = start(stale, SERVER_OWN_GROUP);
    assert_non_null(other);
    char kept[300];
    snprintf(kept, sizeof kept, "%s.kept", stale);
    assert_int_equal(rename(stale, kept), 0);
    server_stop(other);
    assert_int_equal(rename(kept, stale), 0); // as if the server had been killed
    other = start(stale, SERVER_OWN_GROUP);
    assert_non_null(other);
    server_stop(other);
    assert_int_equal(access(stale, F_OK), -1); // the socket is removed at the end
}

TEST(who_reads_nothing_is_dropped)
{
    static const char TALK[] = "{\"version\":1,\"command\":\"talk\"}\n";
    char requests[64 * sizeof TALK] = "";
    for (int i = 0; i < 64; i++)
        strcat(requests, TALK);
    int fd = connect_client();
    long_answers = 0;
    send_text(fd, requests);
    static char got[LONG_SIZE];
    ssize_t n, size = 0;
    while ((n = recv(fd, got, sizeof got, MSG_DONTWAIT)) > 0)
        size += n;
    assert_int_equal(n, 0); // the server closed the connection within its answers
    assert_in_range(long_answers, SERVER_OUTPUT_MAX / LONG_SIZE, SERVER_OUTPUT_MAX / LONG_SIZE + 1);
    assert_true(size < SERVER_OUTPUT_MAX);
    close(fd);
    fd = connect_client(); // other clients are served
    send_text(fd, REQUEST);
    check_answer(fd, WELL);
    close(fd);
}

TEST(what_is_no_socket_is_left_alone)
{
    const char *file = support_file("precious", "words", 0600);
    char expected[300], words[8] = "";
    assert_null(start(file, SERVER_OWN_GROUP));
    snprintf(expected, sizeof expected,
             "cannot listen on the control socket %s: Address already in use", file);
    assert_string_equal(err.text, expected);
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    assert_non_null(fgets(words, sizeof words, f));
    assert_string_equal(words, "words");
    fclose(f);
}

TEST(nobody_there_is_told)
{
    assert_null(client_request("/nonexistent/control", "status", json_object(), &err));
    assert_string_equal(err.text, "cannot reach ibtrapd on /nonexistent/control: No such file or "
                                  "directory; is ibtrapd running?");
}

TEST(a_command_that_lost_its_items_is_not_sent)
{
    assert_null(client_request("/nonexistent/control", "test",
                               json_pack("{s:s}", "receiver", "K\xF6ln"), &err));
    assert_string_equal(err.text, "the request is not UTF-8");
}

#define SERVER_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_line_gets_an_answer),
        SERVER_TEST(a_request_may_come_in_pieces),
        SERVER_TEST(errors_are_sentences),
        SERVER_TEST(the_answer_reaches_who_sends_no_more),
        SERVER_TEST(however_many_answers_reach_who_sends_no_more),
        SERVER_TEST(a_line_without_end_is_not_kept),
        SERVER_TEST(one_more_client_takes_the_place_of_the_one_that_was_silent_longest),
        SERVER_TEST(a_client_may_go_at_any_time),
        SERVER_TEST(the_socket_is_for_its_group_only),
        SERVER_TEST(the_group_is_as_wanted),
        SERVER_TEST(a_group_that_one_is_not_in_cannot_be_given),
        SERVER_TEST(the_own_user_changes_things_and_that_is_logged),
        SERVER_TEST(what_only_tells_is_not_logged),
        SERVER_TEST(a_member_of_the_group_changes_things),
        SERVER_TEST(without_a_group_the_own_one_counts),
        SERVER_TEST(others_are_refused_and_that_is_logged),
        SERVER_TEST(strangers_lock_out_neither_each_other_nor_the_members),
        SERVER_TEST(silent_members_do_not_lock_out_root),
        SERVER_TEST(members_that_do_not_read_do_not_lock_out_root),
        SERVER_TEST(a_command_that_nobody_knows_changes_something),
        SERVER_TEST(what_is_logged_has_no_control_characters_and_an_end),
        SERVER_TEST(a_second_server_is_refused),
        SERVER_TEST(a_socket_that_nobody_serves_is_replaced),
        SERVER_TEST(who_reads_nothing_is_dropped),
        SERVER_TEST(what_is_no_socket_is_left_alone),
        SERVER_TEST(nobody_there_is_told),
        SERVER_TEST(a_command_that_lost_its_items_is_not_sent),
    };
    signal(SIGPIPE, SIG_IGN); // as the daemon's loop does
    return cmocka_run_group_tests(tests, NULL, NULL);
}
