// SPDX-License-Identifier: BSD-2-Clause
// Connections to peers that never stop talking: before TLS is agreed on, during its handshake, and
// where a receiver has nothing to say.
#include "support.h"
#include "talker.h"

#include "base/clock.h"
#include "sink/stream.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

static struct error err;
static int listener, peer;
static uint16_t port;
static struct talker talker;

static int listen_on(int type)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, type, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    if (type == SOCK_STREAM)
        assert_int_equal(listen(fd, 4), 0);
    port = ntohs(a.sin_port);
    return fd;
}

static int setup(void **state)
{
    (void)state;
    listener = listen_on(SOCK_STREAM);
    peer = -1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (peer >= 0)
        close(peer);
    close(listener);
    return 0;
}

TEST(a_receiver_that_talks_without_end_fails)
{
    static char words[4096];
    struct stream *stream = stream_open("127.0.0.1", port, NULL, &err);
    assert_non_null(stream);
    peer = accept(listener, NULL, NULL);
    talker_start(&talker, peer, words, sizeof words);
    bool connected = true;
    while (connected && !atomic_load(&talker.silent))
        connected = stream_is_connected(stream, &err);
    assert_false(connected);
    assert_string_equal(err.text, "it sends more than it was asked for");
    stream_close(stream);
    talker_end(&talker);
}

TEST(what_a_receiver_says_now_and_then_is_ignored)
{
    struct stream *stream = stream_open("127.0.0.1", port, NULL, &err);
    assert_non_null(stream);
    peer = accept(listener, NULL, NULL);
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(send(peer, "a line of words\n", 16, 0), 16);
        stream_pause(stream, 10000);
        assert_true(stream_is_connected(stream, &err));
    }
    stream_close(stream);
}

// HelloRequests in one record. A client skips HelloRequests during its handshake (RFC 5246
// 7.4.1.1).
static uint8_t requests[5 + 4 * 4000];
static pthread_t thread;

static void *accept_and_talk(void *arg)
{
    (void)arg;
    peer = accept(listener, NULL, NULL);
    talker_start(&talker, peer, requests, sizeof requests);
    return NULL;
}

TEST(a_handshake_without_an_end_fails)
{
    const struct tls_options tls = {"", "", "", "", "localhost", NULL};
    memcpy(requests, (uint8_t[]){22, 3, 3, (sizeof requests - 5) >> 8, (sizeof requests - 5) & 255},
           5);
    assert_int_equal(pthread_create(&thread, NULL, accept_and_talk, NULL), 0);
    struct stream *stream = stream_open("127.0.0.1", port, &tls, &err);
    pthread_join(thread, NULL);
    assert_null(stream);
    assert_non_null(strstr(err.text, "it sends more than a handshake needs"));
    talker_end(&talker);
}

static void *answer_and_talk(void *arg)
{
    int fd = *(int *)arg;
    static uint8_t datagram[64];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    if (recvfrom(fd, datagram, sizeof datagram, 0, (struct sockaddr *)&from, &size) > 0 &&
        connect(fd, (struct sockaddr *)&from, size) == 0)
        talker_start(&talker, fd, datagram, sizeof datagram);
    return NULL;
}

// The client drops datagrams that are none of DTLS, and goes on reading.
TEST(a_handshake_of_datagrams_without_an_end_fails)
{
    const struct tls_options options = {"", "", "", "", "localhost", NULL};
    int far = listen_on(SOCK_DGRAM), fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(pthread_create(&thread, NULL, answer_and_talk, &far), 0);
    struct tls *tls =
        tls_open(fd, &options, clock_monotonic(&clock_system) + 60 * CLOCK_US_PER_S, &err);
    pthread_join(thread, NULL);
    assert_null(tls);
    assert_non_null(strstr(err.text, "it sends more than a handshake needs"));
    talker_end(&talker);
    close(fd);
    close(far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_receiver_that_talks_without_end_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(what_a_receiver_says_now_and_then_is_ignored, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_handshake_without_an_end_fails, setup, teardown),
        cmocka_unit_test_setup_teardown(a_handshake_of_datagrams_without_an_end_fails, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
