// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary input to the SA client, in any order: answers to its requests, late or wrong, Reports,
// other datagrams, silence, a removed port. The input is split into steps: an octet that selects
// the step, and the data of the step.
#include "fuzz.h"

#include "ib/sa_client.h"
#include "input.h"
#include "support_clock.h"

#include <sched.h>
#include <semaphore.h>

enum { QUEUE = 64, STEPS_MAX = 2000, DATA = 56, PORT_INFO = 64, HEADER = 24, METHOD_SET = 2 };
enum step {
    SILENCE,     // some seconds of silence
    ANSWER,      // answers one of the latest requests, with a status and the request's data
    DATA_ANSWER, // answers it with other data
    PORT_ANSWER, // the port's answer about itself
    REPORT,
    DATAGRAM,  // of arbitrary octets
    AGAIN,     // repeats the latest MAD
    GONE,      // the port
    ASKED_FOR, // asks the SA client to verify, or to subscribe again
    STOP,      // the rest arrives while the SA client unsubscribes
    STEPS,
};

struct port {
    struct input in;
    uint8_t asked[QUEUE][MAD_SIZE]; // the latest requests
    uint8_t mad[MAD_SIZE];
    struct mad_address from;
    size_t size;
    uint64_t sent, steps;
    struct sa_client *client;
    bool is_open, lost, unreachable;
    bool stops, unsubscribes;
    sem_t end; // posted when the SA client has to stop
    struct support_time time;
};

static void pass(struct port *port, int64_t us)
{
    port->time.utc += us;
    port->time.monotonic += us;
}

static bool send_mad(void *self, enum mad_agent agent, const struct mad_address *to,
                     const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    (void)err;
    struct port *port = self;
    if (port->stops && agent == MAD_AGENT_SMP)
        return true; // from another thread, to wake the SA client's
    REQUIRE(port->is_open && (agent == MAD_AGENT_SA || agent == MAD_AGENT_SMP ||
                              agent == MAD_AGENT_SMP_LID)); // the last one for SMInfo
    if (response_timeout_ms == 0)
        return true; // an answer
    REQUIRE(to->lid != 0 && !(wire_get32(octets + 12) & MAD_TID_SWEEPER));
    memcpy(port->asked[port->sent++ % QUEUE], octets, MAD_SIZE);
    port->unsubscribes |= octets[3] == METHOD_SET && octets[DATA + 23] == 0;
    return true;
}

// Begins an answer to one of the latest requests. False: there was none.
static bool take_question(struct port *port)
{
    uint64_t back = input_number(&port->in, 1) % QUEUE;
    if (back >= port->sent)
        return false;
    memcpy(port->mad, port->asked[(port->sent - 1 - back) % QUEUE], MAD_SIZE);
    port->mad[3] = port->mad[3] == METHOD_SET ? 0x81 : port->mad[3] | MAD_METHOD_RESPONSE;
    return true;
}

// From `at` to the end of the MAD at most.
static void set_data(struct port *port, size_t at)
{
    size_t wanted = (size_t)input_number(&port->in, 1);
    input_octets(&port->in, port->mad + at, wanted < MAD_SIZE - at ? wanted : MAD_SIZE - at);
}

static void set_answer(struct port *port, bool other_data)
{
    static const uint16_t STATUS[] = {0, 0, 0, 0x0200, 0x0300, 0x001C, 0x0100};
    uint8_t n = (uint8_t)input_number(&port->in, 1);
    wire_put(port->mad + 4, 2, STATUS[n % 7]);
    if (other_data)
        set_data(port, HEADER);
}

// Only few LIDs: the LIDs occur again.
static void set_port_info(struct port *port)
{
    static const uint8_t STATE[] = {4, 4, 4, 1, 2};
    uint8_t n = (uint8_t)input_number(&port->in, 1);
    uint8_t *info = port->mad + PORT_INFO;
    port->mad[4] = 0x80;
    memset(info, 0, PORT_INFO);
    info[15] = n >> 7;
    info[17] = 1 + n % 4 / 3;
    info[19] = n / 4 % 3;
    info[32] = 0x10 | STATE[n % 5];
    info[51] = n & 0x40 ? 0x80 : 0;
}

static void set_report(struct port *port)
{
    static const uint8_t HEAD[] = {1, MAD_CLASS_SA, 2, MAD_METHOD_REPORT};
    memset(port->mad, 0, MAD_SIZE);
    memcpy(port->mad, HEAD, sizeof HEAD);
    port->mad[17] = 2;
    set_data(port, DATA);
}

static void stop(struct port *port)
{
    if (port->stops)
        return;
    port->stops = true;
    sem_post(&port->end);
}

static int receive_step(struct port *port, enum step step)
{
    switch (step) {
    case SILENCE:
        pass(port, (int64_t)input_number(&port->in, 1) * CLOCK_US_PER_S / 4);
        return 0;
    case ANSWER:
    case DATA_ANSWER:
        if (!take_question(port))
            return 0;
        set_answer(port, step == DATA_ANSWER);
        break;
    case PORT_ANSWER:
        if (!take_question(port))
            return 0;
        set_port_info(port);
        break;
    case REPORT:
        set_report(port);
        break;
    case DATAGRAM:
        port->size =
            input_octets(&port->in, port->mad, (size_t)input_number(&port->in, 1) % MAD_SIZE);
        return 1;
    case GONE:
        return -1;
    case STOP:
        stop(port);
        return 0;
    case ASKED_FOR:
        sa_client_wake(port->client);
        sa_client_resubscribe(port->client);
        return 0;
    default:
        return port->size > 0;
    }
    port->size = MAD_SIZE;
    return 1;
}

static int receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    struct port *port = self;
    REQUIRE(port->is_open);
    bool used_up = input_left(&port->in) == 0 || ++port->steps > STEPS_MAX;
    if (used_up)
        stop(port);
    if (used_up || (port->stops && !port->unsubscribes)) {
        pass(port, timeout_ms * CLOCK_US_PER_MS);
        sched_yield();
        return 0;
    }
    uint8_t n = (uint8_t)input_number(&port->in, 1);
    port->from = (struct mad_address){.lid = n / STEPS % 4, .qpn = 1};
    int rc = receive_step(port, (enum step)(n % STEPS));
    if (rc < 0)
        error_set(err, "it was unplugged");
    if (rc == 0)
        pass(port, timeout_ms * CLOCK_US_PER_MS);
    *out = (struct mad_received){port->from, port->mad, port->size};
    return rc;
}

static void close_port(void *self)
{
    ((struct port *)self)->is_open = false;
}

static bool open_port(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err)
{
    (void)err;
    struct port *port = ctx;
    REQUIRE(!port->is_open);
    port->is_open = true;
    *io = (struct mad_io){.receive = receive, .send = send_mad, .close = close_port, .self = port};
    *id = (struct mad_port_id){.device = "mlx5_0", .port = 1, .guid = 1};
    return true;
}

static bool no_better(void *ctx, const struct mad_port_id *id)
{
    (void)ctx, (void)id;
    return false;
}

static bool take_report(void *ctx, struct sa_report *report)
{
    struct port *port = ctx;
    REQUIRE(report->size <= MAD_SIZE && report->malformed == (report->reason[0] != '\0'));
    bool room = report->mad[DATA] % 8 != 7;
    if (!room)
        return false;
    sa_client_acknowledge(port->client, report);
    free(report);
    return true;
}

// Every loss is followed by its end, and the reasons are valid text.
static void take_change(void *ctx, enum sa_change change, uint64_t prefix, const char *reason)
{
    (void)prefix;
    struct port *port = ctx;
    char clean[512];
    text_clean(reason, strlen(reason), clean, sizeof clean);
    REQUIRE(reason[0] != '\0' && strcmp(reason, clean) == 0);
    if (change == SA_REPORTS_MISSED)
        return; // an occasion, not the begin of a state
    bool *state = change == SA_SUBSCRIPTIONS_LOST || change == SA_SUBSCRIPTIONS_RESTORED
                      ? &port->lost
                      : &port->unreachable;
    bool begins = change == SA_SUBSCRIPTIONS_LOST || change == SA_SM_UNREACHABLE;
    REQUIRE(*state != begins);
    *state = begins;
}

static void check_status(const struct sa_status *status)
{
    const struct sa_counters *n = &status->counters;
    REQUIRE(n->acknowledged + n->no_room == n->reports && n->malformed <= n->reports);
    for (size_t i = 0; i < SUBSCRIPTIONS_COUNT; i++)
        REQUIRE(subscriptions_state_word(status->subscriptions[i].state));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct log *log;
    static struct port port;
    port = (struct port){.in = {data, data + size}};
    port.time = (struct support_time){CLOCK_US_PER_S, CLOCK_US_PER_S};
    REQUIRE(sem_init(&port.end, 0, 0) == 0);
    const struct clock clock = support_clock(&port.time);
    if (!log)
        log = log_open(fopen("/dev/null", "we"), LOG_LEVEL_DEBUG, false, &clock_system);
    const struct sa_options options = {.verify_us = 5 * CLOCK_US_PER_S,
                                       .refresh_us = 60 * CLOCK_US_PER_S,
                                       .opener = {open_port, no_better, &port},
                                       .listener = {take_report, take_change, &port},
                                       .clock = &clock,
                                       .random = &SUPPORT_SAME,
                                       .log = log};
    struct error err;
    struct sa_status status;
    port.client = sa_client_new(&options);
    REQUIRE(sa_client_start(port.client, &err));
    while (sem_wait(&port.end) != 0)
        continue;
    sa_client_stop(port.client);
    sa_client_status(port.client, &status);
    check_status(&status);
    sa_client_free(port.client);
    REQUIRE(!port.is_open);
    sem_destroy(&port.end);
    return 0;
}
