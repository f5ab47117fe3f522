// SPDX-License-Identifier: BSD-2-Clause
#include "fake_master.h"

#include "agentx/client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint32_t ROOT[] = {1, 3, 6, 1, 4, 1, 99999}, OTHER[] = {1, 3, 6, 1, 4, 1, 88888};

static struct fake_master master;
static struct agentx_client *client;
static struct support_time now;
static struct clock virtual_clock;
static uint8_t chance; // 0: each pause has its full length
static struct random virtual_random;
enum { REGIONS_MAX = 300 };
static struct agentx_region regions[REGIONS_MAX];
static size_t region_count;
static struct log *log_to;
static FILE *log_file;
static char *log_text;
static size_t log_size;
static struct error err;

// The calls of the handler, one letter each: t(est), c(ommit), u(ndo), x (cleanup); and its
// answers.
static char phases[64];
static size_t tested, failed_at;
static enum agentx_error test_verdict, commit_verdict, undo_verdict;
static struct agentx_varbind seen[AGENTX_SET_MAX];
static unsigned notified_errors[8];
static size_t notified;

static void note(const char *letter)
{
    assert_true(strlen(phases) + 1 < sizeof phases);
    strcat(phases, letter);
}

// Instances ROOT.1 to ROOT.5, with their last id as value.
static uint32_t untold; // the instance for which memory is short; 0: none

static bool is_there(const struct agentx_oid *name)
{
    return name->length == COUNT(ROOT) + 1 && memcmp(name->ids, ROOT, sizeof ROOT) == 0 &&
           name->ids[COUNT(ROOT)] >= 1 && name->ids[COUNT(ROOT)] <= 5;
}

static void set_value(const struct agentx_oid *name, struct agentx_value *value)
{
    value->number = name->ids[COUNT(ROOT)];
    value->type = value->number == untold ? AGENTX_NOT_NOW : AGENTX_INTEGER;
}

static char heard_context[AGENTX_CONTEXT_SIZE]; // of the last request

static void hear_context(const char *context)
{
    snprintf(heard_context, sizeof heard_context, "%s", context);
}

static void get(void *ctx, const char *context, const struct agentx_oid *name,
                struct agentx_value *value)
{
    hear_context(context);
    (void)ctx;
    value->type = AGENTX_NO_SUCH_INSTANCE;
    if (is_there(name))
        set_value(name, value);
}

static bool get_next(void *ctx, const char *context, const struct agentx_oid *name, bool include,
                     const struct agentx_oid *end, struct agentx_oid *found,
                     struct agentx_value *value)
{
    (void)ctx;
    hear_context(context);
    for (uint32_t i = 1; i <= 5; i++) {
        found->length = COUNT(ROOT);
        memcpy(found->ids, ROOT, sizeof ROOT);
        agentx_oid_add(found, i);
        int order = agentx_oid_compare(found->ids, found->length, name->ids, name->length);
        bool is_before_end = end->length == 0 || agentx_oid_compare(found->ids, found->length,
                                                                    end->ids, end->length) < 0;
        set_value(found, value);
        if (order > 0 || (order == 0 && include))
            return is_before_end;
    }
    return false;
}

static enum agentx_error test_set(void *ctx, const char *context,
                                  const struct agentx_varbind *varbinds, size_t n, size_t *failed)
{
    (void)ctx;
    hear_context(context);
    note("t");
    tested = n;
    memcpy(seen, varbinds, n * sizeof *varbinds);
    *failed = failed_at;
    return test_verdict;
}

static enum agentx_error commit_set(void *ctx)
{
    (void)ctx;
    note("c");
    return commit_verdict;
}

static enum agentx_error undo_set(void *ctx)
{
    (void)ctx;
    note("u");
    return undo_verdict;
}

static void clean_up_set(void *ctx)
{
    (void)ctx;
    note("x");
}

static void take_notified(void *ctx, unsigned error)
{
    (void)ctx;
    assert_true(notified < COUNT(notified_errors));
    notified_errors[notified++] = error;
}

static struct agentx_options options(const char *where)
{
    return (struct agentx_options){.master = where,
                                   .description = "a test",
                                   .regions = regions,
                                   .region_count = region_count,
                                   .handler = {.get = get,
                                               .get_next = get_next,
                                               .test = test_set,
                                               .commit = commit_set,
                                               .undo = undo_set,
                                               .cleanup = clean_up_set,
                                               .notified = take_notified},
                                   .clock = &virtual_clock,
                                   .random = &virtual_random,
                                   .log = log_to};
}

static int setup(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * CLOCK_US_PER_S};
    virtual_clock = support_clock(&now);
    virtual_random = support_constant(&chance);
    log_file = open_memstream(&log_text, &log_size);
    log_to = log_open(log_file, LOG_LEVEL_INFO, false, &virtual_clock);
    regions[0] = (struct agentx_region){.ids = ROOT, .length = COUNT(ROOT)};
    regions[1] = (struct agentx_region){
        .ids = OTHER, .length = COUNT(OTHER), .context = "ib0", .optional = true};
    region_count = 1;
    phases[0] = '\0';
    tested = failed_at = notified = 0;
    test_verdict = commit_verdict = undo_verdict = AGENTX_NO_ERROR;
    chance = 0;
    fake_master_begin(&master, "master");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    agentx_client_free(client);
    client = NULL;
    fake_master_end(&master);
    log_close(log_to);
    fclose(log_file);
    free(log_text);
    return 0;
}

static void begin(void)
{
    struct agentx_options o = options(master.path);
    client = agentx_client_new(&o, &err);
    assert_non_null(client);
}

static struct pollfd polled(int64_t *until)
{
    struct pollfd p;
    *until = agentx_client_poll(client, &p);
    return p;
}

// Does what the caller's loop does, without waiting.
static void run(void)
{
    int64_t until;
    struct pollfd p = polled(&until);
    poll(&p, 1, 0);
    agentx_client_run(client, p.revents);
}

static void wait_s(int64_t s)
{
    now.monotonic += s * CLOCK_US_PER_S;
    run();
}

static int64_t pause_s(void)
{
    int64_t until;
    polled(&until);
    return (until - now.monotonic) / CLOCK_US_PER_S;
}

static void open_session(void)
{
    struct fake_pdu p;
    run();
    assert_true(fake_master_accept(&master));
    fake_master_expect(&master, PDU_OPEN, &p);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    for (size_t i = 0; i < region_count; i++) {
        fake_master_expect(&master, PDU_REGISTER, &p);
        fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    }
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
}

static void be_up(void)
{
    fake_master_listen(&master);
    begin();
    open_session();
}

static uint8_t room[4096];

static struct pdu_writer request_in(uint8_t type, uint32_t transaction, const char *context)
{
    static uint32_t packet = 1000;
    struct pdu_writer w = {.octets = room, .size = sizeof room};
    pdu_begin(&w, type, FAKE_MASTER_SESSION, transaction, ++packet, context);
    return w;
}

static struct pdu_writer request(uint8_t type, uint32_t transaction)
{
    return request_in(type, transaction, "");
}

static void add_name(struct pdu_writer *w, uint32_t last, bool include)
{
    uint32_t ids[COUNT(ROOT) + 1];
    memcpy(ids, ROOT, sizeof ROOT);
    ids[COUNT(ROOT)] = last;
    pdu_add_oid(w, ids, COUNT(ids), include);
}

static void add_range(struct pdu_writer *w, uint32_t last, bool include, uint32_t end)
{
    add_name(w, last, include);
    if (end > 0)
        add_name(w, end, false);
    else
        pdu_add_oid(w, NULL, 0, false);
}

static void add_integer(struct pdu_writer *w, uint32_t last)
{
    struct agentx_varbind v = {.name = {.length = COUNT(ROOT)}, .value = {.type = AGENTX_INTEGER}};
    memcpy(v.name.ids, ROOT, sizeof ROOT);
    agentx_oid_add(&v.name, last);
    v.value.number = last;
    pdu_add_varbind(w, &v.name, &v.value);
}

// Sends a PDU and expects a response. Returns its error, and a reader for the rest.
static struct fake_pdu response;
static unsigned index_of_error;

static unsigned ask(struct pdu_writer *w)
{
    uint32_t uptime;
    uint16_t error = 0, at = 0;
    fake_master_say(&master, w);
    run();
    fake_master_expect(&master, PDU_RESPONSE, &response);
    assert_true(pdu_read32(&response.rest, &uptime) && pdu_read16(&response.rest, &error) &&
                pdu_read16(&response.rest, &at));
    index_of_error = at;
    return error;
}

static void tell(struct pdu_writer *w)
{
    fake_master_say(&master, w);
    run();
}

static void assert_next(uint32_t last, enum agentx_type type)
{
    struct agentx_varbind v;
    assert_true(pdu_read_varbind(&response.rest, &v));
    assert_int_equal(v.name.ids[COUNT(ROOT)], last);
    assert_int_equal(v.value.type, type);
    if (type == AGENTX_INTEGER)
        assert_int_equal(v.value.number, last);
}

static void assert_end(void)
{
    assert_ptr_equal(response.rest.at, response.rest.end);
}

static void assert_log_lines(size_t n)
{
    size_t lines = 0;
    for (const char *p = log_text; *p; p++)
        lines += *p == '\n';
    if (lines != n)
        fail_msg("%zu lines in the log:\n%s", lines, log_text);
}

// Opening.

TEST(a_session_is_opened_and_its_regions_registered)
{
    struct fake_pdu p;
    struct agentx_oid id;
    const uint8_t *text;
    uint32_t size = 0, skipped;
    bool include;
    fake_master_listen(&master);
    region_count = 2;
    begin();
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_OPENING);
    assert_true(fake_master_accept(&master));
    fake_master_expect(&master, PDU_OPEN, &p);
    assert_true(pdu_read32(&p.rest, &skipped) && pdu_read_oid(&p.rest, &id, &include) &&
                pdu_read_octets(&p.rest, &text, &size));
    assert_int_equal(id.length, 0);
    assert_int_equal(size, strlen("a test"));
    assert_memory_equal(text, "a test", size);
    assert_false(fake_master_hear(&master, &p));
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    for (size_t i = 0; i < 2; i++) {
        fake_master_expect(&master, PDU_REGISTER, &p);
        assert_int_equal(p.header.session, FAKE_MASTER_SESSION);
        assert_int_equal(p.header.has_context, i == 1);
        assert_true(pdu_read32(&p.rest, &skipped) && pdu_read_oid(&p.rest, &id, &include));
        assert_int_equal(agentx_oid_compare(id.ids, id.length, regions[i].ids, regions[i].length),
                         0);
        assert_int_equal(agentx_client_state(client), AGENTX_OPENING);
        fake_master_respond(&master, &p, AGENTX_NO_ERROR);
        run();
    }
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    assert_string_equal(agentx_client_problem(client), "");
    assert_log_lines(1);
}

TEST(a_refused_session_is_tried_again)
{
    struct fake_pdu p;
    fake_master_listen(&master);
    begin();
    run();
    fake_master_accept(&master);
    fake_master_expect(&master, PDU_OPEN, &p);
    fake_master_respond(&master, &p, AGENTX_OPEN_FAILED);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    assert_true(fake_master_is_left(&master));
    assert_non_null(strstr(agentx_client_problem(client), "refuses a session: openFailed"));
    wait_s(1);
    assert_int_equal(agentx_client_state(client), AGENTX_OPENING);
}

TEST(a_refused_region_ends_the_session)
{
    struct fake_pdu p;
    fake_master_listen(&master);
    begin();
    run();
    fake_master_accept(&master);
    fake_master_expect(&master, PDU_OPEN, &p);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    fake_master_expect(&master, PDU_REGISTER, &p);
    fake_master_respond(&master, &p, AGENTX_DUPLICATE_REGISTRATION);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    assert_non_null(strstr(agentx_client_problem(client),
                           "refuses to register 1.3.6.1.4.1.99999: duplicateRegistration"));
}

TEST(an_optional_region_is_asked_for_again_once_a_minute)
{
    struct fake_pdu p;
    fake_master_listen(&master);
    region_count = 2;
    begin();
    run();
    fake_master_accept(&master);
    fake_master_expect(&master, PDU_OPEN, &p);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    fake_master_expect(&master, PDU_REGISTER, &p);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    fake_master_expect(&master, PDU_REGISTER, &p);
    fake_master_respond(&master, &p, AGENTX_DUPLICATE_REGISTRATION);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    for (int i = 0; i < 5; i++) {
        wait_s(12); // other traffic replaces pings
        fake_master_respond(&master, &p, AGENTX_NO_ERROR);
        run();
    }
    fake_master_expect(&master, PDU_REGISTER, &p);
    fake_master_respond(&master, &p, AGENTX_DUPLICATE_REGISTRATION);
    run();
    assert_false(fake_master_hear(&master, &p));
    now.monotonic += 59 * CLOCK_US_PER_S;
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    assert_false(fake_master_hear(&master, &p));
    wait_s(1);
    fake_master_expect(&master, PDU_REGISTER, &p);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    assert_log_lines(3); // refused: another subagent's; opened; registered
    now.monotonic += 61 * CLOCK_US_PER_S;
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    assert_false(fake_master_hear(&master, &p));
}

// RFC 2741 7.1.4: each Register has its response, in any order. A master gets no more of them at
// once than the master can read.
TEST(many_regions_are_registered_some_at_a_time)
{
    enum { AT_ONCE = 64 };
    struct fake_pdu p;
    size_t registered = 0;
    fake_master_listen(&master);
    region_count = REGIONS_MAX;
    for (size_t i = 0; i < region_count; i++) {
        regions[i] = (struct agentx_region){.ids = ROOT, .length = COUNT(ROOT)};
        snprintf(regions[i].context, sizeof regions[i].context, "node%zu", i);
    }
    begin();
    run();
    fake_master_accept(&master);
    fake_master_expect(&master, PDU_OPEN, &p);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    for (size_t heard; registered < region_count; registered += heard) {
        static struct fake_pdu asked[AT_ONCE];
        char context[AGENTX_CONTEXT_SIZE];
        run();
        assert_int_equal(agentx_client_state(client), AGENTX_OPENING);
        for (heard = 0; heard < AT_ONCE && registered + heard < region_count; heard++) {
            fake_master_expect(&master, PDU_REGISTER, &asked[heard]);
            assert_true(pdu_read_context(asked[heard].octets, &asked[heard].header, context));
            assert_string_equal(context, regions[registered + heard].context);
        }
        assert_false(fake_master_hear(&master, &p));
        for (size_t i = heard; i > 0; i--)
            fake_master_respond(&master, &asked[i - 1], AGENTX_NO_ERROR);
    }
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    assert_false(fake_master_hear(&master, &p));
}

// Regions that come while the session is open are registered at once, and in the next session with
// all other regions. Until they are, the session is up, and requests are answered.
TEST(regions_may_come_while_the_session_is_open)
{
    static struct agentx_region more[2];
    struct fake_pdu p;
    char context[AGENTX_CONTEXT_SIZE];
    struct pollfd fd;
    be_up();
    assert_true(agentx_client_poll(client, &fd) > now.monotonic);
    const size_t before = region_count;
    memcpy(more, regions, before * sizeof *more);
    more[before] = (struct agentx_region){.ids = ROOT, .length = COUNT(ROOT), .optional = true};
    snprintf(more[before].context, sizeof more[before].context, "new");
    agentx_client_extend(client, more, before + 1);
    assert_true(agentx_client_poll(client, &fd) <= now.monotonic);
    run();
    fake_master_expect(&master, PDU_REGISTER, &p);
    assert_true(pdu_read_context(p.octets, &p.header, context));
    assert_string_equal(context, "new");
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    assert_false(fake_master_hear(&master, &p));
    assert_true(agentx_client_poll(client, &fd) > now.monotonic);
}

static void expect_context(uint8_t type, const char *wanted, struct fake_pdu *p)
{
    char context[AGENTX_CONTEXT_SIZE];
    fake_master_expect(&master, type, p);
    assert_true(pdu_read_context(p->octets, &p->header, context));
    assert_string_equal(context, wanted);
}

enum { UNKNOWN_REGISTRATION = 264 }; // RFC 2741 6.2.16

// RFC 2741 7.1.5: a region gets another context by an Unregister with the old one and a Register
// with the new one.
TEST(a_region_may_get_another_context)
{
    struct fake_pdu p;
    struct pollfd fd;
    be_up();
    assert_true(agentx_client_release(client, 0));
    assert_true(agentx_client_poll(client, &fd) <= now.monotonic || fd.events & POLLOUT);
    snprintf(regions[0].context, sizeof regions[0].context, "moved");
    run();
    run();
    expect_context(PDU_UNREGISTER, "", &p);
    fake_master_respond(&master, &p, UNKNOWN_REGISTRATION); // as another subagent had it
    expect_context(PDU_REGISTER, "moved", &p);
    assert_false(agentx_client_release(client, 0)); // not while that is unanswered
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    assert_false(fake_master_hear(&master, &p));
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
}

// While there is no session, nothing is registered: the next one has the new context.
TEST(a_region_may_get_another_context_while_the_master_is_away)
{
    struct fake_pdu p;
    be_up();
    fake_master_die(&master);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    assert_true(agentx_client_release(client, 0));
    snprintf(regions[0].context, sizeof regions[0].context, "moved");
    fake_master_listen(&master);
    wait_s(1);
    fake_master_accept(&master);
    fake_master_expect(&master, PDU_OPEN, &p);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    expect_context(PDU_REGISTER, "moved", &p);
}

TEST(more_regions_than_there_can_be_are_refused)
{
    struct agentx_options o = options(master.path);
    o.region_count = AGENTX_REGIONS_MAX + 1;
    assert_null(agentx_client_new(&o, &err));
    assert_string_equal(err.text, "there are more than 65536 regions to register");
}

// The connection is lost.

TEST(the_pause_grows_up_to_a_minute)
{
    static const int64_t PAUSES[] = {1, 2, 4, 8, 16, 32, 60, 60};
    begin();
    run();
    for (size_t i = 0; i < COUNT(PAUSES); i++) {
        assert_int_equal(pause_s(), PAUSES[i]);
        assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
        wait_s(PAUSES[i]);
    }
    assert_non_null(strstr(agentx_client_problem(client), "'master agentx' in snmpd.conf"));
    assert_log_lines(1);
}

TEST(chance_takes_up_to_half_of_a_pause)
{
    int64_t until;
    chance = 0xFF;
    begin();
    run();
    polled(&until);
    assert_true(until - now.monotonic >= CLOCK_US_PER_S / 2);
    assert_true(until - now.monotonic < CLOCK_US_PER_S);
}

TEST(a_session_that_lasted_makes_the_next_pause_short)
{
    struct fake_pdu p;
    begin();
    run();
    for (int i = 0; i < 5; i++)
        wait_s(pause_s());
    fake_master_listen(&master);
    now.monotonic += pause_s() * CLOCK_US_PER_S;
    open_session();
    fake_master_die(&master);
    run();
    assert_int_equal(pause_s(), 60);
    fake_master_listen(&master);
    now.monotonic += 60 * CLOCK_US_PER_S;
    open_session();
    for (int i = 0; i < 6; i++) {
        wait_s(15);
        fake_master_expect(&master, PDU_PING, &p);
        fake_master_respond(&master, &p, AGENTX_NO_ERROR);
        run();
    }
    fake_master_die(&master);
    run();
    assert_int_equal(pause_s(), 1);
}

TEST(nothing_is_done_with_a_descriptor_that_was_closed)
{
    int64_t until;
    be_up();
    struct pollfd p = polled(&until);
    struct pdu_writer w = request(PDU_CLOSE, 0);
    pdu_add_four(&w, PDU_REASON_SHUTDOWN, 0, 0, 0);
    tell(&w);
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    // Another file gets the descriptor's number.
    int other = open(support_file("other", "untouched", 0600), O_RDWR);
    assert_int_equal(other, p.fd);
    agentx_client_run(client, POLLIN | POLLOUT | POLLHUP);
    wait_s(1);
    agentx_client_free(client);
    client = NULL;
    char text[16] = "";
    assert_int_equal(pread(other, text, sizeof text, 0), 9);
    assert_string_equal(text, "untouched");
    assert_int_equal(close(other), 0);
}

TEST(a_restarted_master_gets_everything_anew)
{
    be_up();
    fake_master_die(&master);
    run();
    assert_non_null(strstr(agentx_client_problem(client), "closed the connection"));
    assert_false(agentx_client_notify(client, "", seen, 1, &err));
    fake_master_listen(&master);
    now.monotonic += CLOCK_US_PER_S;
    open_session();
    assert_log_lines(3);
}

TEST(a_master_may_close_the_session)
{
    be_up();
    struct pdu_writer w = request(PDU_CLOSE, 0);
    pdu_add_four(&w, PDU_REASON_SHUTDOWN, 0, 0, 0);
    tell(&w);
    assert_true(fake_master_is_left(&master));
    assert_non_null(strstr(agentx_client_problem(client), "as it shuts down"));
}

TEST(the_end_is_told)
{
    struct fake_pdu p;
    be_up();
    agentx_client_free(client);
    client = NULL;
    fake_master_expect(&master, PDU_CLOSE, &p);
    assert_int_equal(p.octets[PDU_HEADER_SIZE], PDU_REASON_SHUTDOWN);
    assert_true(fake_master_is_left(&master));
}

TEST(what_is_no_agentx_ends_the_session)
{
    struct fake_pdu p;
    be_up();
    assert_int_equal(send(master.fd, "GET / HTTP/1.1\r\n", 16, 0), 16);
    run();
    fake_master_expect(&master, PDU_CLOSE, &p);
    assert_int_equal(p.octets[PDU_HEADER_SIZE], PDU_REASON_PARSE_ERROR);
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
}

TEST(a_pdu_beyond_the_limit_ends_the_session)
{
    uint8_t octets[20];
    be_up();
    support_hex(octets, sizeof octets, "01 05 10 00  0000002A 00000000 00000001 00100004");
    assert_int_equal(send(master.fd, octets, sizeof octets, 0), sizeof octets);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
}

TEST(addresses_are_checked)
{
    static const char *const BAD[] = {"",         "tcp:",     "tcp:localhost:705", "tcp:127.0.0.1",
                                      "tcp::705", "tcp:[::1]"};
    for (size_t i = 0; i < COUNT(BAD); i++) {
        struct agentx_options o = options(BAD[i]);
        if (agentx_client_new(&o, &err))
            fail_msg("'%s' passes for an address", BAD[i]);
    }
    static const char *const GOOD[] = {"tcp:127.0.0.1:705", "tcp:[::1]:705", "/var/agentx/master"};
    for (size_t i = 0; i < COUNT(GOOD); i++) {
        struct agentx_options o = options(GOOD[i]);
        agentx_client_free(agentx_client_new(&o, &err));
    }
}

// Silence.

TEST(a_silent_master_is_pinged)
{
    struct fake_pdu p;
    be_up();
    assert_int_equal(pause_s(), 15);
    wait_s(14);
    assert_false(fake_master_hear(&master, &p));
    wait_s(1);
    fake_master_expect(&master, PDU_PING, &p);
    assert_int_equal(pause_s(), 20);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    assert_int_equal(pause_s(), 15);
}

static void be_pinged(uint32_t uptime)
{
    struct fake_pdu p;
    wait_s(15);
    fake_master_expect(&master, PDU_PING, &p);
    master.uptime = uptime;
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
}

TEST(the_masters_start_is_known_and_does_not_flutter)
{
    now.monotonic = 5000 * CLOCK_US_PER_S;
    master.uptime = 100 * 100;
    be_up();
    int64_t started = 4900 * CLOCK_US_PER_S;
    assert_int_equal(agentx_client_master_started_at(client), started);
    be_pinged(115 * 100 - 40); // 0.4 s in transit
    assert_int_equal(agentx_client_master_started_at(client), started);
    be_pinged(3 * 100); // the master started again
    assert_int_equal(agentx_client_master_started_at(client), now.monotonic - 3 * CLOCK_US_PER_S);
}

TEST(a_master_that_does_not_answer_is_left)
{
    struct fake_pdu p;
    be_up();
    wait_s(15);
    wait_s(19);
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    wait_s(1);
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    assert_non_null(strstr(agentx_client_problem(client), "does not answer"));
    fake_master_expect(&master, PDU_PING, &p);
    fake_master_expect(&master, PDU_CLOSE, &p);
    assert_int_equal(p.octets[PDU_HEADER_SIZE], PDU_REASON_TIMEOUTS);
    assert_true(fake_master_is_left(&master));
}

TEST(a_master_that_forgot_the_session_is_left)
{
    struct fake_pdu p;
    be_up();
    wait_s(15);
    fake_master_expect(&master, PDU_PING, &p);
    fake_master_respond(&master, &p, AGENTX_NOT_OPEN);
    run();
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
}

static void be_asked(void)
{
    struct pdu_writer w = request(PDU_GET_BULK, 1);
    pdu_add_four(&w, 0, 0, 0x10, 0); // 4,096 repetitions
    for (int i = 0; i < 50; i++)
        add_range(&w, 0, false, 0);
    pdu_end(&w);
    if (send(master.fd, w.octets, w.used, MSG_DONTWAIT) < 0)
        assert_int_equal(errno, EAGAIN);
    run();
}

TEST(a_master_that_does_not_read_is_left)
{
    be_up();
    for (int i = 0; i < 5000; i++)
        be_asked();
    int64_t until;
    struct pollfd p = polled(&until);
    assert_int_equal(p.events, POLLOUT); // reads no requests until there is room for answers
    assert_int_equal(until - now.monotonic, 30 * CLOCK_US_PER_S);
    wait_s(29);
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    wait_s(1);
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    assert_non_null(strstr(agentx_client_problem(client), "does not read"));
}

// Requests.

TEST(get_is_answered)
{
    be_up();
    struct pdu_writer w = request(PDU_GET, 7);
    add_range(&w, 3, false, 0);
    add_range(&w, 9, false, 0);
    assert_int_equal(ask(&w), AGENTX_NO_ERROR);
    assert_int_equal(response.header.transaction, 7);
    assert_int_equal(response.header.session, FAKE_MASTER_SESSION);
    assert_next(3, AGENTX_INTEGER);
    assert_next(9, AGENTX_NO_SUCH_INSTANCE);
    assert_end();
}

// RFC 2741 6.1.1 and 7.1.1: a request names its context, and the default one by none.
TEST(handlers_get_the_context_of_a_request)
{
    static const uint8_t TYPES[] = {PDU_GET, PDU_GET_NEXT, PDU_GET_BULK, PDU_TEST_SET};
    static const char LONGEST[] = "0123456789abcdef0123456789abcdef";
    static const char *const CONTEXTS[] = {"0002c90200c10000", "", LONGEST};
    be_up();
    for (size_t t = 0; t < COUNT(TYPES); t++) {
        for (size_t i = 0; i < COUNT(CONTEXTS); i++) {
            struct pdu_writer w = request_in(TYPES[t], 7, CONTEXTS[i]);
            if (TYPES[t] == PDU_GET_BULK)
                pdu_add_four(&w, 0, 0, 0, 2);
            if (TYPES[t] == PDU_TEST_SET)
                add_integer(&w, 3);
            else
                add_range(&w, 3, false, 0);
            assert_int_equal(ask(&w), AGENTX_NO_ERROR);
            assert_string_equal(heard_context, CONTEXTS[i]);
        }
    }
}

TEST(a_context_that_none_can_be_is_not_supported)
{
    static const uint8_t TYPES[] = {PDU_GET, PDU_GET_NEXT, PDU_GET_BULK, PDU_TEST_SET};
    be_up();
    for (size_t t = 0; t < COUNT(TYPES); t++) {
        struct pdu_writer w = request_in(TYPES[t], 7, "0123456789abcdef0123456789abcdef0");
        add_range(&w, 3, false, 0);
        assert_int_equal(ask(&w), AGENTX_UNSUPPORTED_CONTEXT);
        assert_end();
    }
    struct pdu_writer w = request_in(PDU_GET, 7, "a?c");
    room[PDU_HEADER_SIZE + 4 + 1] = '\0'; // a NUL within
    add_range(&w, 3, false, 0);
    assert_int_equal(ask(&w), AGENTX_UNSUPPORTED_CONTEXT);
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
}

TEST(get_next_is_answered)
{
    be_up();
    struct pdu_writer w = request(PDU_GET_NEXT, 7);
    add_range(&w, 3, false, 0);
    add_range(&w, 3, true, 0);
    add_range(&w, 3, false, 4);
    add_range(&w, 5, false, 0);
    assert_int_equal(ask(&w), AGENTX_NO_ERROR);
    assert_next(4, AGENTX_INTEGER);
    assert_next(3, AGENTX_INTEGER);
    assert_next(3, AGENTX_END_OF_MIB_VIEW);
    assert_next(5, AGENTX_END_OF_MIB_VIEW);
    assert_end();
}

TEST(get_bulk_is_answered)
{
    be_up();
    struct pdu_writer w = request(PDU_GET_BULK, 7);
    pdu_add_four(&w, 0, 1, 0, 3); // a name without repetition, the other names three times
    add_range(&w, 0, false, 0);
    add_range(&w, 1, true, 0);
    add_range(&w, 3, false, 5);
    assert_int_equal(ask(&w), AGENTX_NO_ERROR);
    assert_next(1, AGENTX_INTEGER);
    assert_next(1, AGENTX_INTEGER);
    assert_next(4, AGENTX_INTEGER);
    assert_next(2, AGENTX_INTEGER);
    assert_next(4, AGENTX_END_OF_MIB_VIEW);
    assert_next(3, AGENTX_INTEGER);
    assert_next(4, AGENTX_END_OF_MIB_VIEW);
    assert_end();
}

TEST(get_bulk_ends_where_all_ranges_end)
{
    be_up();
    struct pdu_writer w = request(PDU_GET_BULK, 7);
    pdu_add_four(&w, 0, 0, 0xFF, 0xFF);
    add_range(&w, 4, false, 0);
    assert_int_equal(ask(&w), AGENTX_NO_ERROR);
    assert_next(5, AGENTX_INTEGER);
    assert_next(5, AGENTX_END_OF_MIB_VIEW);
    assert_end();
}

TEST(get_bulk_without_repetitions_or_ranges_is_answered)
{
    be_up();
    struct pdu_writer w = request(PDU_GET_BULK, 7);
    pdu_add_four(&w, 0, 1, 0, 0);
    add_range(&w, 0, false, 0);
    add_range(&w, 0, false, 0);
    assert_int_equal(ask(&w), AGENTX_NO_ERROR);
    assert_next(1, AGENTX_INTEGER);
    assert_end();
    w = request(PDU_GET_BULK, 7);
    pdu_add_four(&w, 0, 0, 0, 10);
    assert_int_equal(ask(&w), AGENTX_NO_ERROR);
    assert_end();
}

TEST(what_cannot_be_told_now_is_an_error)
{
    be_up();
    untold = 4;
    struct pdu_writer w = request(PDU_GET, 7);
    add_range(&w, 3, false, 0);
    add_range(&w, 4, false, 0);
    assert_int_equal(ask(&w), AGENTX_GEN_ERR);
    assert_int_equal(index_of_error, 2);
    assert_end();
    w = request(PDU_GET_NEXT, 7);
    add_range(&w, 3, false, 0);
    assert_int_equal(ask(&w), AGENTX_GEN_ERR);
    assert_int_equal(index_of_error, 1);
    w = request(PDU_GET_BULK, 7);
    pdu_add_four(&w, 0, 0, 0, 5);
    add_range(&w, 1, false, 0);
    assert_int_equal(ask(&w), AGENTX_GEN_ERR);
    assert_end();
    untold = 0;
    w = request(PDU_GET_NEXT, 7);
    add_range(&w, 3, false, 0);
    assert_int_equal(ask(&w), AGENTX_NO_ERROR);
    assert_next(4, AGENTX_INTEGER);
}

TEST(a_malformed_request_ends_the_session)
{
    be_up();
    struct pdu_writer w = request(PDU_GET, 7);
    pdu_add_four(&w, 3, 0, 0, 0);
    tell(&w);
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
}

// Set.

static unsigned test_one(uint32_t transaction, uint32_t last)
{
    struct pdu_writer w = request(PDU_TEST_SET, transaction);
    add_integer(&w, last);
    return ask(&w);
}

static unsigned phase(uint8_t type, uint32_t transaction)
{
    struct pdu_writer w = request(type, transaction);
    return ask(&w);
}

static void clean_up(uint32_t transaction)
{
    struct pdu_writer w = request(PDU_CLEANUP_SET, transaction);
    tell(&w);
}

TEST(a_set_is_tested_and_committed)
{
    struct fake_pdu p;
    be_up();
    assert_int_equal(test_one(7, 3), AGENTX_NO_ERROR);
    assert_int_equal(tested, 1);
    assert_int_equal(seen[0].value.number, 3);
    assert_int_equal(phase(PDU_COMMIT_SET, 7), AGENTX_NO_ERROR);
    clean_up(7);
    assert_false(fake_master_hear(&master, &p));
    assert_string_equal(phases, "tcx");
}

TEST(a_refused_set_tells_the_place)
{
    be_up();
    test_verdict = AGENTX_WRONG_VALUE;
    failed_at = 1;
    struct pdu_writer w = request(PDU_TEST_SET, 7);
    add_integer(&w, 1);
    add_integer(&w, 2);
    assert_int_equal(ask(&w), AGENTX_WRONG_VALUE);
    assert_int_equal(index_of_error, 2);
    clean_up(7);
    assert_string_equal(phases, "t");
}

TEST(a_set_is_undone)
{
    be_up();
    test_one(7, 3);
    phase(PDU_COMMIT_SET, 7);
    assert_int_equal(phase(PDU_UNDO_SET, 7), AGENTX_NO_ERROR);
    clean_up(7);
    assert_string_equal(phases, "tcu");
}

TEST(failures_of_commit_and_undo_are_told)
{
    be_up();
    commit_verdict = AGENTX_COMMIT_FAILED;
    test_one(7, 3);
    assert_int_equal(phase(PDU_COMMIT_SET, 7), AGENTX_COMMIT_FAILED);
    assert_int_equal(index_of_error, 1);
    assert_int_equal(phase(PDU_UNDO_SET, 7), AGENTX_NO_ERROR);
    commit_verdict = AGENTX_NO_ERROR;
    undo_verdict = AGENTX_UNDO_FAILED;
    test_one(8, 3);
    phase(PDU_COMMIT_SET, 8);
    assert_int_equal(phase(PDU_UNDO_SET, 8), AGENTX_UNDO_FAILED);
    assert_int_equal(index_of_error, 1);
    assert_string_equal(phases, "tctcu");
}

TEST(a_test_that_comes_again_is_made_anew)
{
    be_up();
    assert_int_equal(test_one(7, 1), AGENTX_NO_ERROR);
    assert_int_equal(test_one(7, 1), AGENTX_NO_ERROR);
    assert_int_equal(tested, 1);
    assert_int_equal(phase(PDU_COMMIT_SET, 7), AGENTX_NO_ERROR);
    assert_int_equal(phase(PDU_COMMIT_SET, 7), AGENTX_NO_ERROR);
    clean_up(7);
    clean_up(7);
    assert_string_equal(phases, "txtcx");
}

TEST(another_set_waits_its_turn)
{
    be_up();
    test_one(7, 1);
    assert_int_equal(test_one(8, 2), AGENTX_RESOURCE_UNAVAILABLE);
    assert_int_equal(index_of_error, 1);
    clean_up(8);
    assert_int_equal(phase(PDU_COMMIT_SET, 7), AGENTX_NO_ERROR);
    clean_up(7);
    assert_int_equal(test_one(8, 2), AGENTX_NO_ERROR);
    assert_string_equal(phases, "tcxt");
}

TEST(a_set_with_too_much_in_it_is_refused)
{
    be_up();
    struct pdu_writer w = request(PDU_TEST_SET, 7);
    for (int i = 0; i < AGENTX_SET_MAX + 1; i++)
        add_integer(&w, 1);
    assert_int_equal(ask(&w), AGENTX_RESOURCE_UNAVAILABLE);
    assert_int_equal(index_of_error, AGENTX_SET_MAX + 1);
    assert_string_equal(phases, "");
    static uint8_t longer[AGENTX_OCTETS_MAX + 4];
    w = request(PDU_TEST_SET, 8);
    add_integer(&w, 1);
    pdu_add_four(&w, 0, AGENTX_OCTETS, 0, 0);
    add_name(&w, 1, false);
    pdu_add_octets(&w, longer, sizeof longer);
    assert_int_equal(ask(&w), AGENTX_WRONG_LENGTH);
    assert_int_equal(index_of_error, 2);
    assert_string_equal(phases, "");
}

TEST(a_lost_session_cleans_up)
{
    be_up();
    test_one(7, 1);
    fake_master_die(&master);
    run();
    assert_string_equal(phases, "tx");
    fake_master_listen(&master);
    now.monotonic += CLOCK_US_PER_S;
    open_session();
    test_one(7, 1);
    phase(PDU_COMMIT_SET, 7);
    fake_master_die(&master);
    run();
    assert_string_equal(phases, "txtcu");
}

TEST(a_set_that_does_not_go_on_is_cleaned_up)
{
    struct fake_pdu p;
    be_up();
    test_one(7, 1);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(phases, "t");
        wait_s(15);
        fake_master_expect(&master, PDU_PING, &p);
        fake_master_respond(&master, &p, AGENTX_NO_ERROR);
        run();
    }
    assert_string_equal(phases, "tx");
}

// The limit would keep all other sessions out while any of them tries again within a minute.
TEST(other_sets_do_not_keep_one_that_does_not_go_on)
{
    struct fake_pdu p;
    be_up();
    test_one(7, 1);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(test_one(8 + i, 2), AGENTX_RESOURCE_UNAVAILABLE);
        clean_up(8 + i);
        wait_s(15);
        if (fake_master_hear(&master, &p))
            fake_master_respond(&master, &p, AGENTX_NO_ERROR);
        run();
    }
    assert_string_equal(phases, "tx");
    assert_int_equal(test_one(20, 2), AGENTX_NO_ERROR);
}

// Notifications.

static bool notify(const char *context)
{
    static const uint32_t TRAP_OID[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    static struct agentx_varbind v[1];
    v[0].value.type = AGENTX_OID;
    v[0].name.length = COUNT(TRAP_OID);
    memcpy(v[0].name.ids, TRAP_OID, sizeof TRAP_OID);
    v[0].value.oid.length = COUNT(ROOT);
    memcpy(v[0].value.oid.ids, ROOT, sizeof ROOT);
    return agentx_client_notify(client, context, v, 1, &err);
}

TEST(a_notification_goes_and_is_confirmed)
{
    struct fake_pdu p;
    struct agentx_varbind v;
    be_up();
    assert_true(notify("ib1"));
    run();
    fake_master_expect(&master, PDU_NOTIFY, &p);
    assert_true(p.header.has_context);
    assert_int_equal(p.header.session, FAKE_MASTER_SESSION);
    assert_true(pdu_read_varbind(&p.rest, &v));
    assert_int_equal(v.value.oid.length, COUNT(ROOT));
    assert_ptr_equal(p.rest.at, p.rest.end);
    assert_int_equal(notified, 0);
    fake_master_respond(&master, &p, AGENTX_NO_ERROR);
    run();
    assert_int_equal(notified, 1);
    assert_int_equal(notified_errors[0], AGENTX_NO_ERROR);
}

TEST(confirmations_keep_the_order)
{
    struct fake_pdu first, second;
    be_up();
    notify("");
    notify("");
    run();
    fake_master_expect(&master, PDU_NOTIFY, &first);
    fake_master_expect(&master, PDU_NOTIFY, &second);
    fake_master_respond(&master, &second, AGENTX_GEN_ERR);
    run();
    assert_int_equal(notified, 0);
    fake_master_respond(&master, &first, AGENTX_NO_ERROR);
    run();
    assert_int_equal(notified, 2);
    assert_int_equal(notified_errors[0], AGENTX_NO_ERROR);
    assert_int_equal(notified_errors[1], AGENTX_GEN_ERR);
}

TEST(a_master_that_never_stops_talking_is_left)
{
    const struct fake_pdu nobodys = {.header = {.packet = 0x7fffffff}};
    be_up();
    for (int i = 0; i < 900; i++) {
        fake_master_respond(&master, &nobodys, AGENTX_NO_ERROR);
        run();
    }
    assert_int_equal(agentx_client_state(client), AGENTX_UP);
    be_pinged(0);
    for (int i = 0; i < 1001; i++) {
        assert_int_equal(agentx_client_state(client), AGENTX_UP);
        fake_master_respond(&master, &nobodys, AGENTX_NO_ERROR);
        run();
    }
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    assert_non_null(strstr(agentx_client_problem(client), "responses that nobody asked for"));
}

TEST(only_so_many_notifications_are_unconfirmed)
{
    be_up();
    for (int i = 0; i < AGENTX_IN_FLIGHT_MAX; i++)
        assert_true(notify(""));
    assert_false(notify(""));
    assert_non_null(strstr(err.text, "too many notifications"));
}

TEST(an_unconfirmed_notification_ends_the_session)
{
    be_up();
    notify("");
    run();
    wait_s(20);
    assert_int_equal(agentx_client_state(client), AGENTX_AWAY);
    assert_int_equal(notified, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_session_is_opened_and_its_regions_registered),
        CASE(a_refused_session_is_tried_again),
        CASE(a_refused_region_ends_the_session),
        CASE(an_optional_region_is_asked_for_again_once_a_minute),
        CASE(many_regions_are_registered_some_at_a_time),
        CASE(regions_may_come_while_the_session_is_open),
        CASE(a_region_may_get_another_context),
        CASE(a_region_may_get_another_context_while_the_master_is_away),
        CASE(more_regions_than_there_can_be_are_refused),
        CASE(the_pause_grows_up_to_a_minute),
        CASE(chance_takes_up_to_half_of_a_pause),
        CASE(a_session_that_lasted_makes_the_next_pause_short),
        CASE(nothing_is_done_with_a_descriptor_that_was_closed),
        CASE(a_restarted_master_gets_everything_anew),
        CASE(a_master_may_close_the_session),
        CASE(the_end_is_told),
        CASE(what_is_no_agentx_ends_the_session),
        CASE(a_pdu_beyond_the_limit_ends_the_session),
        CASE(addresses_are_checked),
        CASE(a_silent_master_is_pinged),
        CASE(the_masters_start_is_known_and_does_not_flutter),
        CASE(a_master_that_does_not_answer_is_left),
        CASE(a_master_that_forgot_the_session_is_left),
        CASE(a_master_that_does_not_read_is_left),
        CASE(get_is_answered),
        CASE(handlers_get_the_context_of_a_request),
        CASE(a_context_that_none_can_be_is_not_supported),
        CASE(get_next_is_answered),
        CASE(get_bulk_is_answered),
        CASE(get_bulk_ends_where_all_ranges_end),
        CASE(get_bulk_without_repetitions_or_ranges_is_answered),
        CASE(what_cannot_be_told_now_is_an_error),
        CASE(a_malformed_request_ends_the_session),
        CASE(a_set_is_tested_and_committed),
        CASE(a_refused_set_tells_the_place),
        CASE(a_set_is_undone),
        CASE(failures_of_commit_and_undo_are_told),
        CASE(a_test_that_comes_again_is_made_anew),
        CASE(another_set_waits_its_turn),
        CASE(a_set_with_too_much_in_it_is_refused),
        CASE(a_lost_session_cleans_up),
        CASE(a_set_that_does_not_go_on_is_cleaned_up),
        CASE(other_sets_do_not_keep_one_that_does_not_go_on),
        CASE(a_notification_goes_and_is_confirmed),
        CASE(confirmations_keep_the_order),
        CASE(a_master_that_never_stops_talking_is_left),
        CASE(only_so_many_notifications_are_unconfirmed),
        CASE(an_unconfirmed_notification_ends_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
