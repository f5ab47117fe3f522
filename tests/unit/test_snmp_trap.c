// SPDX-License-Identifier: BSD-2-Clause
// Traps whose varbinds are encoded once for all receivers (sink/snmp_link.h): each receiver gets
// the octets that libsnmp makes of the whole message.
#include "sink_defaults.h"
#include "support.h"

#include "event/test_event.h"
#include "sink/snmp.h"
#include "sink/snmp_engine.h"
#include "sink/snmp_pdu.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RECEIVERS = 64,
    THREADS = 8,
    PATIENCE_MS = 300000,
    MESSAGE_SIZE = 65536,
    ALL_SETS = SNMP_SET_SMA | SNMP_SET_SWITCH | SNMP_SET_OWN | SNMP_SET_EVENT,
};

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;
static char directory[] = "/tmp/test-snmp-trap-XXXXXX";
static struct error err;
static atomic_uint made;

void __wrap_mib_encode(const struct mib_object *object, const struct event *event,
                       struct mib_varbind *out);
void __real_mib_encode(const struct mib_object *object, const struct event *event,
                       struct mib_varbind *out);

void __wrap_mib_encode(const struct mib_object *object, const struct event *event,
                       struct mib_varbind *out)
{
    atomic_fetch_add(&made, 1);
    __real_mib_encode(object, event, out);
}

// A receiver, and the socket at its end.
struct peer {
    struct snmp_target target;
    struct sink sink;
    int fd;
};

static void open_peer(struct peer *p)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    p->fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(p->fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(p->fd, (struct sockaddr *)&a, &size), 0);
    p->target.port = ntohs(a.sin_port);
    assert_true(snmp_sink(&p->sink, "nms", &p->target, &err));
    assert_true(p->sink.open(p->sink.self, NULL, &err));
}

static void close_peer(struct peer *p)
{
    p->sink.close(p->sink.self);
    p->sink.free(p->sink.self);
    close(p->fd);
}

static struct peer peer_v2c(const char *community)
{
    struct peer p = {.target = SNMP_TARGET_DEFAULTS};
    p.target.host = "127.0.0.1";
    p.target.community = community;
    p.target.sets = ALL_SETS;
    p.target.clock = &clock_;
    p.target.started_at = now.monotonic - INT64_C(123456) * CLOCK_US_PER_S;
    return p;
}

// Without keys: what is encrypted differs each time.
static struct peer peer_v3(const char *context)
{
    struct peer p = peer_v2c("");
    p.target.version = SNMP_V3;
    p.target.context = context;
    p.target.user = (struct snmp_user){.name = "operator"};
    return p;
}

static struct event *make(enum catalogue_event type)
{
    struct test_event test = {.type = type};
    test_event_make_up(&test);
    struct event *event = test_event_make(&builder, &test);
    assert_non_null(event);
    event->for_several = true;
    event->test = type % 2 == 0;
    event->event_trap = true;
    event->number = 5;
    return event;
}

// BER.

static const uint8_t *enter(const uint8_t *p)
{
    return p + 2 + (p[1] < 0x80 ? 0 : p[1] & 0x7f);
}

static const uint8_t *next(const uint8_t *p)
{
    size_t length = p[1] < 0x80 ? p[1] : 0;
    for (int i = 0; p[1] >= 0x80 && i < (p[1] & 0x7f); i++)
        length = length << 8 | p[2 + i];
    return enter(p) + length;
}

static long number_at(const uint8_t *p)
{
    long number = 0;
    for (int i = 0; i < p[1]; i++)
        number = number << 8 | p[2 + i];
    return number;
}

static void read_numbers(const uint8_t *message, netsnmp_pdu *pdu)
{
    const uint8_t *p = next(enter(message)); // after the version
    if (pdu->version == SNMP_VERSION_3) {
        pdu->msgid = number_at(enter(p));
        p = enter(next(next(p))); // the scoped PDU
        p = next(p);              // the context's name
    }
    pdu->reqid = number_at(enter(next(p)));
}

// Of the sender's engine, which may have gone on since.
static void copy_engine_time(uint8_t *expected, const uint8_t *message)
{
    const uint8_t *parameters = enter(enter(next(next(enter(message)))));
    const uint8_t *time = next(next(parameters));
    memcpy(expected + (time - message), time, 2U + time[1]);
}

static void describe_session(const struct peer *p, netsnmp_session *s, uint8_t *engine)
{
    snmp_sess_init(s);
    s->version = p->target.version == SNMP_V3 ? SNMP_VERSION_3 : SNMP_VERSION_2c;
    s->community = (u_char *)p->target.community;
    s->community_len = strlen(p->target.community);
    s->rcvMsgMaxSize = 65507;
    s->contextEngineID = s->securityEngineID = engine;
    s->contextEngineIDLen = s->securityEngineIDLen = snmp_engine_id(engine);
    s->contextName = (char *)p->target.context;
    s->contextNameLen = strlen(s->contextName);
    s->securityModel = SNMP_SEC_MODEL_USM;
    s->securityLevel = SNMP_SEC_LEVEL_NOAUTH;
    s->securityName = "operator";
    s->securityNameLen = strlen(s->securityName);
}

// The oracle: the message that libsnmp makes, with the numbers of the received message.
static void check_message(const struct peer *p, const uint8_t *message, size_t size,
                          const struct event *event, const struct mib_notification *notification)
{
    const struct snmp_pdu_options options = {
        .uptime_cs = 12345600,
        .extra = p->target.extra,
        .trap_address = p->target.has_trap_address ? p->target.agent_address : NULL};
    netsnmp_session session;
    uint8_t engine[SNMP_ENGINE_ID_MAX];
    describe_session(p, &session, engine);
    netsnmp_pdu *pdu = snmp_pdu_make(SNMP_MSG_TRAP2, event, notification, &options);
    assert_non_null(pdu);
    pdu->version = session.version;
    read_numbers(message, pdu);
    size_t room = 500, used = 0;
    u_char *expected = malloc(room);
    assert_int_equal(snmp_build(&expected, &room, &used, &session, pdu), 0);
    assert_int_equal(size, used);
    if (pdu->version == SNMP_VERSION_3)
        copy_engine_time(expected + room - used, message);
    assert_memory_equal(message, expected + room - used, used);
    free(expected);
    snmp_free_pdu(pdu);
}

static void check_sent(struct peer *p, const struct event *event)
{
    static uint8_t message[MESSAGE_SIZE];
    const struct mib_notification *all[SNMP_PDU_NOTIFICATIONS_MAX];
    const size_t n = snmp_pdu_notifications(event, p->target.sets, p->target.extra, all);
    assert_int_equal(p->sink.send(p->sink.self, event, &err), n > 0 ? SINK_DONE : SINK_SKIPPED);
    for (size_t i = 0; i < n; i++) {
        struct pollfd wait = {.fd = p->fd, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, PATIENCE_MS), 1);
        const ssize_t size = recv(p->fd, message, sizeof message, 0);
        assert_true(size > 0);
        check_message(p, message, (size_t)size, event, all[i]);
    }
}

enum { PEERS = 6 };

static struct peer peers[PEERS];

// Once, as the first trap after an opening waits.
static void open_peers(void)
{
    peers[0] = peer_v2c("public");
    peers[1] = peer_v3("");
    peers[2] = peer_v2c("a community of many more than one hundred and twenty-eight octets, whose "
                        "length takes two octets in the message, so that all lengths around it "
                        "are longer, too");
    peers[3] = peer_v3("a context");
    peers[3].target.sets = SNMP_SET_OWN; // its first notification is another one
    peers[4] = peer_v2c("extra");
    peers[4].target.extra = true;
    peers[5] = peer_v2c("trap address");
    peers[5].target.has_trap_address = peers[5].target.has_agent_address = true;
    memcpy(peers[5].target.agent_address, (uint8_t[]){192, 0, 2, 1}, 4);
    for (int i = 0; i < PEERS; i++)
        open_peer(&peers[i]);
}

// Twice: the octets that the first receiver made, and the octets that the event keeps.
static void check_all(struct event *event, size_t first)
{
    for (size_t i = 0; i < PEERS * 2; i++)
        check_sent(&peers[(first + i) % PEERS], event);
    event_unref(event);
}

TEST(every_event_goes_out_as_libsnmp_encodes_it)
{
    for (int type = 0; type < CATALOGUE_COUNT; type++) {
        check_all(make((enum catalogue_event)type), 0); // nobody shares it
        struct event *shared = make((enum catalogue_event)type);
        check_all(event_ref(shared), (size_t)type);
        event_unref(shared);
    }
    assert_int_equal(event_text_octets(), 0);
}

// The longest texts, and empty texts.
TEST(long_and_empty_values_go_out_as_libsnmp_encodes_them)
{
    static const size_t LENGTHS[] = {0, 1, 126, 127, 128, 254, 255, 256, EVENT_TEXT_SIZE - 1};
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        struct event *event = make(CATALOGUE_LINK_DOWN);
        memset(event->text, 'a', LENGTHS[i]);
        event->text[LENGTHS[i]] = '\0';
        event->number = INT64_MAX;
        check_all(event_ref(event), i);
        event_unref(event);
    }
}

TEST(of_many_receivers_one_encodes_the_varbinds)
{
    struct peer p = peer_v2c("public"), q = peer_v3("");
    struct event *event = event_ref(make(CATALOGUE_GID_IN_SERVICE));
    open_peer(&p);
    open_peer(&q);
    assert_int_equal(p.sink.send(p.sink.self, event, &err), SINK_DONE);
    atomic_store(&made, 0);
    for (int i = 0; i < RECEIVERS; i++)
        assert_int_equal((i % 2 ? &p : &q)->sink.send((i % 2 ? &p : &q)->sink.self, event, &err),
                         SINK_DONE);
    assert_int_equal(atomic_load(&made), 0);
    close_peer(&p);
    close_peer(&q);
    event_unref(event);
    event_unref(event);
}

// A different view of the event is a copy, and goes out unchanged.
TEST(a_copy_goes_out_as_it_is)
{
    struct peer p = peer_v2c("public");
    struct event *event = event_ref(make(CATALOGUE_LINK_DOWN)), *copy;
    open_peer(&p);
    check_sent(&p, event);
    copy = event_ref(event_copy(event));
    strcpy(copy->text, "Changed.");
    check_sent(&p, copy);
    close_peer(&p);
    for (int i = 0; i < 2; i++) {
        event_unref(event);
        event_unref(copy);
    }
}

struct crowd {
    struct event *event;
    pthread_barrier_t begin;
    struct peer peers[THREADS];
    atomic_uint next;
};

static void *send_with_others(void *arg)
{
    struct crowd *c = arg;
    struct error mine;
    struct peer *p = &c->peers[atomic_fetch_add(&c->next, 1)];
    pthread_barrier_wait(&c->begin);
    const bool sent = p->sink.send(p->sink.self, c->event, &mine) == SINK_DONE;
    event_unref(c->event); // the last frees what is kept
    return sent ? c : NULL;
}

static void check_received(struct peer *p, const struct event *event)
{
    static uint8_t message[MESSAGE_SIZE];
    const struct mib_notification *all[SNMP_PDU_NOTIFICATIONS_MAX];
    const size_t n = snmp_pdu_notifications(event, p->target.sets, p->target.extra, all);
    for (size_t i = 0; i < n; i++) {
        const ssize_t size = recv(p->fd, message, sizeof message, MSG_DONTWAIT);
        assert_true(size > 0);
        check_message(p, message, (size_t)size, event, all[i]);
    }
}

TEST(threads_that_begin_together_send_the_same)
{
    pthread_t threads[THREADS];
    struct crowd c = {.event = make(CATALOGUE_LINK_DOWN)};
    struct event *copy = event_copy(c.event);
    pthread_barrier_init(&c.begin, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        c.peers[i] = i % 2 ? peer_v2c("public") : peer_v3("a context");
        open_peer(&c.peers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        event_ref(c.event);
        assert_int_equal(pthread_create(&threads[i], NULL, send_with_others, &c), 0);
    }
    event_unref(c.event);
    for (int i = 0; i < THREADS; i++) {
        void *sent;
        pthread_join(threads[i], &sent);
        assert_non_null(sent);
    }
    for (int i = 0; i < THREADS; i++) {
        check_received(&c.peers[i], copy);
        close_peer(&c.peers[i]);
    }
    event_unref(copy);
    pthread_barrier_destroy(&c.begin);
}

static int begin(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US,
                                .monotonic = INT64_C(1000000) * CLOCK_US_PER_S};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder = (struct event_builder){.clock = &clock_, .random = &chance};
    struct log *log = support_log(NULL);
    const bool has_directory = mkdtemp(directory) != NULL;
    snmp_begin(directory, &chance, log);
    log_close(log);
    open_peers();
    return has_directory ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    char file[sizeof directory + 16];
    for (int i = 0; i < PEERS; i++)
        close_peer(&peers[i]);
    snmp_end();
    snprintf(file, sizeof file, "%s/snmp-engine", directory);
    return unlink(file) == 0 && rmdir(directory) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_goes_out_as_libsnmp_encodes_it),
        cmocka_unit_test(long_and_empty_values_go_out_as_libsnmp_encodes_them),
        cmocka_unit_test(of_many_receivers_one_encodes_the_varbinds),
        cmocka_unit_test(a_copy_goes_out_as_it_is),
        cmocka_unit_test(threads_that_begin_together_send_the_same),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
