// SPDX-License-Identifier: BSD-2-Clause
// Reads on demand, over a port whose answers the test gives.
#include "support.h"

#include "base/wire.h"
#include "ib/mad_io.h"
#include "ib/reads.h"
#include "ib/sa_client.h"

#include <poll.h>
#include <sys/eventfd.h>

enum {
    LOG_MAX = 4096,
    RATE = 100,
    ATTEMPTS = 2,
    STATUS = 4,
    TID = 12,
    METHOD = 3,
    ATTRIBUTE = 16,
    MODIFIER = 20,
    DATA = 64,
    SA_DATA = 56,
    SA_OFFSET = 44,
};
static const int64_t MS = CLOCK_US_PER_MS, S = CLOCK_US_PER_S, TIMEOUT = 200 * CLOCK_US_PER_MS;

static struct support_time now;
static struct clock virtual_clock;
static struct reads *demand;
static struct mad_listener listener;
static struct sa_status status;
static bool no_port, refuses;
static struct sent {
    enum mad_agent agent;
    struct mad_address to;
    uint8_t mad[MAD_SIZE];
} sent[LOG_MAX], asked[LOG_MAX]; // but for questions who has a LID; those
static size_t sent_count, asked_count, told;
static bool no_names; // nobody answers to those
static unsigned closed;

static bool listen_to(void *self, const struct mad_listener *l, struct error *err)
{
    (void)self, (void)err;
    listener = l ? *l : (struct mad_listener){0};
    return true;
}

static bool send_mad(void *self, enum mad_agent agent, const struct mad_address *to,
                     const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    (void)self, (void)response_timeout_ms;
    if (refuses)
        return error_set(err, "not now");
    const bool is_name = agent == MAD_AGENT_SMP_LID && wire_get16(octets + ATTRIBUTE) == 0x11;
    size_t *count = is_name ? &asked_count : &sent_count;
    assert_true(*count < LOG_MAX);
    struct sent *at = is_name ? &asked[*count] : &sent[*count];
    at->agent = agent;
    at->to = *to;
    memcpy(at->mad, octets, MAD_SIZE);
    ++*count;
    return true;
}

// NodeInfo of a port with the GUID at the LID.
static void tell_name(size_t at, uint64_t guid)
{
    enum { TYPE = 2, PORTS = 3, NODE_GUID = 12, PORT_GUID = 20, LOCAL_PORT = 36 };
    uint8_t mad[MAD_SIZE];
    memcpy(mad, asked[at].mad, sizeof mad);
    mad[METHOD] |= MAD_METHOD_RESPONSE;
    mad[DATA + TYPE] = mad[DATA + PORTS] = mad[DATA + LOCAL_PORT] = 1;
    wire_put(mad + DATA + NODE_GUID, 8, guid);
    wire_put(mad + DATA + PORT_GUID, 8, guid);
    const struct mad_received in = {
        .from.lid = asked[at].to.lid, .octets = mad, .size = sizeof mad};
    listener.take(listener.ctx, &in);
}

// All ports are those that are meant.
static void tell_names(void)
{
    while (!no_names && told < asked_count) {
        told++;
        tell_name(told - 1, asked[told - 1].to.guid);
    }
}

static void close_port(void *self)
{
    (void)self;
    closed++;
}

// In place of the SA client.

bool sa_client_attach(struct sa_client *client, enum mad_user user, struct mad_io *out,
                      struct error *err)
{
    (void)client;
    assert_int_equal(user, MAD_USER_READS);
    *out = (struct mad_io){
        .listen = listen_to, .send = send_mad, .close = close_port, .self = &listener};
    return !no_port || error_set(err, "no port is open");
}

void sa_client_status(struct sa_client *client, struct sa_status *out)
{
    (void)client;
    *out = status;
}

static void begin(unsigned rate)
{
    struct error err;
    const struct reads_options options = {.rate = rate,
                                          .attempts = ATTEMPTS,
                                          .timeout_us = TIMEOUT,
                                          .mkey = 0x1122,
                                          .clock = &virtual_clock,
                                          .random = &random_system};
    demand = reads_new(&options, &err);
    assert_non_null(demand);
}

static int setup(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * S};
    virtual_clock = support_clock(&now);
    status = (struct sa_status){.port = {.state = 4, .lid = 3, .sm_lid = 9, .sm_sl = 2},
                                .sm_answers = true};
    no_port = refuses = no_names = false;
    sent_count = asked_count = told = closed = 0;
    begin(RATE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    reads_free(demand);
    assert_null(listener.take);
    return 0;
}

static struct demand_key smp(uint16_t lid, uint32_t modifier)
{
    return (struct demand_key){.guid = lid,
                               .lid = lid,
                               .class = DEMAND_SMP,
                               .attribute = DEMAND_SL_TO_VL,
                               .modifier = modifier};
}

static int64_t ticket;
static struct demand_answer *answer;

static enum demand_state ask(const struct demand_key *key)
{
    demand_answer_unref(answer);
    answer = NULL;
    const enum demand_state state = reads_ask(demand, key, &answer, &ticket);
    tell_names();
    return state;
}

static enum demand_state ask_smp(uint16_t lid, uint32_t modifier)
{
    const struct demand_key key = smp(lid, modifier);
    return ask(&key);
}

static struct demand_key led(uint16_t lid, bool sets, bool on)
{
    struct demand_key key = {
        .guid = lid, .lid = lid, .class = DEMAND_SMP, .attribute = DEMAND_LED_INFO, .sets = sets};
    key.record[0] = sets && on ? 0x80 : 0;
    return key;
}

static enum demand_state set_led(uint16_t lid, bool on)
{
    const struct demand_key key = led(lid, true, on);
    return ask(&key);
}

static enum demand_state read_led(uint16_t lid)
{
    const struct demand_key key = led(lid, false, false);
    return ask(&key);
}

static bool can_ask_smp(uint16_t lid)
{
    const struct demand_key key = smp(lid, 0);
    return reads_can_ask(demand, &key);
}

// An answer from that LID to a MAD that was sent, with this first octet of data.
static void reply_from(uint16_t lid, size_t at, uint16_t error, uint8_t first)
{
    uint8_t mad[MAD_SIZE];
    memcpy(mad, sent[at].mad, sizeof mad);
    mad[METHOD] |= MAD_METHOD_RESPONSE;
    wire_put(mad + STATUS, 2, error);
    mad[DATA] = first;
    const struct mad_received in = {.from.lid = lid, .octets = mad, .size = sizeof mad};
    listener.take(listener.ctx, &in);
}

static void reply_with(size_t at, uint16_t error, uint8_t first)
{
    reply_from(sent[at].to.lid, at, error, first);
}

static void run_to(int64_t us)
{
    while (now.monotonic < us) {
        int64_t next = reads_run(demand);
        if (told < asked_count && !no_names) {
            tell_names();
            next = reads_run(demand);
        }
        assert_true(next > now.monotonic); // else it would turn without a pause
        now.monotonic = next < us ? next : us;
    }
    reads_run(demand);
    tell_names();
}

static void run_for(int64_t us)
{
    run_to(now.monotonic + us);
}

static bool has_news(void)
{
    struct pollfd p = {.fd = reads_fd(demand), .events = POLLIN};
    eventfd_t ignored;
    return poll(&p, 1, 0) == 1 && eventfd_read(p.fd, &ignored) == 0;
}

TEST(what_is_asked_for_is_read_once_and_kept)
{
    assert_int_equal(ask_smp(5, 0x0102), DEMAND_LATER);
    const int64_t first = ticket;
    assert_int_equal(sent_count, 1);
    assert_int_equal(sent[0].agent, MAD_AGENT_SMP_LID);
    assert_int_equal(sent[0].to.lid, 5);
    assert_int_equal(wire_get32(sent[0].mad + MODIFIER), 0x0102);
    assert_int_equal(wire_get64(sent[0].mad + 24), 0x1122); // M_Key
    for (int i = 0; i < 10; i++) {
        assert_int_equal(ask_smp(5, 0x0102), DEMAND_LATER);
        assert_int_equal(ticket, first);
    }
    assert_false(reads_is_ready(demand, first));
    assert_false(has_news());
    reply_with(0, 0, 77);
    assert_true(has_news());
    assert_true(reads_is_ready(demand, first));
    assert_int_equal(ask_smp(5, 0x0102), DEMAND_HERE);
    assert_int_equal(answer->count, 1);
    assert_int_equal(answer->size, 64);
    assert_int_equal(answer->octets[0], 77);
    run_for(59 * S);
    assert_false(has_news());
    assert_int_equal(ask_smp(5, 0x0102), DEMAND_HERE);
    assert_int_equal(sent_count, 1);
    run_for(2 * S);
    assert_int_equal(ask_smp(5, 0x0102), DEMAND_LATER);
    assert_int_equal(sent_count, 2);
}

// Registers of NVIDIA's devices.

enum { VSKEY = 24, OCTETS = 36, NO_REGISTER = 0x14 };

static void begin_with_registers(void)
{
    struct error err;
    const struct reads_options options = {.rate = RATE,
                                          .attempts = ATTEMPTS,
                                          .timeout_us = TIMEOUT,
                                          .registers = true,
                                          .vskey = 0x3344,
                                          .clock = &virtual_clock,
                                          .random = &random_system};
    reads_free(demand);
    demand = reads_new(&options, &err);
    assert_non_null(demand);
}

static enum demand_state ask_module(uint8_t port)
{
    const struct demand_key key = {.guid = 5,
                                   .lid = 5,
                                   .class = DEMAND_REGISTER,
                                   .attribute = REGISTER_MODULE,
                                   .modifier = port};
    return ask(&key);
}

TEST(registers_are_read_only_where_somebody_wants_so)
{
    assert_int_equal(ask_module(7), DEMAND_NONE);
    assert_int_equal(sent_count + asked_count, 0);
}

TEST(a_register_is_read_after_the_name_of_its_device)
{
    begin_with_registers();
    assert_int_equal(ask_module(7), DEMAND_LATER);
    assert_int_equal(asked_count, 1);
    run_for(100 * MS);
    assert_int_equal(sent_count, 1);
    assert_int_equal(sent[0].agent, MAD_AGENT_VENDOR);
    assert_int_equal(sent[0].to.qpn, 1);
    assert_int_equal(sent[0].mad[1], 0x0A);
    assert_int_equal(sent[0].mad[METHOD], 1); // Get
    assert_int_equal(wire_get64(sent[0].mad + VSKEY), 0x3344);
    assert_int_equal(wire_get32(sent[0].mad + MODIFIER), 0x5031);
    assert_int_equal(wire_get64(sent[0].mad + OCTETS), UINT64_C(0x0007400020000003));
    reply_with(0, 0, 77);
    assert_int_equal(ask_module(7), DEMAND_HERE);
    assert_int_equal(answer->size, 220);
    assert_int_equal(answer->octets[DATA - OCTETS], 77);
}

TEST(a_device_that_lacks_a_register_is_asked_once_a_day)
{
    begin_with_registers();
    ask_module(7);
    run_for(100 * MS);
    reply_with(0, NO_REGISTER, 0);
    assert_int_equal(ask_module(7), DEMAND_NONE);
    assert_int_equal(ask_module(8), DEMAND_NONE);
    now.monotonic += 23 * 3600 * S;
    assert_int_equal(ask_module(8), DEMAND_NONE);
    assert_int_equal(sent_count, 1);
    now.monotonic += 2 * 3600 * S;
    assert_int_equal(ask_module(8), DEMAND_LATER);
}

TEST(an_answer_about_another_port_is_none)
{
    begin_with_registers();
    ask_module(7);
    run_for(100 * MS);
    sent[0].mad[OCTETS + 1] = 8;
    reply_with(0, 0, 77);
    assert_int_equal(ask_module(7), DEMAND_NONE);
}

TEST(an_error_is_an_answer_and_kept)
{
    ask_smp(5, 1);
    reply_with(0, 0x001C, 0);
    assert_int_equal(ask_smp(5, 1), DEMAND_NONE);
    assert_int_equal(ask_smp(5, 2), DEMAND_LATER); // the node does answer
    assert_int_equal(sent_count, 2);
}

// It has discarded the MAD, and may be asked again.
TEST(who_is_busy_has_not_answered)
{
    enum { BUSY = 1 };
    ask_smp(5, 1);
    reply_with(0, BUSY, 0);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    run_for(TIMEOUT + 50 * MS);
    assert_int_equal(sent_count, 2);
    reply_with(1, 0, 1);
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
}

TEST(a_silent_node_costs_one_time_out_a_minute)
{
    for (uint32_t i = 0; i < 3; i++)
        ask_smp(5, i);
    assert_int_equal(ask_smp(6, 0), DEMAND_LATER);
    run_for(ATTEMPTS * TIMEOUT + 50 * MS);
    assert_int_equal(ask_smp(5, 0), DEMAND_NONE);
    const size_t before = sent_count;
    for (uint32_t i = 3; i < 200; i++) {
        ask_smp(5, i);
        reads_run(demand);
        assert_int_equal(ask_smp(5, i), DEMAND_NONE);
    }
    assert_int_equal(sent_count, before);
    run_for(61 * S);
    assert_int_equal(ask_smp(5, 300), DEMAND_LATER);
    assert_int_equal(sent_count, before + 1);
}

// It takes no place among the answers, and whoever asks does not wait.
TEST(a_node_that_is_silent_has_nothing_at_once)
{
    const struct demand_key perf = {.guid = 5, .lid = 5, .class = DEMAND_PERF, .attribute = 0x15};
    ask_smp(5, 0);
    run_for(ATTEMPTS * TIMEOUT + 50 * MS);
    for (uint32_t i = 1; i < 2 * READ_ENTRIES_MAX; i++)
        assert_int_equal(ask_smp(5, i), DEMAND_NONE);
    assert_int_equal(ask_smp(5, 0), DEMAND_NONE);
    assert_false(can_ask_smp(5));
    assert_true(can_ask_smp(6));
    assert_true(reads_can_ask(demand, &perf)); // its PMA may answer
    assert_int_equal(ask(&perf), DEMAND_LATER);
    assert_int_equal(sent_count, ATTEMPTS + 1);
}

TEST(an_answer_to_an_earlier_attempt_counts)
{
    ask_smp(5, 1);
    run_for(TIMEOUT + 50 * MS);
    assert_int_equal(sent_count, 2);
    reply_with(0, 0, 7);
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
    reply_with(1, 0, 8); // has nothing to answer any more
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
    assert_int_equal(answer->octets[0], 7);
}

TEST(an_attribute_that_a_pma_lacks_silences_only_itself)
{
    struct demand_key key = {.guid = 5, .lid = 5, .class = DEMAND_PERF, .attribute = 0x15};
    key.modifier = 1;
    ask(&key);
    assert_int_equal(sent[0].agent, MAD_AGENT_PERF);
    assert_int_equal(sent[0].to.qpn, 1);
    assert_int_equal(sent[0].mad[DATA + 1], 1); // PortSelect
    run_for(ATTEMPTS * TIMEOUT + 50 * MS);
    key.modifier = 2;
    ask(&key);
    reads_run(demand);
    assert_int_equal(ask(&key), DEMAND_NONE);
    key.attribute = 0x16;
    assert_int_equal(ask(&key), DEMAND_LATER);
    assert_int_equal(ask_smp(5, 0), DEMAND_LATER);
    assert_int_equal(sent_count, ATTEMPTS + 2);
}

// Answers all that was sent since `from`.
static size_t reply_all(size_t from)
{
    for (; from < sent_count; from++)
        reply_with(from, 0, 1);
    return from;
}

TEST(all_together_have_so_many_a_second)
{
    size_t answered = 0;
    for (uint32_t i = 0; i < 5 * RATE; i++)
        assert_int_equal(ask_smp((uint16_t)(i % 40 + 10), i), DEMAND_LATER);
    for (int i = 0; i < 1000; i++) {
        answered = reply_all(answered);
        run_for(1 * MS);
    }
    assert_in_range(sent_count + asked_count, RATE - 1, RATE + RATE / 50 + 1);
    for (int i = 0; i < 5000; i++) {
        answered = reply_all(answered);
        run_for(1 * MS);
    }
    assert_int_equal(sent_count, 5 * RATE);
}

TEST(repeats_count_as_well)
{
    for (uint32_t i = 0; i < RATE; i++)
        ask_smp((uint16_t)(i + 10), 0); // nobody answers
    run_for(1 * S);
    assert_in_range(sent_count, READS_IN_FLIGHT, RATE + RATE / 50 + 1);
}

TEST(so_many_are_under_way)
{
    reads_free(demand);
    begin(1000000);
    for (uint32_t i = 0; i < 50; i++) {
        ask_smp((uint16_t)(i + 10), 0);
        now.monotonic += 1;
    }
    assert_int_equal(sent_count, READS_IN_FLIGHT);
    reply_with(0, 0, 1);
    tell_names();
    assert_int_equal(sent_count, READS_IN_FLIGHT + 1);
}

TEST(one_port_has_so_many)
{
    reads_free(demand);
    begin(1000000);
    for (uint32_t i = 0; i < 50; i++) {
        now.monotonic += 1;
        ask_smp(5, i);
    }
    run_for(TIMEOUT - 50 * MS);
    assert_int_equal(sent_count, READS_PORT_SLOTS);
    ask_smp(6, 0);
    assert_int_equal(sent_count, READS_PORT_SLOTS + 1);
}

// As when a rack lost its power since the last sweep.
TEST(dead_nodes_hold_up_nobody)
{
    enum { DEAD = 48 };
    reads_free(demand);
    begin(1000000);
    no_names = true;
    for (uint32_t i = 0; i < DEAD; i++) {
        now.monotonic += 1;
        ask_smp((uint16_t)(i + 10), 0);
    }
    ask_smp(5, 0);
    for (int64_t ms = 0; sent_count == 0; ms++) {
        assert_in_range(ms, 0, DEAD / READS_IN_FLIGHT * 100 + 50); // not DEAD times a time-out
        run_for(1 * MS);
        for (size_t i = 0; i < asked_count && sent_count == 0; i++) {
            if (asked[i].to.lid == 5)
                tell_name(i, 5);
        }
    }
    assert_int_equal(sent[0].to.lid, 5);
}

// Who has a LID.

// A host left, and another one got its LID; no sweep has seen that yet.
TEST(another_port_at_that_lid_is_not_asked)
{
    const struct demand_key perf = {.guid = 5, .lid = 5, .class = DEMAND_PERF, .attribute = 0x15};
    no_names = true;
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    assert_int_equal(ask_smp(5, 2), DEMAND_LATER);
    assert_int_equal(asked_count, 1);
    assert_int_equal(asked[0].to.lid, 5);
    assert_int_equal(wire_get64(asked[0].mad + 24), 0x1122); // M_Key
    run_for(20 * MS);
    tell_name(0, 77);
    assert_int_equal(ask_smp(5, 1), DEMAND_NONE);
    assert_int_equal(ask_smp(5, 2), DEMAND_NONE);
    ask(&perf);
    assert_int_equal(ask(&perf), DEMAND_NONE);
    assert_int_equal(sent_count, 0);
    assert_int_equal(asked_count, 1);
    run_for(10 * S);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    assert_int_equal(asked_count, 2);
    tell_name(1, 5);
    assert_int_equal(sent_count, 1);
    reply_with(0, 0, 7);
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
}

TEST(who_has_a_lid_is_asked_now_and_then)
{
    for (uint32_t i = 0; i < 30; i++) {
        ask_smp(5, i);
        reply_all(0);
        run_for(1 * S);
        reply_all(0);
    }
    assert_int_equal(sent_count, 30);
    assert_in_range(asked_count, 3, 4);
}

// The caller knows only the time by which the port has to answer.
TEST(what_waits_for_a_name_is_sent_when_the_rate_allows)
{
    reads_free(demand);
    begin(10);
    no_names = true;
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    assert_int_equal(reads_run(demand), now.monotonic + TIMEOUT);
    tell_name(0, 5);
    assert_int_equal(sent_count, 0);
    assert_true(has_news());
    const int64_t next = reads_run(demand);
    assert_in_range(next - now.monotonic, 1, S / 10);
    now.monotonic = next;
    reads_run(demand);
    assert_int_equal(sent_count, 1);
}

TEST(a_pma_is_asked_where_smps_are_not_answered)
{
    const struct demand_key perf = {.guid = 5, .lid = 5, .class = DEMAND_PERF, .attribute = 0x15};
    no_names = true;
    assert_int_equal(ask(&perf), DEMAND_LATER);
    assert_int_equal(sent_count, 0);
    run_for(ATTEMPTS * TIMEOUT + 50 * MS);
    assert_int_equal(asked_count, ATTEMPTS);
    assert_int_equal(sent_count, 1);
    assert_int_equal(ask_smp(5, 1), DEMAND_NONE);
}

// It has the attribute not, and says nothing.
TEST(a_node_that_keeps_silent_about_an_attribute_has_others)
{
    read_led(5);
    run_for(ATTEMPTS * TIMEOUT + 50 * MS);
    assert_int_equal(read_led(5), DEMAND_NONE);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    run_for(20 * MS);
    reply_with(ATTEMPTS, 0, 7);
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
}

TEST(further_askers_wait_for_a_place)
{
    for (uint32_t i = 0; i < READS_WAITING_MAX + 100; i++)
        assert_int_equal(ask_smp((uint16_t)(i + 10), 0), DEMAND_LATER);
    assert_int_equal(ask_smp(1, 0), DEMAND_LATER);
    const int64_t first = ticket;
    assert_false(reads_is_ready(demand, first));
    size_t answered = 0;
    for (int i = 0; i < 1000; i++) {
        answered = reply_all(answered);
        run_for(1 * MS);
    }
    assert_true(reads_is_ready(demand, first));
}

TEST(old_answers_make_room)
{
    reads_free(demand);
    begin(1000000);
    for (uint32_t i = 0; i < READ_ENTRIES_MAX + 10; i++) {
        const size_t before = sent_count;
        now.monotonic += 1;
        assert_int_equal(ask_smp(5, i), DEMAND_LATER);
        assert_int_equal(sent_count, before + 1);
        reply_with(before, 0, 1);
        sent_count = 0;
    }
    assert_int_equal(ask_smp(5, READ_ENTRIES_MAX + 9), DEMAND_HERE);
    assert_int_equal(ask_smp(5, 0), DEMAND_LATER);
}

// A table of the SA may have many megabytes.
TEST(what_is_not_kept_any_more_frees_its_memory)
{
    ask_smp(5, 1);
    reply_with(0, 0, 1);
    ask_smp(6, 1);
    run_for(20 * MS);
    reply_with(1, 0, 1);
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
    assert_int_equal(answer->references, 2);
    const int64_t next = reads_run(demand);
    assert_in_range(next, now.monotonic, now.monotonic + 60 * S); // though nobody asks
    run_for(60 * S);
    assert_int_equal(answer->references, 1);
    assert_int_equal(reads_run(demand), INT64_MAX);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
}

TEST(a_lost_port_ends_the_wait)
{
    ask_smp(5, 1);
    const int64_t first = ticket;
    listener.lost(listener.ctx, "unplugged");
    assert_true(has_news());
    assert_true(reads_is_ready(demand, first));
    no_port = true;
    run_for(1 * S);
    assert_int_equal(closed, 1);
    assert_int_equal(ask_smp(5, 1), DEMAND_NONE);
    no_port = false;
    run_for(1 * S);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    assert_int_equal(sent_count, 2);
}

TEST(a_port_that_is_down_reads_nothing)
{
    ask_smp(5, 1);
    const int64_t first = ticket;
    status.port.state = 1;
    run_for(1 * S);
    assert_true(reads_is_ready(demand, first));
    assert_int_equal(ask_smp(5, 2), DEMAND_NONE);
    assert_false(can_ask_smp(5));
}

TEST(without_smps_gmps_go_on)
{
    struct demand_key key = {.guid = 5, .lid = 5, .class = DEMAND_PERF, .attribute = 0x15};
    snprintf(status.smp_refusal, sizeof status.smp_refusal, "not allowed");
    assert_int_equal(ask_smp(5, 1), DEMAND_NONE);
    assert_false(can_ask_smp(5));
    assert_int_equal(ask(&key), DEMAND_LATER);
}

TEST(what_cannot_be_sent_is_tried_again_soon)
{
    refuses = true;
    ask_smp(5, 1);
    assert_int_equal(ask_smp(5, 1), DEMAND_NONE);
    refuses = false;
    run_for(2 * S);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
}

// The SA.

static const struct demand_key GROUPS = {.class = DEMAND_SA, .attribute = DEMAND_MC_MEMBER_RECORD};

static void reply_table(size_t at, const uint8_t *records, size_t size, uint16_t stride)
{
    uint8_t *mad = malloc(MAD_SIZE + size);
    assert_non_null(mad);
    memcpy(mad, sent[at].mad, MAD_SIZE);
    mad[METHOD] |= MAD_METHOD_RESPONSE;
    wire_put(mad + SA_OFFSET, 2, stride / 8u);
    memcpy(mad + SA_DATA, records, size);
    const struct mad_received in = {
        .from.lid = sent[at].to.lid, .octets = mad, .size = SA_DATA + size};
    listener.take(listener.ctx, &in);
    free(mad);
}

TEST(the_sa_is_asked_for_tables)
{
    static uint8_t records[300 * 56];
    assert_int_equal(ask(&GROUPS), DEMAND_LATER);
    assert_int_equal(sent[0].agent, MAD_AGENT_SA);
    assert_int_equal(sent[0].to.lid, 9);
    assert_int_equal(sent[0].to.sl, 2);
    for (size_t i = 0; i < 300; i++)
        wire_put(records + i * 56, 4, (uint32_t)i + 1);
    reply_table(0, records, sizeof records, 56);
    assert_int_equal(ask(&GROUPS), DEMAND_HERE);
    assert_int_equal(answer->count, 300);
    assert_int_equal(answer->size, 52);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(wire_get32(demand_answer_at(answer, i)), i + 1);
}

// A table of several MADs comes without padding, and may be shorter than one.
TEST(a_short_table_is_read)
{
    static const uint8_t RECORD[56] = {7};
    ask(&GROUPS);
    reply_table(0, RECORD, sizeof RECORD, sizeof RECORD);
    assert_int_equal(ask(&GROUPS), DEMAND_HERE);
    assert_int_equal(answer->count, 1);
    assert_int_equal(answer->octets[0], 7);
}

// The answer would delay the Reports, which the same thread takes, and would look empty if dropped.
TEST(a_table_that_is_too_large_is_refused)
{
    enum { RECORD = 56 };
    ask(&GROUPS);
    uint8_t *records = malloc(READS_ANSWER_MAX);
    assert_non_null(records);
    memset(records, 1, READS_ANSWER_MAX);
    reply_table(0, records, READS_ANSWER_MAX / RECORD * RECORD, RECORD);
    assert_int_equal(ask(&GROUPS), DEMAND_AWAY);
    run_for(59 * S);
    assert_int_equal(ask(&GROUPS), DEMAND_AWAY);
    assert_int_equal(sent_count, 1);
    run_for(2 * S);
    assert_int_equal(ask(&GROUPS), DEMAND_LATER);
    run_for(20 * MS);
    reply_table(1, records, READS_ANSWER_MAX / RECORD * RECORD - 2 * RECORD, RECORD);
    assert_int_equal(ask(&GROUPS), DEMAND_HERE);
    assert_int_equal(answer->count, READS_ANSWER_MAX / RECORD - 2);
    free(records);
}

TEST(an_sa_that_has_no_records_has_an_empty_table)
{
    ask(&GROUPS);
    reply_with(0, 0x0300, 0); // no records
    assert_int_equal(ask(&GROUPS), DEMAND_HERE);
    assert_int_equal(answer->count, 0);
    struct demand_key key = GROUPS;
    key.mask = 1;
    key.record[0] = 0xFF;
    ask(&key);
    assert_int_equal(wire_get64(sent[1].mad + 48), 1);
    assert_int_equal(sent[1].mad[SA_DATA], 0xFF);
    reply_with(1, 0x0700, 0); // request denied
    assert_int_equal(ask(&key), DEMAND_NONE);
}

// A lost MAD does not make a table look empty: the next asker waits like the first.
TEST(an_sa_that_does_not_answer_is_asked_again)
{
    assert_int_equal(ask(&GROUPS), DEMAND_LATER);
    const int64_t first = ticket;
    run_for(20 * S + 50 * MS);
    assert_true(reads_is_ready(demand, first));
    assert_int_equal(sent_count, 1);
    assert_int_equal(ask(&GROUPS), DEMAND_LATER);
    assert_int_equal(sent_count, 2);
    reply_with(1, 0x0300, 0);
    assert_int_equal(ask(&GROUPS), DEMAND_HERE);
}

// As while another subnet manager takes over: there are groups, though none is known.
TEST(an_sa_that_is_away_says_nothing)
{
    ask(&GROUPS);
    status.sm_answers = false;
    run_for(20 * S + 50 * MS);
    assert_int_equal(ask(&GROUPS), DEMAND_AWAY);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    status.sm_answers = true;
    run_for(1 * S);
    assert_int_equal(ask(&GROUPS), DEMAND_LATER);
    reply_with(sent_count - 1, 0x0300, 0);
    assert_int_equal(ask(&GROUPS), DEMAND_HERE);
    status.sm_answers = false; // the values are kept for the same time
    run_for(1 * S);
    assert_int_equal(ask(&GROUPS), DEMAND_HERE);
    status.port.state = 1;
    run_for(61 * S);
    assert_int_equal(ask(&GROUPS), DEMAND_AWAY);
}

// The M_Key is a secret, and no table shows the M_Key.
TEST(a_service_key_is_not_kept)
{
    enum { RECORD = 176, KEY = 32, KEY_SIZE = 16 };
    static const uint8_t NO_KEY[KEY_SIZE];
    static uint8_t records[2 * RECORD];
    const struct demand_key key = {.class = DEMAND_SA, .attribute = DEMAND_SERVICE_RECORD};
    memset(records, 0x55, sizeof records);
    ask(&key);
    reply_table(0, records, sizeof records, RECORD);
    assert_int_equal(ask(&key), DEMAND_HERE);
    assert_int_equal(answer->count, 2);
    for (size_t i = 0; i < 2; i++) {
        const uint8_t *record = demand_answer_at(answer, i);
        assert_memory_equal(record, records, KEY);
        assert_memory_equal(record + KEY, NO_KEY, KEY_SIZE);
        assert_memory_equal(record + KEY + KEY_SIZE, records, RECORD - KEY - KEY_SIZE);
    }
}

TEST(a_slow_sa_delays_no_node)
{
    struct demand_key key = GROUPS;
    for (uint64_t i = 0; i < 5; i++) {
        key.mask = i;
        assert_int_equal(ask(&key), DEMAND_LATER);
    }
    assert_int_equal(sent_count, READS_SA_IN_FLIGHT);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    run_for(1 * S);
    assert_true(sent_count > READS_SA_IN_FLIGHT);
    status.sm_answers = false;
    run_for(1 * S);
    assert_int_equal(ask(&GROUPS), DEMAND_AWAY);
    assert_int_equal(ask_smp(6, 1), DEMAND_LATER);
}

// The answer has whole tables, and the waiting requests have three seconds.
TEST(many_reads_from_nodes_do_not_delay_the_sa)
{
    size_t answered = 0;
    for (uint32_t i = 0; i < 10 * RATE; i++)
        ask_smp((uint16_t)(i % 40 + 10), i);
    ask(&GROUPS);
    for (int i = 0; i < 1000; i++) {
        answered = reply_all(answered);
        run_for(1 * MS);
    }
    bool was_asked = false;
    for (size_t i = 0; i < sent_count; i++)
        was_asked = was_asked || sent[i].agent == MAD_AGENT_SA;
    assert_true(was_asked);
}

// Hostile and late answers.

// Another node may guess a TransactionID.
TEST(only_the_port_that_was_asked_answers)
{
    ask_smp(5, 1);
    reply_from(6, 0, 0, 2);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    reply_from(5, 0, 0, 1);
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
    assert_int_equal(answer->octets[0], 1);
}

// After a reload, answers to earlier questions may still come.
TEST(each_life_begins_with_other_transactions)
{
    unsigned same = 0;
    for (uint32_t i = 0; i < 8; i++) {
        reads_free(demand);
        begin(RATE);
        ask_smp(5, 1);
        for (size_t k = 0; k + 1 < sent_count; k++)
            same += memcmp(sent[k].mad + TID, sent[sent_count - 1].mad + TID, 4) == 0;
    }
    assert_in_range(same, 0, 1);
}

TEST(answers_that_do_not_fit_are_ignored)
{
    ask_smp(5, 1);
    uint8_t mad[MAD_SIZE];
    memcpy(mad, sent[0].mad, sizeof mad);
    struct mad_received in = {.from.lid = 5, .octets = mad, .size = sizeof mad};
    listener.take(listener.ctx, &in); // no response
    mad[METHOD] |= MAD_METHOD_RESPONSE;
    in.size = 20;
    listener.take(listener.ctx, &in); // cut
    in.size = sizeof mad;
    mad[17] ^= 1;
    listener.take(listener.ctx, &in); // another attribute
    mad[17] ^= 1;
    mad[MODIFIER] ^= 1;
    listener.take(listener.ctx, &in); // another port
    mad[MODIFIER] ^= 1;
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t tid = wire_get32(sent[0].mad + TID) ^ (i + 1);
        wire_put(mad + TID, 4, tid);
        listener.take(listener.ctx, &in); // another TransactionID
    }
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    reply_with(0, 0, 1);
    reply_with(0, 0, 2); // once more
    assert_int_equal(ask_smp(5, 1), DEMAND_HERE);
    assert_int_equal(answer->octets[0], 1);
}

// Sets.

TEST(a_set_is_sent_and_answered_once)
{
    enum { GET = 1, SET = 2 };
    assert_int_equal(set_led(5, true), DEMAND_LATER);
    assert_int_equal(set_led(5, true), DEMAND_LATER);
    assert_int_equal(sent_count, 1);
    assert_int_equal(sent[0].agent, MAD_AGENT_SMP_LID);
    assert_int_equal(sent[0].mad[METHOD], SET);
    assert_int_equal(wire_get16(sent[0].mad + ATTRIBUTE), 0x31);
    assert_int_equal(wire_get32(sent[0].mad + MODIFIER), 0);
    assert_int_equal(wire_get64(sent[0].mad + 24), 0x1122); // M_Key
    assert_int_equal(wire_get32(sent[0].mad + DATA), 0x80000000);
    sent[0].mad[METHOD] = GET; // the answer to a Set is GetResp (IBA 14.2.1.1)
    reply_with(0, 0, 0x80);
    assert_int_equal(set_led(5, true), DEMAND_HERE);
    assert_int_equal(answer->octets[0], 0x80);
    assert_int_equal(set_led(5, true), DEMAND_LATER); // another one
    assert_int_equal(sent_count, 2);
}

TEST(after_a_set_all_is_read_again)
{
    enum { GET = 1 };
    read_led(5);
    reply_with(0, 0, 0);
    assert_int_equal(read_led(5), DEMAND_HERE);
    set_led(5, true);
    run_for(20 * MS); // of the rate
    sent[1].mad[METHOD] = GET;
    reply_with(1, 0, 0x80);
    assert_int_equal(read_led(5), DEMAND_LATER);
    run_for(20 * MS);
    // A value that is answered only after the Set may have been read before the Set.
    set_led(5, false);
    run_for(20 * MS);
    sent[3].mad[METHOD] = GET;
    reply_with(3, 0, 0);
    reply_with(2, 0, 0x80);
    assert_int_equal(read_led(5), DEMAND_LATER);
    run_for(20 * MS);
    reply_with(4, 0, 0);
    assert_int_equal(read_led(5), DEMAND_HERE);
    assert_int_equal(answer->octets[0], 0);
    assert_int_equal(sent_count, 5);
}

// The M_Key may be wrong: the node answers to reads.
TEST(a_set_without_an_answer_silences_nobody)
{
    set_led(5, true);
    run_for(ATTEMPTS * TIMEOUT + 50 * MS);
    assert_int_equal(sent_count, ATTEMPTS);
    assert_int_equal(set_led(5, true), DEMAND_NONE);
    assert_int_equal(ask_smp(5, 1), DEMAND_LATER);
    const struct demand_key key = led(5, true, true);
    reads_drop(demand, &key);
    assert_int_equal(set_led(5, true), DEMAND_LATER);
}

TEST(a_set_passes_what_waits)
{
    for (uint32_t i = 0; i < 200; i++)
        ask_smp((uint16_t)(100 + i), 0);
    set_led(5, true);
    const size_t before = sent_count;
    reply_all(0);
    run_for(4 * S / RATE); // it is asked who it is, too
    bool was_sent = false;
    for (size_t i = before; i < sent_count; i++)
        was_sent = was_sent || sent[i].to.lid == 5;
    assert_true(was_sent);
}

// A subnet manager may give LIDs to other nodes at once, for instance after a handover.
TEST(before_a_set_a_port_is_asked_again)
{
    enum { GET = 1 };
    read_led(5);
    reply_with(0, 0, 0);
    run_for(1 * S);
    assert_int_equal(set_led(5, true), DEMAND_LATER);
    assert_int_equal(asked_count, 1); // it was just asked
    assert_int_equal(sent_count, 2);
    sent[1].mad[METHOD] = GET;
    reply_with(1, 0, 0x80);
    run_for(2 * S);
    no_names = true;
    assert_int_equal(set_led(5, false), DEMAND_LATER);
    assert_int_equal(asked_count, 2);
    tell_name(1, 77);
    assert_int_equal(set_led(5, false), DEMAND_NONE);
    assert_int_equal(sent_count, 2);
}

TEST(after_a_set_that_was_given_up_all_is_read_again)
{
    read_led(5);
    reply_with(0, 0, 0);
    set_led(5, true);
    assert_int_equal(sent_count, 2);
    status.port.state = 1;
    run_for(1 * S);
    status.port.state = 4;
    run_for(1 * S);
    assert_int_equal(read_led(5), DEMAND_LATER);
}

TEST(of_two_sets_the_later_one_counts)
{
    set_led(5, true);
    assert_int_equal(set_led(5, false), DEMAND_LATER);
    run_for(ATTEMPTS * TIMEOUT + 50 * MS);
    assert_int_equal(sent_count, 1 + ATTEMPTS); // the former one is not repeated
    for (size_t i = 1; i < sent_count; i++)
        assert_int_equal(sent[i].mad[DATA], 0);
}

TEST(a_set_that_was_dropped_is_not_sent)
{
    for (uint32_t i = 0; i < 200; i++)
        ask_smp((uint16_t)(100 + i), 0);
    const struct demand_key key = led(5, true, true);
    ask(&key);
    reads_drop(demand, &key);
    reads_drop(demand, &key);
    size_t answered = 0;
    for (int i = 0; i < 5000; i++) {
        answered = reply_all(answered);
        run_for(1 * MS);
    }
    assert_int_equal(sent_count, 200);
    for (size_t i = 0; i < sent_count; i++)
        assert_int_not_equal(sent[i].to.lid, 5);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(what_is_asked_for_is_read_once_and_kept),
        CASE(registers_are_read_only_where_somebody_wants_so),
        CASE(a_register_is_read_after_the_name_of_its_device),
        CASE(a_device_that_lacks_a_register_is_asked_once_a_day),
        CASE(an_answer_about_another_port_is_none),
        CASE(an_error_is_an_answer_and_kept),
        CASE(who_is_busy_has_not_answered),
        CASE(a_silent_node_costs_one_time_out_a_minute),
        CASE(a_node_that_is_silent_has_nothing_at_once),
        CASE(an_answer_to_an_earlier_attempt_counts),
        CASE(an_attribute_that_a_pma_lacks_silences_only_itself),
        CASE(all_together_have_so_many_a_second),
        CASE(repeats_count_as_well),
        CASE(so_many_are_under_way),
        CASE(one_port_has_so_many),
        CASE(dead_nodes_hold_up_nobody),
        CASE(another_port_at_that_lid_is_not_asked),
        CASE(who_has_a_lid_is_asked_now_and_then),
        CASE(what_waits_for_a_name_is_sent_when_the_rate_allows),
        CASE(a_pma_is_asked_where_smps_are_not_answered),
        CASE(a_node_that_keeps_silent_about_an_attribute_has_others),
        CASE(further_askers_wait_for_a_place),
        CASE(old_answers_make_room),
        CASE(what_is_not_kept_any_more_frees_its_memory),
        CASE(a_lost_port_ends_the_wait),
        CASE(a_port_that_is_down_reads_nothing),
        CASE(without_smps_gmps_go_on),
        CASE(what_cannot_be_sent_is_tried_again_soon),
        CASE(the_sa_is_asked_for_tables),
        CASE(a_short_table_is_read),
        CASE(a_table_that_is_too_large_is_refused),
        CASE(an_sa_that_has_no_records_has_an_empty_table),
        CASE(an_sa_that_does_not_answer_is_asked_again),
        CASE(an_sa_that_is_away_says_nothing),
        CASE(a_service_key_is_not_kept),
        CASE(a_slow_sa_delays_no_node),
        CASE(many_reads_from_nodes_do_not_delay_the_sa),
        CASE(only_the_port_that_was_asked_answers),
        CASE(each_life_begins_with_other_transactions),
        CASE(answers_that_do_not_fit_are_ignored),
        CASE(a_set_is_sent_and_answered_once),
        CASE(after_a_set_all_is_read_again),
        CASE(a_set_without_an_answer_silences_nobody),
        CASE(a_set_passes_what_waits),
        CASE(before_a_set_a_port_is_asked_again),
        CASE(after_a_set_that_was_given_up_all_is_read_again),
        CASE(of_two_sets_the_later_one_counts),
        CASE(a_set_that_was_dropped_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
