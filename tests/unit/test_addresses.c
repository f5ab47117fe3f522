// SPDX-License-Identifier: BSD-2-Clause
// Receivers whose names have several addresses. The resolver is replaced.
#include "driver.h"
#include "sink_defaults.h"
#include "support.h"

#include "model/catalogue.h"
#include "sink/resolve.h"
#include "sink/snmp.h"
#include "sink/snmp_engine.h"
#include "sink/stream.h"
#include "sink/syslog.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static struct error err;
static struct sink sink;
static struct driver driver;
static struct event *event;

int __real_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **found);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **found);

// The names of the test, and their addresses in the resolver's order.
static const char *const NAMES[][4] = {
    {"nms", "127.0.0.2", "127.0.0.1"},
    {"both", "::1", "127.0.0.1", "2001:db8::1"},
    {"many", "127.0.0.2", "127.0.0.3", "127.0.0.4"},
};

// Links the lists of the addresses in freeaddrinfo's form.
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                       struct addrinfo **found)
{
    struct addrinfo numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    *found = NULL;
    for (size_t i = 0; !(hints->ai_flags & AI_NUMERICHOST) && i < 3; i++) {
        if (strcmp(node, NAMES[i][0]) != 0)
            continue;
        struct addrinfo **end = found;
        for (size_t j = 1; j < 4 && NAMES[i][j]; j++) {
            assert_int_equal(__real_getaddrinfo(NAMES[i][j], service, &numeric, end), 0);
            end = &(*end)->ai_next;
        }
        return 0;
    }
    return __real_getaddrinfo(node, service, hints, found);
}

static const char *order_of(enum resolve_order order)
{
    static char all[200];
    struct resolve_address found[RESOLVE_MAX];
    struct text t = text_in(all, sizeof all);
    size_t n = resolve_all("both", 162, order, found, &err);
    for (size_t i = 0; i < n; i++)
        text_addf(&t, "%s%s", i > 0 ? " " : "", found[i].text);
    return all;
}

TEST(the_order_of_the_addresses_is_chosen)
{
    assert_string_equal(order_of(RESOLVE_AS_FOUND), "::1 127.0.0.1 2001:db8::1");
    assert_string_equal(order_of(RESOLVE_IPV4_FIRST), "127.0.0.1 ::1 2001:db8::1");
    assert_string_equal(order_of(RESOLVE_IPV6_FIRST), "::1 2001:db8::1 127.0.0.1");
}

TEST(messages_name_host_and_address)
{
    struct resolve_address one[RESOLVE_MAX];
    char text[100];
    assert_int_equal(resolve_all("nms", 162, RESOLVE_AS_FOUND, one, &err), 2);
    resolve_describe("nms", &one[1], 162, text, sizeof text);
    assert_string_equal(text, "nms (127.0.0.1) port 162");
    resolve_describe("127.0.0.1", &one[1], 162, text, sizeof text);
    assert_string_equal(text, "127.0.0.1 port 162");
}

// A socket at an address, with a port that was free there, or with this one.
static int socket_at(int type, const char *address, uint16_t *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, type, 0);
    assert_int_equal(inet_pton(AF_INET, address, &a.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    *port = ntohs(a.sin_port);
    if (type == SOCK_STREAM)
        assert_int_equal(listen(fd, 1), 0);
    return fd;
}

// Datagrams that came; waits for the first one.
static int count_of(int fd)
{
    char octets[4096];
    int n = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    poll(&p, 1, 5000);
    while (recv(fd, octets, sizeof octets, MSG_DONTWAIT) > 0)
        n++;
    return n;
}

static void make_snmp(const char *host, uint16_t port, bool inform)
{
    struct snmp_target t = SNMP_TARGET_DEFAULTS;
    t.host = host;
    t.port = port;
    t.inform = inform;
    t.clock = &clock_system;
    assert_true(snmp_sink(&sink, "r", &t, &err));
}

static void make_syslog(const char *host, uint16_t port)
{
    static struct conf_receiver o;
    o = SYSLOG_DEFAULTS;
    o.transport = TRANSPORT_UDP;
    snprintf(o.host, sizeof o.host, "%s", host);
    o.port = port;
    syslog_sink(&sink, &o, 0, NULL);
}

static void end(void)
{
    driver_close(&driver);
    driver_free(&driver);
}

TEST(a_trap_goes_to_the_address_where_somebody_is)
{
    uint16_t port = 0;
    int fd = socket_at(SOCK_DGRAM, "127.0.0.1", &port);
    make_snmp("nms", port, false);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    assert_int_equal(count_of(fd), 2);
    end();
    close(fd);
}

TEST(an_inform_goes_to_the_address_where_somebody_is)
{
    uint16_t port = 0;
    int fd = socket_at(SOCK_DGRAM, "127.0.0.1", &port);
    make_snmp("nms", port, true);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, event, &err), SINK_PENDING);
    assert_int_equal(count_of(fd), 1);
    end();
    close(fd);
}

TEST(who_is_at_the_first_address_gets_all)
{
    uint16_t port = 0;
    int first = socket_at(SOCK_DGRAM, "127.0.0.2", &port);
    int second = socket_at(SOCK_DGRAM, "127.0.0.1", &port);
    make_snmp("nms", port, false);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    end();
    make_syslog("nms", port);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    end();
    assert_int_equal(count_of(first), 2);
    close(first);
    char octet;
    assert_int_equal(recv(second, &octet, 1, MSG_DONTWAIT), -1);
    close(second);
}

TEST(when_nobody_is_anywhere_all_addresses_are_named)
{
    uint16_t port = 0;
    char expected[300];
    close(socket_at(SOCK_DGRAM, "127.0.0.1", &port));
    make_snmp("many", port, false);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, event, &err), SINK_FAILED);
    snprintf(expected, sizeof expected,
             "cannot reach many (127.0.0.4) port %u: Connection refused, nor 127.0.0.2: Connection "
             "refused, nor 127.0.0.3: Connection refused",
             port);
    assert_string_equal(err.text, expected);
    end();
    assert_null(stream_open("nms", port, NULL, &err));
    snprintf(expected, sizeof expected,
             "cannot connect to nms (127.0.0.2) port %u: Connection refused, nor to 127.0.0.1: "
             "Connection refused",
             port);
    assert_string_equal(err.text, expected);
}

TEST(a_message_over_udp_goes_to_the_address_where_somebody_is)
{
    uint16_t port = 0;
    int fd = socket_at(SOCK_DGRAM, "127.0.0.1", &port);
    make_syslog("nms", port);
    assert_true(driver_open(&driver, &sink, &err));
    for (int i = 0; i < 3; i++)
        assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    assert_int_equal(count_of(fd), 3);
    end();
    close(fd);
}

// Its program ends, and a program at the other address takes its place.
TEST(a_message_over_udp_follows_who_moves_to_another_address)
{
    uint16_t port = 0;
    int second, first = socket_at(SOCK_DGRAM, "127.0.0.2", &port);
    make_syslog("nms", port);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    assert_int_equal(count_of(first), 1);
    close(first);
    second = socket_at(SOCK_DGRAM, "127.0.0.1", &port);
    assert_int_equal(driver_send(&driver, event, &err), SINK_DONE); // lost
    for (int i = 0; i < 2; i++)
        assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    assert_int_equal(count_of(second), 2);
    end();
    close(second);
}

TEST(a_message_over_udp_to_nobody_is_sent_all_the_same)
{
    uint16_t port = 0;
    close(socket_at(SOCK_DGRAM, "127.0.0.1", &port));
    make_syslog("many", port);
    assert_true(driver_open(&driver, &sink, &err));
    for (int i = 0; i < 3; i++)
        assert_int_equal(driver_send(&driver, event, &err), SINK_DONE);
    end();
}

TEST(a_stream_names_the_address_that_it_has)
{
    uint16_t port = 0;
    char expected[100];
    int fd = socket_at(SOCK_STREAM, "127.0.0.1", &port);
    struct stream *stream = stream_open("nms", port, NULL, &err);
    assert_non_null(stream);
    snprintf(expected, sizeof expected, "nms (127.0.0.1) port %u", port);
    assert_string_equal(stream_peer(stream), expected);
    stream_close(stream);
    close(fd);
}

static int begin(void **state)
{
    (void)state;
    event = event_make(catalogue_get(CATALOGUE_LINK_STATE_CHANGE));
    assert_non_null(event);
    strcpy(event->text, "Something happened.");
    snmp_begin(support_path(""), &random_system, NULL);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    event_unref(event);
    snmp_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_the_addresses_is_chosen),
        cmocka_unit_test(messages_name_host_and_address),
        cmocka_unit_test(a_trap_goes_to_the_address_where_somebody_is),
        cmocka_unit_test(an_inform_goes_to_the_address_where_somebody_is),
        cmocka_unit_test(who_is_at_the_first_address_gets_all),
        cmocka_unit_test(when_nobody_is_anywhere_all_addresses_are_named),
        cmocka_unit_test(a_message_over_udp_goes_to_the_address_where_somebody_is),
        cmocka_unit_test(a_message_over_udp_follows_who_moves_to_another_address),
        cmocka_unit_test(a_message_over_udp_to_nobody_is_sent_all_the_same),
        cmocka_unit_test(a_stream_names_the_address_that_it_has),
    };
    return cmocka_run_group_tests(tests, begin, finish);
}
