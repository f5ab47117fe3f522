// SPDX-License-Identifier: BSD-2-Clause
#include "driver.h"
#include "sink_defaults.h"
#include "support.h"
#include "talker.h"

#include "mib_root.h"
#include "model/catalogue.h"
#include "model/mib.h"
#include "sink/snmp.h"
#include "sink/snmp_engine.h"
#include "sink/snmp_pdu.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error err;
static struct sink sink;
static struct driver driver;
static struct support_time stands;
static struct clock clock_of_test;

static struct snmp_target target(void)
{
    struct snmp_target t = SNMP_TARGET_DEFAULTS;
    t.host = "127.0.0.1";
    t.clock = &clock_of_test;
    return t;
}

static struct snmp_target v3_target(void)
{
    struct snmp_target t = target();
    t.version = SNMP_V3;
    t.user = (struct snmp_user){.name = "operator",
                                .auth = SNMP_SHA256,
                                .auth_password = "correct horse",
                                .priv = SNMP_AES128,
                                .priv_password = "battery staple"};
    return t;
}

static struct event *event_of(enum catalogue_event type)
{
    struct event *e = event_make(catalogue_get(type));
    assert_non_null(e);
    e->switch_guid = UINT64_C(0x0002c90300001234);
    e->notice.lid = 7;
    e->notice.port = 17;
    strcpy(e->text, "Something happened.");
    return e;
}

// A UDP socket of the test, and a receiver with this destination.
static int peer_of(struct snmp_target *t)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    t->port = ntohs(a.sin_port);
    return fd;
}

// Answers one inform as a receiver does: the same message with the tag of a response, and an error
// status (RFC 3416 3) behind the request-id, which has four octets.
static void answer_with(int fd, uint8_t status)
{
    uint8_t message[2048];
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t n = recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&from, &size);
    assert_true(n > 0);
    uint8_t *tag = memchr(message, 0xa6, (size_t)n);
    assert_non_null(tag);
    *tag = 0xa2;
    uint8_t *errors = memmem(tag, 20, (uint8_t[]){2, 1, 0, 2, 1, 0}, 6);
    assert_non_null(errors);
    errors[2] = status;
    assert_int_equal(sendto(fd, message, (size_t)n, 0, (struct sockaddr *)&from, size), n);
}

static void answer(int fd)
{
    answer_with(fd, SNMP_ERR_NOERROR);
}

TEST(a_receiver_says_what_it_is)
{
    struct snmp_target t = v3_target();
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_string_equal(sink.name, "nms");
    assert_string_equal(sink.kind, "snmp");
    assert_string_equal(sink.address, "127.0.0.1 port 162");
    assert_int_equal(sink.in_flight_max, 0);
    assert_null(sink.wait);
    sink.free(sink.self);

    t.inform = true;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_int_equal(sink.in_flight_max, 64);
    assert_non_null(sink.wait);
    sink.free(sink.self);
}

static void check_notifications(enum catalogue_event type, unsigned sets, size_t n,
                                const struct mib_notification *first,
                                const struct mib_notification *second)
{
    const struct mib_notification *found[SNMP_PDU_NOTIFICATIONS_MAX] = {NULL};
    struct event *e = event_of(type);
    assert_int_equal(snmp_pdu_notifications(e, sets, false, found), n);
    assert_ptr_equal(found[0], first);
    assert_ptr_equal(found[1], second);
    event_unref(e);
}

static void check_test(enum catalogue_event type, unsigned sets, bool extra, size_t n,
                       const struct mib_notification *first)
{
    const struct mib_notification *found[SNMP_PDU_NOTIFICATIONS_MAX] = {NULL};
    struct event *e = event_of(type);
    e->test = e->event_trap = true;
    assert_int_equal(snmp_pdu_notifications(e, sets, extra, found), n);
    assert_ptr_equal(found[0], first);
    event_unref(e);
}

TEST(a_test_cannot_be_taken_for_a_real_event)
{
    const enum catalogue_event trap = CATALOGUE_LINK_INTEGRITY_THRESHOLD;
    const unsigned all = SNMP_SET_SMA | SNMP_SET_SWITCH | SNMP_SET_OWN | SNMP_SET_EVENT;
    check_test(trap, 0, false, 1, &mib_ibtrapdTestEvent);
    check_test(trap, SNMP_SET_SMA, false, 1, &mib_ibtrapdTestEvent);
    check_test(trap, SNMP_SET_EVENT, false, 1, &mib_ibtrapdTestEvent);
    check_test(CATALOGUE_HOST_REMOVED, 0, false, 1, &mib_ibtrapdHostRemoved);
    check_test(CATALOGUE_HOST_REMOVED, all, false, 1, &mib_ibtrapdHostRemoved);
    // Where the event itself would not be sent, its test is not.
    check_test(CATALOGUE_HOST_REMOVED, SNMP_SET_SMA, false, 0, NULL);
    // Each notification says: this is a test.
    check_test(trap, 0, true, 2, &mib_ibSmaLinkIntegrityThresReached);
    check_test(CATALOGUE_HOST_REMOVED, all, true, 3, &mib_gswIBTopoTrap);
}

TEST(sets_choose_notifications)
{
    const struct mib_notification *sma = &mib_ibSmaLinkIntegrityThresReached,
                                  *gsw = &mib_gswIBPortTrap;
    const enum catalogue_event type = CATALOGUE_LINK_INTEGRITY_THRESHOLD;
    check_notifications(type, 0, 2, sma, gsw);
    check_notifications(type, SNMP_SET_SMA, 1, sma, NULL);
    check_notifications(type, SNMP_SET_SWITCH, 1, gsw, NULL);
    check_notifications(type, SNMP_SET_OWN, 0, NULL, NULL);
    const struct mib_notification *own = &mib_ibtrapdGidInService;
    check_notifications(CATALOGUE_GID_IN_SERVICE, 0, 1, own, NULL);
    check_notifications(CATALOGUE_GID_IN_SERVICE, SNMP_SET_OWN, 1, own, NULL);
    check_notifications(CATALOGUE_GID_IN_SERVICE, SNMP_SET_SMA | SNMP_SET_SWITCH, 0, NULL, NULL);
    // A change of the fabric gives one or two notifications of the IBSWITCH-MIB.
    const struct mib_notification *com = &mib_gswTopoComTrap, *topo = &mib_gswIBTopoTrap;
    check_notifications(CATALOGUE_SWITCH_REMOVED, 0, 2, com, topo);
    check_notifications(CATALOGUE_SWITCH_REMOVED, SNMP_SET_SMA | SNMP_SET_SWITCH | SNMP_SET_OWN, 3,
                        com, topo);
    check_notifications(CATALOGUE_HOST_REMOVED, 0, 1, topo, NULL);
    check_notifications(CATALOGUE_HOST_REMOVED, SNMP_SET_SWITCH | SNMP_SET_OWN, 2, topo,
                        &mib_ibtrapdHostRemoved);
    check_notifications(CATALOGUE_HOST_REMOVED, SNMP_SET_SMA, 0, NULL, NULL);
    check_notifications(CATALOGUE_LINK_DEGRADED, 0, 1, &mib_ibtrapdLinkDegraded, NULL);
    // The link's ends are not known to be switches.
    check_notifications(CATALOGUE_LINK_DOWN, 0, 1, &mib_ibtrapdLinkRemoved, NULL);
}

static size_t count_varbinds_of(const netsnmp_pdu *pdu)
{
    size_t n = 0;
    for (const netsnmp_variable_list *v = pdu->variables; v; v = v->next_variable)
        n++;
    return n;
}

static void check_v1(enum catalogue_event type, const struct mib_notification *notification,
                     const char *enterprise, long specific)
{
    static const uint8_t AGENT[] = {192, 0, 2, 1};
    const struct snmp_pdu_options options = {.uptime_cs = 4711, .agent_address = AGENT};
    struct event *e = event_of(type);
    netsnmp_pdu *pdu = snmp_pdu_make_v1(e, notification, &options);
    assert_non_null(pdu);
    char oid_text[128] = "";
    for (size_t i = 0; i < pdu->enterprise_length; i++)
        sprintf(oid_text + strlen(oid_text), "%s%lu", i > 0 ? "." : "", pdu->enterprise[i]);
    assert_string_equal(oid_text, enterprise);
    assert_int_equal(pdu->trap_type, 6);
    assert_int_equal(pdu->specific_type, specific);
    assert_int_equal(pdu->time, 4711);
    assert_memory_equal(pdu->agent_addr, AGENT, sizeof AGENT);
    for (const netsnmp_variable_list *v = pdu->variables; v; v = v->next_variable)
        assert_int_not_equal(v->type, ASN_COUNTER64);
    snmp_free_pdu(pdu);
    event_unref(e);
}

TEST(v1_is_translated_as_rfc_3584_says)
{
    check_v1(CATALOGUE_LINK_INTEGRITY_THRESHOLD, &mib_ibSmaLinkIntegrityThresReached,
             "1.3.6.1.3.117.3.2", 2);
    check_v1(CATALOGUE_LINK_INTEGRITY_THRESHOLD, &mib_gswIBPortTrap, "1.3.6.1.3.2.2.1", 5);
    check_v1(CATALOGUE_BAD_MKEY, &mib_gswIBSwitchTrap, "1.3.6.1.3.2.2.1", 8);
    check_v1(CATALOGUE_GID_IN_SERVICE, &mib_ibtrapdGidInService, MIB_ROOT, 1);
    // Without the zero, only the last sub-identifier is removed.
    const struct mib_notification other = {.oid = {{1, 3, 6, 1, 4, 1, 9, 5}, 8}};
    check_v1(CATALOGUE_GID_IN_SERVICE, &other, "1.3.6.1.4.1.9", 5);
}

TEST(additions_come_last_and_once)
{
    enum { EXTRA = 15 }; // objects of MIB_EXTRA
    static const uint8_t ADDRESS[] = {192, 0, 2, 1};
    const struct snmp_pdu_options options = {.extra = true, .trap_address = ADDRESS};
    struct event *e = event_of(CATALOGUE_LINK_INTEGRITY_THRESHOLD);
    netsnmp_pdu *pdu =
        snmp_pdu_make(SNMP_MSG_TRAP2, e, &mib_ibSmaLinkIntegrityThresReached, &options);
    assert_int_equal(count_varbinds_of(pdu), 2 + 2 + EXTRA + 1);
    snmp_free_pdu(pdu);
    event_unref(e);
    e = event_of(CATALOGUE_GID_IN_SERVICE); // the notification has seven of them anyway
    pdu = snmp_pdu_make(SNMP_MSG_TRAP2, e, &mib_ibtrapdGidInService, &options);
    assert_int_equal(count_varbinds_of(pdu), 2 + 1 + EXTRA + 1);
    snmp_free_pdu(pdu);
    event_unref(e);
    e = event_of(CATALOGUE_SUBSCRIPTION_LOST); // and this one nine
    pdu = snmp_pdu_make(SNMP_MSG_TRAP2, e, &mib_ibtrapdSubscriptionLost, &options);
    assert_int_equal(count_varbinds_of(pdu), 2 + 1 + EXTRA + 1);
    snmp_free_pdu(pdu);
    event_unref(e);
}

// Whether the last varbind says: this is a test.
static bool ends_as_test(const struct event *e, const struct mib_notification *notification,
                         bool extra)
{
    const struct mib_oid *wanted = &mib_ibtrapdTest.oid;
    const struct snmp_pdu_options options = {.extra = extra};
    netsnmp_pdu *pdu = snmp_pdu_make(SNMP_MSG_TRAP2, e, notification, &options);
    const netsnmp_variable_list *last = pdu->variables;
    while (last->next_variable)
        last = last->next_variable;
    bool same = last->name_length == wanted->length + 1U;
    for (size_t i = 0; same && i < wanted->length; i++)
        same = last->name[i] == wanted->ids[i];
    same = same && *last->val.integer == 1;
    snmp_free_pdu(pdu);
    return same;
}

TEST(each_notification_of_a_test_says_so)
{
    struct event *e = event_of(CATALOGUE_HOST_REMOVED);
    assert_false(ends_as_test(e, &mib_ibtrapdHostRemoved, false));
    assert_false(ends_as_test(e, &mib_ibtrapdHostRemoved, true)); // it says that it is none
    e->test = true;
    assert_true(ends_as_test(e, &mib_ibtrapdHostRemoved, false));
    assert_true(ends_as_test(e, &mib_ibtrapdHostRemoved, true));
    assert_true(ends_as_test(e, &mib_gswIBTopoTrap, true));
    assert_true(ends_as_test(e, &mib_ibtrapdTestEvent, false));
    event_unref(e);
}

TEST(what_is_not_for_it_is_skipped)
{
    struct snmp_target t = target();
    int fd = peer_of(&t);
    t.inform = true;
    t.sets = SNMP_SET_SMA;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    struct event *e = event_of(CATALOGUE_GID_IN_SERVICE);
    assert_int_equal(driver_send(&driver, e, &err), SINK_SKIPPED);
    assert_int_equal(driver_wait(&driver, 0, &err), 0);
    event_unref(e);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

TEST(an_event_is_acknowledged_when_all_its_informs_are)
{
    struct snmp_target t = target();
    int fd = peer_of(&t);
    t.inform = true;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    struct event *e = event_of(CATALOGUE_LINK_INTEGRITY_THRESHOLD); // two notifications
    assert_int_equal(driver_send(&driver, e, &err), SINK_PENDING);
    assert_int_equal(driver_wait(&driver, 0, &err), 0);
    answer(fd);
    assert_int_equal(driver_wait(&driver, 50, &err), 0);
    answer(fd);
    assert_int_equal(driver_wait(&driver, 1000, &err), 1);
    assert_int_equal(driver_wait(&driver, 0, &err), 0);
    event_unref(e);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

static void check_sent(const char *id, const char *key, const char *cause, enum sink_result result)
{
    struct event *e = event_of(CATALOGUE_GID_IN_SERVICE);
    snprintf(e->id, sizeof e->id, "%s", id);
    snprintf(e->alarm_key, sizeof e->alarm_key, "%s", key);
    snprintf(e->cause_id, sizeof e->cause_id, "%s", cause);
    assert_int_equal(driver_send(&driver, e, &err), result);
    event_unref(e);
}

TEST(an_event_does_not_overtake_one_that_it_belongs_to)
{
    struct snmp_target t = target();
    int fd = peer_of(&t);
    t.inform = true;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    check_sent("first", "", "", SINK_PENDING);
    check_sent("a", "link a", "", SINK_BLOCKED); // no answer has come yet
    answer(fd);
    assert_int_equal(driver_wait(&driver, 1000, &err), 1);

    check_sent("a", "link a", "", SINK_PENDING);
    check_sent("b", "link b", "", SINK_PENDING);
    check_sent("plain", "", "", SINK_PENDING);
    check_sent("plain too", "", "", SINK_PENDING);
    check_sent("a again", "link a", "", SINK_BLOCKED);
    check_sent("b again", "link b", "", SINK_BLOCKED);
    check_sent("after a", "link c", "a", SINK_BLOCKED);
    check_sent("after none of these", "link c", "z", SINK_PENDING);

    answer(fd); // a
    assert_int_equal(driver_wait(&driver, 1000, &err), 1);
    check_sent("a again", "link a", "", SINK_PENDING);
    check_sent("after a", "link d", "a", SINK_PENDING);
    check_sent("b again", "link b", "", SINK_BLOCKED);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

TEST(an_answer_out_of_order_lets_its_alarm_go_on)
{
    struct snmp_target t = target();
    int fd = peer_of(&t);
    t.inform = true;
    t.timeout_ms = 60000;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    check_sent("first", "", "", SINK_PENDING);
    answer(fd);
    assert_int_equal(driver_wait(&driver, 1000, &err), 1);
    check_sent("lost", "link a", "", SINK_PENDING);
    uint8_t lost[2048];
    assert_true(recv(fd, lost, sizeof lost, 0) > 0);
    check_sent("b", "link b", "", SINK_PENDING);
    answer(fd);
    assert_int_equal(driver_wait(&driver, 50, &err), 0); // the older one is not answered
    check_sent("b again", "link b", "", SINK_PENDING);
    check_sent("a again", "link a", "", SINK_BLOCKED);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

TEST(a_refused_event_is_known)
{
    struct snmp_target t = target();
    int fd = peer_of(&t);
    t.inform = true;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    check_sent("first", "", "", SINK_PENDING);
    answer(fd);
    assert_int_equal(driver_wait(&driver, 1000, &err), 1);
    for (int i = 0; i < 4; i++)
        check_sent("one of four", "", "", SINK_PENDING);
    answer(fd);
    answer(fd);
    answer_with(fd, SNMP_ERR_GENERR);
    int n = 0, confirmed = 0;
    while ((n = driver_wait(&driver, 1000, &err)) > 0)
        confirmed += n;
    assert_int_equal(n, -1);
    assert_int_equal(confirmed, 2); // what it took counts first
    assert_int_equal(driver_refused(&driver), 0);
    assert_non_null(strstr(err.text, "answers with error '(genError)"));
    check_sent("another", "", "", SINK_BLOCKED); // the session has failed
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

TEST(what_is_not_answered_is_not_refused)
{
    struct snmp_target t = target();
    int fd = peer_of(&t);
    t.inform = true;
    t.timeout_ms = 20;
    t.retries = 0;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    check_sent("first", "", "", SINK_PENDING);
    int n = 0;
    for (int i = 0; i < 100 && n == 0; i++)
        n = driver_wait(&driver, 50, &err);
    assert_int_equal(n, -1);
    assert_int_equal(driver_refused(&driver), -1);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

TEST(informs_are_sent_again_and_then_fail)
{
    struct snmp_target t = target();
    int fd = peer_of(&t);
    t.inform = true;
    t.timeout_ms = 50;
    t.retries = 2;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    struct event *e = event_of(CATALOGUE_GID_IN_SERVICE);
    assert_int_equal(driver_send(&driver, e, &err), SINK_PENDING);
    int n = 0;
    for (int i = 0; i < 20 && n == 0; i++)
        n = driver_wait(&driver, 50, &err);
    assert_int_equal(n, -1);
    assert_non_null(strstr(err.text, "does not answer"));
    uint8_t message[2048];
    for (int i = 0; i < 3; i++)
        assert_true(recv(fd, message, sizeof message, MSG_DONTWAIT) > 0);
    assert_true(recv(fd, message, sizeof message, MSG_DONTWAIT) < 0);

    // The sink works again after closing and opening.
    driver_close(&driver);
    assert_true(driver_open(&driver, &sink, &err));
    assert_int_equal(driver_send(&driver, e, &err), SINK_PENDING);
    answer(fd);
    assert_int_equal(driver_wait(&driver, 1000, &err), 1);
    event_unref(e);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

// What the peer of `fd` has sent, with the tag of a response and another request-id than any of
// ours: a response that nobody asked for.
static size_t hear_and_change(int fd, bool stream, uint8_t message[2048])
{
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t n = recvfrom(fd, message, 2048, 0, (struct sockaddr *)&from, &size);
    assert_true(n > 0);
    if (!stream)
        assert_int_equal(connect(fd, (struct sockaddr *)&from, size), 0);
    uint8_t *tag = memchr(message, 0xa6, (size_t)n);
    assert_non_null(tag);
    *tag = 0xa2;
    uint8_t *id = tag + 1 + (tag[1] & 0x80 ? 1 + (tag[1] & 0x7f) : 1);
    assert_int_equal(id[0], 0x02);
    id[1 + id[1]] ^= 0x55;
    return (size_t)n;
}

static void check_talk(struct snmp_target *t, int listener)
{
    static uint8_t message[2048];
    bool stream = t->transport == TRANSPORT_TCP;
    struct talker talker;
    t->inform = true;
    t->timeout_ms = 60000;
    assert_true(snmp_sink(&sink, "nms", t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    int fd = stream ? accept(listener, NULL, NULL) : listener;
    struct event *e = event_of(CATALOGUE_GID_IN_SERVICE);
    assert_int_equal(driver_send(&driver, e, &err), SINK_PENDING);
    size_t size = hear_and_change(fd, stream, message);
    talker_start(&talker, fd, message, size);
    int n = 0;
    while (n == 0 && !atomic_load(&talker.silent))
        n = driver_wait(&driver, 5, &err);
    assert_int_equal(n, -1);
    assert_non_null(strstr(err.text, "it sends more than it was asked for"));
    talker_end(&talker);
    event_unref(e);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
}

TEST(a_manager_that_never_stops_talking_fails)
{
    struct snmp_target t = target();
    check_talk(&t, peer_of(&t));
}

static int stream_peer_of(struct snmp_target *t)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    t->port = ntohs(a.sin_port);
    t->transport = TRANSPORT_TCP;
    return fd;
}

TEST(a_manager_that_never_stops_talking_over_tcp_fails)
{
    struct snmp_target t = target();
    int listener = stream_peer_of(&t);
    check_talk(&t, listener);
    close(listener);
}

// libsnmp would keep all octets of a message until the last one has come.
TEST(a_message_without_an_end_fails)
{
    static const uint8_t BEGIN[] = {0x30, 0x84, 0x7f, 0xff, 0xff, 0x00};
    static uint8_t rest[65536];
    struct snmp_target t = target();
    struct talker talker;
    int listener = stream_peer_of(&t);
    t.inform = true;
    t.timeout_ms = 60000;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    int fd = accept(listener, NULL, NULL);
    struct event *e = event_of(CATALOGUE_GID_IN_SERVICE);
    assert_int_equal(driver_send(&driver, e, &err), SINK_PENDING);
    assert_int_equal(send(fd, BEGIN, sizeof BEGIN, 0), sizeof BEGIN);
    talker_start(&talker, fd, rest, sizeof rest);
    int n = 0;
    while (n == 0 && !atomic_load(&talker.silent))
        n = driver_wait(&driver, 5, &err);
    assert_int_equal(n, -1);
    assert_non_null(strstr(err.text, "it sends more than it was asked for"));
    talker_end(&talker);
    event_unref(e);
    driver_close(&driver);
    driver_free(&driver);
    close(fd);
    close(listener);
}

// libsnmp keeps the details of an error for whoever asks for the next one.
TEST(one_receiver_does_not_show_the_error_of_another)
{
    static const uint8_t MALFORMED[] = {0x30, 0x82, 0x01, 0x00, 0x02, 0x01, 0x01, 0x04};
    struct snmp_target t = target(), other_target = target();
    struct sink other;
    static struct driver other_driver;
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    int fd = peer_of(&t), other_fd = peer_of(&other_target);
    uint8_t message[2048];
    t.inform = other_target.inform = true;
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(snmp_sink(&other, "other", &other_target, &err));
    assert_true(driver_open(&driver, &sink, &err) && driver_open(&other_driver, &other, &err));
    struct event *e = event_of(CATALOGUE_GID_IN_SERVICE);
    assert_int_equal(driver_send(&driver, e, &err), SINK_PENDING);
    assert_int_equal(driver_send(&other_driver, e, &err), SINK_PENDING);

    assert_true(recvfrom(other_fd, message, sizeof message, 0, (struct sockaddr *)&from, &size) >
                0);
    assert_int_equal(
        sendto(other_fd, MALFORMED, sizeof MALFORMED, 0, (struct sockaddr *)&from, size),
        sizeof MALFORMED);
    assert_int_equal(driver_wait(&other_driver, 50, &err), 0);

    ssize_t n = recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&from, &size);
    assert_true(n > 0);
    uint8_t *tag = memchr(message, 0xa6, (size_t)n);
    assert_non_null(tag);
    *tag = 0xa8; // a Report, which nobody sends in v2c
    assert_int_equal(sendto(fd, message, (size_t)n, 0, (struct sockaddr *)&from, size), n);
    assert_int_equal(driver_wait(&driver, 1000, &err), -1);
    assert_null(strchr(err.text, '('));
    event_unref(e);
    driver_close(&driver);
    driver_close(&other_driver);
    driver_free(&driver);
    driver_free(&other_driver);
    close(fd);
    close(other_fd);
}

TEST(nobody_listens)
{
    struct snmp_target t = target();
    close(peer_of(&t));
    assert_true(snmp_sink(&sink, "nms", &t, &err));
    assert_true(driver_open(&driver, &sink, &err));
    struct event *e = event_of(CATALOGUE_GID_IN_SERVICE);
    assert_int_equal(driver_send(&driver, e, &err), SINK_FAILED);
    assert_non_null(strstr(err.text, "Connection refused"));
    event_unref(e);
    driver_close(&driver);
    driver_free(&driver);
}

// The SNMP engine.

static char *engine_directory(void)
{
    char *directory = strdup(support_path("engine"));
    if (mkdir(directory, 0700) != 0) {
        char path[300];
        snprintf(path, sizeof path, "%s/snmp-engine", directory);
        unlink(path);
    }
    return directory;
}

static void read_engine(const char *directory, char id[80], unsigned *boots)
{
    char path[300];
    snprintf(path, sizeof path, "%s/snmp-engine", directory);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "engine-id %79s boots %u", id, boots), 2);
    fclose(f);
}

TEST(the_engine_keeps_its_identifier_and_counts_its_starts)
{
    char *directory = engine_directory(), first[80], later[80];
    struct support_chance chance = {0};
    const struct random random = support_random(&chance);
    unsigned boots;
    assert_true(snmp_engine_start(directory, &random, &err));
    read_engine(directory, first, &boots);
    assert_string_equal(first, "80001f8805"
                               "0102030405060708090a0b0c");
    assert_int_equal(boots, 1);
    for (unsigned i = 2; i < 5; i++) {
        assert_true(snmp_engine_start(directory, &random, &err));
        read_engine(directory, later, &boots);
        assert_string_equal(later, first);
        assert_int_equal(boots, i);
        assert_int_equal(snmpv3_local_snmpEngineBoots(), i);
    }
    free(directory);
}

TEST(an_engine_whose_start_cannot_be_saved_waits)
{
    struct support_chance chance = {0};
    const struct random random = support_random(&chance);
    char *directory = engine_directory();
    assert_int_equal(rmdir(directory), 0);
    assert_false(snmp_engine_start(directory, &random, &err));
    assert_non_null(strstr(err.text, "cannot save"));
    assert_false(snmp_engine_ready(&err));
    assert_int_equal(mkdir(directory, 0700), 0);
    assert_true(snmp_engine_ready(&err));
    char id[80];
    unsigned boots;
    read_engine(directory, id, &boots);
    assert_int_equal(boots, 1);
    free(directory);
}

static void check_damaged(const char *content)
{
    struct support_chance chance = {0};
    const struct random random = support_random(&chance);
    char *directory = engine_directory(), path[300], id[80];
    unsigned boots;
    snprintf(path, sizeof path, "%s/snmp-engine", directory);
    FILE *f = fopen(path, "w");
    fputs(content, f);
    fclose(f);
    assert_false(snmp_engine_start(directory, &random, &err));
    assert_non_null(strstr(err.text, "was damaged and is now"));
    assert_true(snmp_engine_ready(&err));
    read_engine(directory, id, &boots);
    assert_int_equal(boots, 1);
    strcat(path, ".damaged");
    assert_int_equal(access(path, F_OK), 0);
    free(directory);
}

TEST(a_damaged_engine_is_set_aside)
{
    check_damaged("");
    check_damaged("boots 7\n");
    check_damaged("engine-id 8000\nboots 7\n");
    check_damaged("engine-id 80001f8805010\nboots 7\n");
    check_damaged("engine-id 80001f88050102zz\nboots 7\n");
    check_damaged("engine-id 80001f880501020304\nboots 0\n");
    check_damaged("engine-id 80001f880501020304\nboots x\n");
    check_damaged("engine-id 80001f880501020304\nboots 4294967297\n"); // would be 1
    check_damaged("engine-id 80001f880501020304\nboots -7\n");
    check_damaged("engine-id 80001f880501020304\nboots 7\n8\n");
}

TEST(an_engine_that_started_too_often_becomes_another)
{
    struct support_chance chance = {0};
    const struct random random = support_random(&chance);
    char *directory = engine_directory(), path[300], id[80];
    unsigned boots;
    snprintf(path, sizeof path, "%s/snmp-engine", directory);
    FILE *f = fopen(path, "w");
    fputs("engine-id 80001f8805ffffffff\nboots 2147483646\n", f);
    fclose(f);
    assert_true(snmp_engine_start(directory, &random, &err));
    read_engine(directory, id, &boots);
    assert_string_equal(id, "80001f8805"
                            "0102030405060708090a0b0c");
    assert_int_equal(boots, 1);
    free(directory);
}

static int begin(void **state)
{
    (void)state;
    static struct support_chance chance;
    static struct random random;
    random = support_random(&chance);
    clock_of_test = support_clock(&stands);
    struct log *log = support_log(NULL);
    snmp_begin("/nonexistent", &random, log);
    log_close(log);
    return 0;
}

static int end(void **state)
{
    (void)state;
    snmp_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receiver_says_what_it_is),
        cmocka_unit_test(sets_choose_notifications),
        cmocka_unit_test(a_test_cannot_be_taken_for_a_real_event),
        cmocka_unit_test(each_notification_of_a_test_says_so),
        cmocka_unit_test(v1_is_translated_as_rfc_3584_says),
        cmocka_unit_test(additions_come_last_and_once),
        cmocka_unit_test(what_is_not_for_it_is_skipped),
        cmocka_unit_test(an_event_is_acknowledged_when_all_its_informs_are),
        cmocka_unit_test(an_event_does_not_overtake_one_that_it_belongs_to),
        cmocka_unit_test(an_answer_out_of_order_lets_its_alarm_go_on),
        cmocka_unit_test(a_refused_event_is_known),
        cmocka_unit_test(what_is_not_answered_is_not_refused),
        cmocka_unit_test(informs_are_sent_again_and_then_fail),
        cmocka_unit_test(a_manager_that_never_stops_talking_fails),
        cmocka_unit_test(a_manager_that_never_stops_talking_over_tcp_fails),
        cmocka_unit_test(a_message_without_an_end_fails),
        cmocka_unit_test(one_receiver_does_not_show_the_error_of_another),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(the_engine_keeps_its_identifier_and_counts_its_starts),
        cmocka_unit_test(an_engine_whose_start_cannot_be_saved_waits),
        cmocka_unit_test(a_damaged_engine_is_set_aside),
        cmocka_unit_test(an_engine_that_started_too_often_becomes_another),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
