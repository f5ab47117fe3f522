// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary answers to informs: damaged, refusing, of other requests, twice, in any order, or no
// SNMP at all. An event counts as confirmed only if each of its notifications was answered, and an
// event with proper answers to all notifications counts. The input is a list of actions, an octet
// each and its arguments.
#include "driver.h"
#include "fuzz.h"
#include "input.h"

#include "model/catalogue.h"
#include "scratch.h"
#include "sink/snmp.h"
#include "sink/snmp_pdu.h"
#include "sink_defaults.h"
#include "support_clock.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WINDOW = 4, ACTIONS_MAX = 60, MESSAGE_MAX = 4096, REQUEST_ID_SIZE = 4 };

// An inform that the sink has sent.
struct inform {
    uint8_t message[MESSAGE_MAX];
    size_t size;
    const uint8_t *request_id; // in `message`
    bool maybe, surely;        // it was answered
};

static struct pending {
    struct inform informs[SNMP_PDU_NOTIFICATIONS_MAX];
    size_t count;
} events[WINDOW]; // the oldest first

static struct sink sink;
static struct driver driver;
static struct support_time now;
static struct clock clock_;
static struct sockaddr_in client;
static int fd = -1;
static unsigned pending;
static bool open_;

static void start(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    struct error err;
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    REQUIRE(fd >= 0 && bind(fd, (struct sockaddr *)&a, size) == 0);
    REQUIRE(getsockname(fd, (struct sockaddr *)&a, &size) == 0);
    clock_ = support_clock(&now);
    snmp_begin(scratch_make(), &SUPPORT_SAME, NULL);
    struct snmp_target target = SNMP_TARGET_DEFAULTS;
    target.host = "127.0.0.1";
    target.port = ntohs(a.sin_port);
    target.inform = true;
    target.clock = &clock_;
    target.timeout_ms = 60000;
    target.in_flight_max = WINDOW;
    REQUIRE(snmp_sink(&sink, "nms", &target, &err));
}

static void stop(void)
{
    sink.free(sink.self);
    snmp_end();
    close(fd);
}

// The receiver.

// The request-id is the first integer of the inform's PDU.
static void receive(struct inform *inform)
{
    socklen_t size = sizeof client;
    ssize_t n = recvfrom(fd, inform->message, sizeof inform->message, MSG_DONTWAIT,
                         (struct sockaddr *)&client, &size);
    REQUIRE(n > 0);
    inform->size = (size_t)n;
    const uint8_t *tag = memchr(inform->message, SNMP_MSG_INFORM, inform->size);
    REQUIRE(tag);
    const uint8_t *id = memmem(tag, 8, (uint8_t[]){2, REQUEST_ID_SIZE}, 2);
    inform->request_id = id ? id + 2 : NULL; // a shorter one, rarely
    inform->maybe = inform->surely = false;
}

static void tell(const uint8_t *octets, size_t size)
{
    for (unsigned i = 0; i < pending; i++) {
        for (size_t k = 0; k < events[i].count; k++) {
            struct inform *inform = &events[i].informs[k];
            inform->maybe |= !inform->request_id ||
                             memmem(octets, size, inform->request_id, REQUEST_ID_SIZE) != NULL;
        }
    }
    sendto(fd, octets, size, 0, (struct sockaddr *)&client, sizeof client);
}

// Answers like a receiver, or damages the answer.
static void answer(struct input *in, struct inform *inform, uint64_t how)
{
    uint8_t message[MESSAGE_MAX];
    size_t size = inform->size;
    memcpy(message, inform->message, size);
    *(uint8_t *)memchr(message, SNMP_MSG_INFORM, size) = SNMP_MSG_RESPONSE;
    uint8_t *errors = memmem(message, size, (uint8_t[]){2, 1, 0, 2, 1, 0}, 6);
    REQUIRE(errors);
    switch (how % 4) {
    case 0:
        inform->surely = true;
        break;
    case 1:
        errors[2] = (uint8_t)input_number(in, 1);
        break;
    case 2:
        message[input_number(in, 1) % size] ^= (uint8_t)input_number(in, 1);
        break;
    default:
        size = input_number(in, 1) % size;
        break;
    }
    tell(message, size);
}

static void answer_some(struct input *in, uint64_t how)
{
    if (pending == 0)
        return;
    struct pending *event = &events[how % pending];
    for (size_t k = 0; k < event->count; k++) {
        if (how >> 4 == 0 || k == (how >> 4) % event->count)
            answer(in, &event->informs[k], how >> 2);
    }
}

// The sink.

static void hang_up(void)
{
    uint8_t rest[64];
    if (open_)
        driver_close(&driver);
    driver = (struct driver){0}; // it forgets the events
    open_ = false;
    pending = 0;
    while (recv(fd, rest, sizeof rest, MSG_DONTWAIT) > 0) // what it sent to nobody
        ;
}

static void send_event(uint64_t how)
{
    static const enum catalogue_event TYPES[] = {CATALOGUE_GID_IN_SERVICE,
                                                 CATALOGUE_LINK_INTEGRITY_THRESHOLD,
                                                 CATALOGUE_LINK_STATE_CHANGE, CATALOGUE_LINK_DOWN};
    const struct mib_notification *notifications[SNMP_PDU_NOTIFICATIONS_MAX];
    struct error err;
    if (pending == WINDOW)
        return;
    struct event *event = event_make(catalogue_get(TYPES[how % 4]));
    REQUIRE(event);
    event->switch_guid = 1;
    snprintf(event->id, sizeof event->id, "%u", (unsigned)how);
    snprintf(event->text, sizeof event->text, "Something happened.");
    const enum sink_result result = driver_send(&driver, event, &err);
    if (result == SINK_PENDING) {
        struct pending *p = &events[pending++];
        p->count = snmp_pdu_notifications(event, 0, false, notifications);
        for (size_t k = 0; k < p->count; k++)
            receive(&p->informs[k]);
    }
    event_unref(event);
    REQUIRE(result != SINK_DONE);
    if (result == SINK_FAILED)
        hang_up();
}

static bool is_answered(const struct pending *event, bool surely)
{
    bool all = true;
    for (size_t k = 0; k < event->count; k++)
        all = all && (surely ? event->informs[k].surely : event->informs[k].maybe);
    return all;
}

static void wait_for_answers(void)
{
    struct error err = {""};
    const bool surely = pending > 0 && is_answered(&events[0], true);
    const int n = driver_wait(&driver, 0, &err);
    REQUIRE(n >= -1 && n <= (int)pending);
    if (n < 0) {
        REQUIRE(err.text[0] != '\0' && driver_refused(&driver) < (int)pending);
        hang_up();
        return;
    }
    for (int i = 0; i < n; i++)
        REQUIRE(is_answered(&events[i], false));
    REQUIRE(n > 0 || !surely);
    pending -= (unsigned)n;
    memmove(events, events + n, pending * sizeof *events);
    for (unsigned i = 0; i < pending && n > 0; i++) { // the pointers moved, too
        for (size_t k = 0; k < events[i].count; k++) {
            struct inform *inform = &events[i].informs[k];
            if (inform->request_id)
                inform->request_id -= (size_t)n * sizeof *events;
        }
    }
}

static void act(struct input *in)
{
    const uint64_t action = input_number(in, 1);
    struct error err;
    size_t size;
    if (!open_) {
        REQUIRE(driver_open(&driver, &sink, &err));
        open_ = true;
    }
    switch (action % 4) {
    case 0:
        send_event(action / 4);
        break;
    case 1:
        answer_some(in, action / 4);
        break;
    case 2:
        wait_for_answers();
        break;
    default:
        if (pending > 0) {
            const uint8_t *octets = input_part(in, 1, &size);
            tell(octets, size);
        }
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    if (fd < 0) {
        start();
        atexit(stop);
    }
    for (unsigned n = 0; input_left(&in) > 0 && n < ACTIONS_MAX; n++)
        act(&in);
    hang_up();
    return 0;
}
