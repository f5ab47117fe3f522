// SPDX-License-Identifier: BSD-2-Clause
// Long answers of the metrics server: the octets at a client that reads, at a slow client, and at a
// client that leaves. The integration tests have the rest of HTTP.
#include "support.h"

#include "web/web_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIECE_SIZE = 50000, GOT_MAX = 64 << 20, ROUNDS_MAX = 100000 };

static struct event_base *base;
static struct web_server *server;
static struct log *log_;
static struct sockaddr_in address;
static const struct filter_list hosts = {.patterns = {"*.good.example"}, .count = 1};
static char *got;
static size_t got_size;

// The source: `pieces` pieces of an answer; every third piece is empty.
static unsigned pieces, made, begun, ended;
static char piece[PIECE_SIZE];

// The clock of the server and its loop: it stands but for the seconds that a test lets pass. On a
// busy machine, a second may pass between two requests.
static time_t passed;

int clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    (void)clock_id;
    *tp = (struct timespec){.tv_sec = 1000000 + passed};
    return 0;
}

static void *begin_scrape(void *ctx)
{
    assert_ptr_equal(ctx, &base);
    begun++;
    made = 0;
    return &pieces;
}

static bool next_piece(void *scrape, const char **text, size_t *size)
{
    assert_ptr_equal(scrape, &pieces);
    memset(piece, 'a' + (int)(made % 26), sizeof piece);
    *text = piece;
    *size = made % 3 == 2 ? 0 : sizeof piece;
    return ++made != pieces;
}

static void end_scrape(void *scrape)
{
    assert_ptr_equal(scrape, &pieces);
    ended++;
}

static int find_listener(void)
{
    int listens = 0;
    for (int fd = 3; fd < 256; fd++) {
        socklen_t size = sizeof listens;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens)
            return fd;
    }
    fail_msg("nobody listens");
    return -1;
}

static int begin(void **state)
{
    static const struct web_source SOURCE = {begin_scrape, next_piece, end_scrape, NULL};
    struct error err;
    (void)state;
    pieces = 1;
    begun = ended = made = 0;
    got = malloc(GOT_MAX);
    base = event_base_new();
    log_ = support_log(NULL);
    server = web_server_start(base, "127.0.0.1", 0, &hosts, &SOURCE, &base, log_, &err);
    assert_true(got && base && server);
    return getsockname(find_listener(), (struct sockaddr *)&address, &(socklen_t){sizeof address});
}

static int end(void **state)
{
    (void)state;
    web_server_stop(server);
    event_base_free(base);
    log_close(log_);
    free(got);
    return begun != ended;
}

static void serve(void)
{
    for (int i = 0; i < 20; i++)
        event_base_loop(base, EVLOOP_NONBLOCK);
}

// Clients whose receive buffer does not grow: without a limit, the system takes more and more of an
// answer that the client does not read.
static bool fixed_buffer;

static int ask(const char *request)
{
    enum { SMALL = 4096 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (fixed_buffer)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){SMALL}, sizeof(int));
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    got_size = 0;
    serve();
    return fd;
}

// Whether the socket is no connection of the server, or the connection is full: what was sent is
// confirmed, and there is no room for more.
static bool is_full(int fd)
{
    struct sockaddr_in local;
    struct tcp_info info;
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    if (getsockname(fd, (struct sockaddr *)&local, &(socklen_t){sizeof local}) != 0 ||
        local.sin_port != address.sin_port ||
        getpeername(fd, (struct sockaddr *)&local, &(socklen_t){sizeof local}) != 0)
        return true;
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &(socklen_t){sizeof info}), 0);
    return info.tcpi_unacked == 0 && poll(&room, 1, 0) == 0;
}

// Serves until the system takes nothing more of the answers that nobody reads.
static void fill_buffers(void)
{
    int full = 0;
    for (int rounds = 0; rounds < ROUNDS_MAX && full < 256; rounds++) {
        serve();
        for (full = 3; full < 256 && is_full(full);)
            full++;
        if (full < 256)
            poll(NULL, 0, 1);
    }
    assert_int_equal(full, 256);
}

// Reads until the server ends its side. Returns whether the server ended its side in good order.
static bool read_all(int fd)
{
    for (int rounds = 0; rounds < ROUNDS_MAX; rounds++) {
        assert_true(got_size < GOT_MAX - 1);
        ssize_t n = recv(fd, got + got_size, GOT_MAX - 1 - got_size, MSG_DONTWAIT);
        if (n > 0)
            got_size += (size_t)n;
        got[got_size] = '\0';
        if (n == 0 || (n < 0 && errno != EAGAIN))
            return n == 0;
        serve();
    }
    fail_msg("the answer does not end");
    return false;
}

static char *body(void)
{
    char *end_of_head = strstr(got, "\r\n\r\n");
    assert_non_null(end_of_head);
    return end_of_head + 4;
}

// Decodes the chunks in place (RFC 9112 7.1), and returns the octets. Without the last chunk it
// returns SIZE_MAX.
static size_t decode(char *from)
{
    size_t octets = 0;
    char *to = from;
    for (;;) {
        char *rest;
        const size_t chunk = strtoul(from, &rest, 16);
        if (rest == from || strncmp(rest, "\r\n", 2) != 0)
            return SIZE_MAX;
        rest += 2;
        if (chunk == 0)
            return strcmp(rest, "\r\n") == 0 ? octets : SIZE_MAX;
        if ((size_t)(got + got_size - rest) < chunk + 2)
            return SIZE_MAX;
        memmove(to + octets, rest, chunk);
        octets += chunk;
        from = rest + chunk + 2;
    }
}

static void expect_all_pieces(const char *text, size_t octets)
{
    size_t at = 0;
    bool same = true;
    for (unsigned i = 0; i < pieces; i++) {
        for (size_t n = i % 3 == 2 ? 0 : PIECE_SIZE; n > 0; n--)
            same = same && text[at++] == 'a' + (int)(i % 26);
    }
    assert_true(same);
    assert_int_equal(octets, at);
}

#define GET "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

TEST(a_lone_piece_has_a_length)
{
    char length[40];
    int fd = ask(GET);
    assert_true(read_all(fd));
    snprintf(length, sizeof length, "\r\nContent-Length: %d\r\n", PIECE_SIZE);
    assert_non_null(strstr(got, length));
    assert_null(strstr(got, "chunked"));
    expect_all_pieces(body(), strlen(body()));
    close(fd);
}

TEST(many_pieces_are_chunks)
{
    pieces = 300;
    int fd = ask(GET);
    assert_true(read_all(fd));
    assert_non_null(strstr(got, "\r\nTransfer-Encoding: chunked\r\n"));
    assert_null(strstr(got, "Content-Length"));
    char *text = body();
    expect_all_pieces(text, decode(text));
    assert_int_equal(ended, 1);
    close(fd);
}

TEST(the_last_piece_may_be_empty)
{
    pieces = 3;
    int fd = ask(GET);
    assert_true(read_all(fd));
    char *text = body();
    expect_all_pieces(text, decode(text));
    close(fd);
}

TEST(http_1_0_knows_no_chunks)
{
    pieces = 30;
    int fd = ask("GET /metrics HTTP/1.0\r\n\r\n");
    assert_true(read_all(fd));
    assert_null(strstr(got, "chunked"));
    expect_all_pieces(body(), strlen(body()));
    close(fd);
}

TEST(head_makes_no_pieces)
{
    pieces = 300;
    int fd = ask("HEAD /metrics HTTP/1.1\r\n\r\n");
    assert_true(read_all(fd));
    assert_string_equal(body(), "");
    assert_true(made <= 1 && ended == 1);
    close(fd);
}

TEST(who_does_not_read_makes_no_further_pieces)
{
    pieces = 100000; // three gigabytes
    int fd = ask(GET);
    for (int i = 0; i < 200; i++)
        serve();
    assert_true(made <
                pieces / 10); // the octets that the kernel takes for the socket, and one piece more
    close(fd);
    serve();
    assert_int_equal(ended, 1);
}

TEST(others_are_served_meanwhile)
{
    pieces = 100000;
    int slow = ask(GET);
    int fd = ask("GET / HTTP/1.1\r\n\r\n");
    assert_true(read_all(fd));
    assert_non_null(strstr(got, "200 OK"));
    close(fd);
    close(slow);
    serve();
}

TEST(a_client_that_is_replaced_ends_its_scrape)
{
    int fds[WEB_SERVER_CLIENTS_MAX + 1];
    pieces = 100000;
    for (size_t i = 0; i < COUNT(fds); i++)
        fds[i] = ask(GET);
    assert_int_equal(begun, COUNT(fds));
    assert_int_equal(ended, 1);
    for (size_t i = 0; i < COUNT(fds); i++)
        close(fds[i]);
    serve();
    assert_int_equal(ended, begun);
}

// Silent clients, for instance connections that a browser opens in advance, must not break off
// answers.
TEST(answers_under_way_are_replaced_last)
{
    int fds[3 * WEB_SERVER_CLIENTS_MAX];
    pieces = 100000;
    int slow = ask(GET);
    for (size_t i = 0; i < COUNT(fds); i++)
        fds[i] = ask(i % 2 ? "" : "GET /metrics HTTP/1.1\r\n");
    assert_int_equal(ended, 0);
    int whole = ask("GET / HTTP/1.1\r\n\r\n"); // has its answer, and stays
    int further = ask("");
    assert_int_equal(send(whole, "x", 1, MSG_NOSIGNAL), 1);
    assert_int_equal(send(whole, "x", 1, MSG_NOSIGNAL), -1);
    assert_int_equal(ended, 0);
    close(slow);
    close(whole);
    close(further);
    for (size_t i = 0; i < COUNT(fds); i++)
        close(fds[i]);
    serve();
    assert_int_equal(ended, 1);
}

// The greatest number of untaken answers leaves room for all new clients.
TEST(answers_that_nobody_takes_cost_nobody_else_a_place)
{
    int slow[WEB_SERVER_CLIENTS_MAX - 1];
    pieces = 100000;
    fixed_buffer = true;
    for (size_t i = 0; i < COUNT(slow); i++)
        slow[i] = ask(GET);
    fixed_buffer = false;
    fill_buffers();
    passed += 2;
    int scrape = ask("GET / ");
    int other = ask(""), further = ask("");
    assert_int_equal(ended, 2);
    assert_int_equal(send(scrape, "HTTP/1.1\r\n\r\n", 12, MSG_NOSIGNAL), 12);
    serve();
    assert_true(read_all(scrape));
    assert_non_null(strstr(got, "200 OK"));
    close(scrape);
    close(other);
    close(further);
    for (size_t i = 0; i < COUNT(slow); i++)
        close(slow[i]);
    serve();
    assert_int_equal(ended, COUNT(slow));
}

// Lets the client read for some seconds, a bit in each. Returns for how many it was served.
static int read_slowly(int fd, int seconds)
{
    static char some[1 << 20];
    int second = 0;
    for (; second < seconds && ended == 0; second++) {
        const unsigned before = made;
        for (int rounds = 0; rounds < ROUNDS_MAX && made == before && ended == 0; rounds++) {
            (void)!recv(fd, some, sizeof some, MSG_DONTWAIT);
            serve();
        }
        passed++;
        serve();
    }
    return second;
}

TEST(who_reads_slowly_has_a_minute)
{
    pieces = 100000;
    int fd = ask(GET);
    const int seconds = read_slowly(fd, 2 * WEB_SERVER_CLIENT_S);
    assert_in_range(seconds, WEB_SERVER_CLIENT_S - 2, WEB_SERVER_CLIENT_S + 2);
    close(fd);
}

TEST(who_stops_reading_is_dropped_soon)
{
    pieces = 100000;
    int fd = ask(GET);
    read_slowly(fd, 2);
    for (int i = 0; i < 100; i++)
        serve();
    passed += WEB_SERVER_IDLE_S + 1;
    serve();
    assert_int_equal(ended, 1);
    close(fd);
}

TEST(who_has_all_and_stays_is_dropped_soon)
{
    pieces = 30;
    int fd = ask(GET);
    assert_true(read_all(fd));
    passed += WEB_SERVER_IDLE_S + 1;
    serve();
    assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), 1);
    assert_int_equal(send(fd, "x", 1, MSG_NOSIGNAL), -1); // the server had closed, and said so
    close(fd);
}

TEST(a_stop_ends_scrapes)
{
    pieces = 100000;
    int fd = ask(GET);
    web_server_stop(server);
    server = NULL;
    assert_int_equal(ended, 1);
    close(fd);
}

// Following. The source has a batch for each call while `batches` last; then it has nothing.
static unsigned batches, follow_calls;
static bool page_off;
static int64_t last_after;

static bool has_page(void *ctx, const char *path)
{
    (void)ctx;
    return !page_off && (strcmp(path, "/doc") == 0 || strcmp(path, "/events") == 0);
}

static bool makes; // whether a document is made at once
static unsigned make_calls;
static const char *large; // the document, of LARGE octets; NULL: it is a word

enum { LARGE = 32 << 20 }; // more than the sockets hold

static bool make_page(void *ctx, const char *path, struct web_document *out)
{
    assert_ptr_equal(ctx, &base);
    assert_string_equal(path, "/doc");
    make_calls++;
    *out = (struct web_document){"text/x", "document", 8};
    if (large)
        *out = (struct web_document){"text/x", large, LARGE};
    return makes;
}

static char *follow(void *ctx, int64_t *after, size_t *size)
{
    assert_ptr_equal(ctx, &base);
    last_after = *after;
    follow_calls++;
    if (page_off)
        return NULL;
    *size = batches > 0 ? PIECE_SIZE : 0;
    batches -= batches > 0;
    *after += 1;
    char *text = malloc(PIECE_SIZE);
    memset(text, 'e', PIECE_SIZE);
    return text;
}

static int begin_page(void **state)
{
    const int result = begin(state);
    const struct web_page page = {has_page, make_page, "/events", follow, &base};
    batches = follow_calls = make_calls = 0;
    makes = true;
    page_off = false;
    large = NULL;
    web_server_serve_page(server, &page);
    return result;
}

static int end_page(void **state)
{
    begun = ended;
    return end(state);
}

#define FOLLOW "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"

static void let_pass(int seconds)
{
    for (; seconds > 0; seconds--) {
        passed++;
        serve();
    }
}

// Reads what there is; returns how many octets.
static size_t take(int fd)
{
    size_t all = 0;
    for (ssize_t n; (n = recv(fd, got, GOT_MAX - 1, MSG_DONTWAIT)) > 0;) {
        all += (size_t)n;
        got[n] = '\0';
        serve();
    }
    return all;
}

TEST(a_document_comes_with_its_headers)
{
    int fd = ask("GET /doc HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    assert_true(read_all(fd));
    assert_non_null(strstr(got, "\r\nContent-Security-Policy: default-src 'none'; "));
    assert_string_equal(body(), "document");
    close(fd);
    fd = ask("GET /doc HTTP/1.1\r\nhOST:a.example\r\n\r\n");
    assert_true(read_all(fd));
    assert_non_null(strstr(got, "HTTP/1.1 421 "));
    close(fd);
}

// What names the fabric and its problems is no less the page's secret.
TEST(each_answer_needs_a_host_that_is_near)
{
    static const char *const PATHS[] = {"/metrics", "/healthz", "/readyz", "/", "/doc", "/other"};
    char request[200];
    pieces = 1;
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        for (int good = 0; good <= 1; good++) {
            snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: a.%s.example:9117\r\n\r\n",
                     PATHS[i], good ? "good" : "bad");
            const int fd = ask(request);
            assert_true(read_all(fd));
            assert_int_equal(good, !strstr(got, "HTTP/1.1 421 "));
            close(fd);
        }
    }
}

#define ASK_DOCUMENT "GET /doc HTTP/1.1\r\nHost: x\r\n\r\n"

static void expect_nothing(int fd)
{
    assert_int_equal(recv(fd, got, 1, MSG_DONTWAIT), -1);
    assert_int_equal(errno, EAGAIN);
}

// Closes with a reset: the server hears that nobody reads.
static void leave(int fd)
{
    const struct linger reset = {.l_onoff = 1};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
    close(fd);
    serve();
}

TEST(who_wants_a_document_that_is_made_later_waits_alone)
{
    makes = false;
    int fd = ask(ASK_DOCUMENT), head = ask("HEAD /doc HTTP/1.1\r\nHost: x\r\n\r\n");
    int gone = ask(ASK_DOCUMENT), other = ask(GET);
    assert_true(read_all(other));
    assert_non_null(strstr(got, "HTTP/1.1 200 "));
    leave(gone);
    web_server_take_documents(server); // another one was made
    serve();
    expect_nothing(fd);
    makes = true;
    web_server_take_documents(server);
    assert_int_equal(make_calls, 3 + 2 + 2);
    got_size = 0;
    assert_true(read_all(fd));
    assert_string_equal(body(), "document");
    got_size = 0;
    assert_true(read_all(head));
    assert_non_null(strstr(got, "\r\nContent-Length: 8\r\n"));
    assert_string_equal(body(), "");
    web_server_take_documents(server);
    assert_int_equal(make_calls, 3 + 2 + 2);
    close(fd);
    close(head);
    close(other);
}

TEST(who_waits_too_long_for_a_document_hears_why)
{
    makes = false;
    int fd = ask(ASK_DOCUMENT);
    passed += WEB_SERVER_IDLE_S - 2;
    serve();
    expect_nothing(fd);
    passed += 4;
    assert_true(read_all(fd));
    assert_non_null(strstr(got, "HTTP/1.1 503 "));
    assert_non_null(strstr(body(), "disk does not read"));
    web_server_take_documents(server);
    assert_int_equal(make_calls, 1);
    close(fd);
    serve();
}

TEST(who_sends_no_more_gets_the_document_that_is_made_later)
{
    makes = false;
    int fd = ask(ASK_DOCUMENT), late = ask(ASK_DOCUMENT);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    serve();
    expect_nothing(fd);
    makes = true;
    web_server_take_documents(server);
    assert_true(read_all(fd));
    assert_string_equal(body(), "document");
    got_size = 0;
    assert_true(read_all(late));
    close(fd);
    close(late);
}

TEST(who_sends_no_more_and_waits_too_long_hears_why)
{
    makes = false;
    int fd = ask(ASK_DOCUMENT);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    let_pass(WEB_SERVER_IDLE_S - 2);
    expect_nothing(fd);
    let_pass(4);
    assert_true(read_all(fd));
    assert_non_null(strstr(got, "HTTP/1.1 503 "));
    close(fd);
}

// The time for reading is that of any client, not what is left of the time for making.
TEST(who_sends_no_more_has_time_to_read_a_document_that_was_made_late)
{
    char *document = calloc(1, LARGE);
    makes = false;
    large = document;
    int fd = ask(ASK_DOCUMENT);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    let_pass(WEB_SERVER_IDLE_S - 2);
    makes = true;
    web_server_take_documents(server);
    let_pass(4);
    assert_true(read_all(fd));
    assert_int_equal(got_size - (size_t)(body() - got), LARGE);
    close(fd);
    large = NULL;
    free(document);
}

TEST(who_sends_no_more_gets_many_pieces)
{
    pieces = 500; // more than the sockets hold
    int fd = ask(GET);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    serve();
    assert_true(read_all(fd));
    assert_non_null(strstr(got, "\r\n0\r\n\r\n"));
    assert_int_equal(ended, 1);
    close(fd);
}

TEST(who_leaves_before_his_request_is_whole_is_dropped)
{
    int fd = ask("GET /doc HTTP/1.1\r\n");
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    assert_true(read_all(fd));
    assert_int_equal(got_size, 0);
    close(fd);
}

TEST(a_stop_ends_those_that_wait_for_a_document)
{
    makes = false;
    int fd = ask(ASK_DOCUMENT);
    web_server_stop(server);
    server = NULL;
    serve();
    assert_int_equal(recv(fd, got, 1, MSG_DONTWAIT), 0);
    close(fd);
}

TEST(a_follower_gets_what_comes)
{
    int fd = ask("GET /events HTTP/1.1\r\nHost: x\r\nlast-event-id: 41\r\n\r\n");
    take(fd);
    batches = 2;
    let_pass(1);
    assert_int_equal(last_after, 41);
    assert_int_equal(take(fd), PIECE_SIZE);
    let_pass(1);
    assert_int_equal(last_after, 42);
    assert_int_equal(take(fd), PIECE_SIZE);
    let_pass(FOLLOWERS_BEAT_S);
    assert_int_equal(take(fd), 3);
    assert_string_equal(got, ":\n\n");
    close(fd);
    let_pass(2);
    const unsigned calls = follow_calls;
    let_pass(5);
    assert_int_equal(follow_calls, calls); // nobody follows, so nothing is made
}

TEST(a_follower_that_does_not_read_is_dropped)
{
    int fd = ask(FOLLOW);
    batches = 1000; // fifty megabytes
    let_pass(2 * FOLLOWERS_IDLE_S + 200);
    assert_true(batches > 700); // what the kernel takes, and a batch
    const unsigned calls = follow_calls;
    let_pass(5);
    assert_int_equal(follow_calls, calls);
    close(fd);
}

TEST(a_follower_lives_an_hour)
{
    int fd = ask(FOLLOW);
    let_pass(FOLLOWERS_LIFE_S - 10);
    assert_true(take(fd) > 0);
    assert_int_equal(recv(fd, got, 1, MSG_DONTWAIT), -1);
    let_pass(20);
    take(fd);
    assert_int_equal(recv(fd, got, 1, MSG_DONTWAIT), 0);
    close(fd);
}

TEST(followers_end_with_the_page)
{
    int fd = ask(FOLLOW);
    let_pass(1);
    take(fd);
    page_off = true;
    let_pass(2);
    assert_int_equal(recv(fd, got, 1, MSG_DONTWAIT), 0);
    close(fd);
}

TEST(followers_take_no_place_of_others)
{
    int fds[FOLLOWERS_MAX], further, fd;
    for (size_t i = 0; i < COUNT(fds); i++)
        fds[i] = ask(FOLLOW);
    further = ask(FOLLOW);
    assert_true(read_all(further));
    assert_non_null(strstr(got, "HTTP/1.1 503 "));
    close(further);
    for (size_t i = 0; i < 2 * WEB_SERVER_CLIENTS_MAX; i++) {
        fd = ask("GET /doc HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_true(read_all(fd));
        close(fd);
    }
    batches = FOLLOWERS_MAX;
    let_pass(2);
    for (size_t i = 0; i < COUNT(fds); i++) {
        assert_true(take(fds[i]) > PIECE_SIZE);
        close(fds[i]);
    }
}

TEST(a_stop_ends_followers)
{
    int fd = ask(FOLLOW);
    let_pass(1);
    web_server_stop(server);
    server = NULL;
    take(fd);
    assert_int_equal(recv(fd, got, 1, MSG_DONTWAIT), 0);
    close(fd);
}

#define PAGE_TEST(name)   cmocka_unit_test_setup_teardown(name, begin_page, end_page)
#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(a_lone_piece_has_a_length),
        SERVER_TEST(many_pieces_are_chunks),
        SERVER_TEST(the_last_piece_may_be_empty),
        SERVER_TEST(http_1_0_knows_no_chunks),
        SERVER_TEST(head_makes_no_pieces),
        SERVER_TEST(who_does_not_read_makes_no_further_pieces),
        SERVER_TEST(others_are_served_meanwhile),
        SERVER_TEST(a_client_that_is_replaced_ends_its_scrape),
        SERVER_TEST(answers_under_way_are_replaced_last),
        SERVER_TEST(answers_that_nobody_takes_cost_nobody_else_a_place),
        SERVER_TEST(who_reads_slowly_has_a_minute),
        SERVER_TEST(who_stops_reading_is_dropped_soon),
        SERVER_TEST(who_has_all_and_stays_is_dropped_soon),
        SERVER_TEST(a_stop_ends_scrapes),
        PAGE_TEST(a_document_comes_with_its_headers),
        PAGE_TEST(each_answer_needs_a_host_that_is_near),
        PAGE_TEST(who_wants_a_document_that_is_made_later_waits_alone),
        PAGE_TEST(who_waits_too_long_for_a_document_hears_why),
        PAGE_TEST(who_sends_no_more_gets_the_document_that_is_made_later),
        PAGE_TEST(who_sends_no_more_has_time_to_read_a_document_that_was_made_late),
        PAGE_TEST(who_sends_no_more_and_waits_too_long_hears_why),
        SERVER_TEST(who_sends_no_more_gets_many_pieces),
        SERVER_TEST(who_leaves_before_his_request_is_whole_is_dropped),
        PAGE_TEST(a_stop_ends_those_that_wait_for_a_document),
        PAGE_TEST(a_follower_gets_what_comes),
        PAGE_TEST(a_follower_that_does_not_read_is_dropped),
        PAGE_TEST(a_follower_lives_an_hour),
        PAGE_TEST(followers_end_with_the_page),
        PAGE_TEST(followers_take_no_place_of_others),
        PAGE_TEST(a_stop_ends_followers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
