// SPDX-License-Identifier: BSD-2-Clause
#include "driver.h"
#include "fake_master.h"
#include "talker.h"

#include "model/catalogue.h"
#include "sink/agentx.h"

#include <pthread.h>

enum { PATIENCE_MS = 300000 };

// The master agent. A thread speaks for it while the receiver opens; afterwards the test does.
static struct fake_master master;
static pthread_t thread;
static unsigned verdict;
static struct sink sink;
static struct driver driver;
static bool is_open;
static struct event *event;
static struct error err;

static void *greet(void *arg)
{
    (void)arg;
    struct fake_pdu p;
    while (!fake_master_accept(&master))
        clock_sleep(1000);
    while (!fake_master_hear(&master, &p))
        clock_sleep(1000);
    fake_master_respond(&master, &p, verdict);
    return NULL;
}

static struct conf_receiver receiver;

static void make(const char *address, const char *context)
{
    receiver = (struct conf_receiver){.name = "master"};
    snprintf(receiver.agentx.socket, sizeof receiver.agentx.socket, "%s", address);
    snprintf(receiver.agentx.context, sizeof receiver.agentx.context, "%s", context);
    agentx_sink(&sink, &receiver, &random_system);
}

static bool open_with(unsigned answer)
{
    verdict = answer;
    assert_int_equal(pthread_create(&thread, NULL, greet, NULL), 0);
    is_open = driver_open(&driver, &sink, &err);
    pthread_join(thread, NULL);
    return is_open;
}

static void open_session(void)
{
    fake_master_listen(&master);
    make(master.path, "ib0");
    assert_true(open_with(AGENTX_NO_ERROR));
}

static int setup(void **state)
{
    (void)state;
    fake_master_begin(&master, "receiver");
    sink = (struct sink){0};
    is_open = false;
    event = event_make(catalogue_get(CATALOGUE_GID_IN_SERVICE));
    return event ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    if (is_open)
        driver_close(&driver);
    if (sink.self)
        sink.free(sink.self);
    driver = (struct driver){0};
    event_unref(event);
    fake_master_end(&master);
    return 0;
}

static void send_event(void)
{
    assert_int_equal(driver_send(&driver, event, &err), SINK_PENDING);
}

static int wait_ms(int timeout_ms)
{
    return driver_wait(&driver, timeout_ms, &err);
}

TEST(an_event_is_pending_until_the_master_answers)
{
    struct fake_pdu first, second;
    open_session();
    send_event();
    send_event();
    assert_int_equal(wait_ms(0), 0);
    fake_master_expect(&master, PDU_NOTIFY, &first);
    fake_master_expect(&master, PDU_NOTIFY, &second);
    assert_true(first.header.has_context);
    fake_master_respond(&master, &second, AGENTX_NO_ERROR);
    assert_int_equal(wait_ms(0), 0); // the first one has to be confirmed first
    fake_master_respond(&master, &first, AGENTX_NO_ERROR);
    assert_int_equal(wait_ms(PATIENCE_MS), 2);
}

TEST(it_takes_as_many_events_as_its_window)
{
    open_session();
    for (unsigned i = 0; i < sink.in_flight_max; i++)
        send_event();
}

TEST(a_master_that_never_stops_talking_is_a_failure)
{
    static uint8_t octets[64 * 28];
    struct talker talker;
    size_t size = 0;
    open_session();
    send_event();
    for (int i = 0; i < 64; i++) {
        struct pdu_writer w = {.octets = octets + size, .size = sizeof octets - size};
        pdu_begin(&w, PDU_RESPONSE, FAKE_MASTER_SESSION, 0, 0x7fffffff, "");
        pdu_add_result(&w, AGENTX_NO_ERROR, 0);
        assert_true(pdu_end(&w));
        size += w.used;
    }
    talker_start(&talker, master.fd, octets, size);
    int n = 0;
    while (n == 0 && !atomic_load(&talker.silent))
        n = wait_ms(5);
    assert_int_equal(n, -1);
    assert_non_null(strstr(err.text, "responses that nobody asked for"));
    talker_end(&talker);
}

TEST(a_refused_notification_is_a_failure)
{
    struct fake_pdu p;
    open_session();
    send_event();
    fake_master_expect(&master, PDU_NOTIFY, &p);
    fake_master_respond(&master, &p, AGENTX_GEN_ERR);
    assert_int_equal(wait_ms(PATIENCE_MS), -1);
    assert_non_null(strstr(err.text, "it refuses a notification: genErr"));
}

// Sends three events. The second notification is answered with the error, the other notifications
// are confirmed.
static void refuse_the_second(unsigned error)
{
    struct fake_pdu p;
    open_session();
    for (unsigned i = 0; i < 3; i++)
        send_event();
    for (unsigned i = 0; i < 3; i++) {
        fake_master_expect(&master, PDU_NOTIFY, &p);
        fake_master_respond(&master, &p, i == 1 ? error : AGENTX_NO_ERROR);
    }
    int n = 0;
    while ((n = wait_ms(PATIENCE_MS)) > 0)
        assert_int_equal(n, 1);
    assert_int_equal(n, -1);
}

TEST(a_refused_event_is_known)
{
    refuse_the_second(AGENTX_GEN_ERR);
    assert_int_equal(driver_refused(&driver), 0); // now the oldest one
}

TEST(a_session_that_the_master_does_not_know_refuses_no_event)
{
    refuse_the_second(AGENTX_NOT_OPEN);
    assert_int_equal(driver_refused(&driver), -1);
}

TEST(a_context_that_the_master_does_not_know_refuses_no_event)
{
    refuse_the_second(AGENTX_UNSUPPORTED_CONTEXT);
    assert_int_equal(driver_refused(&driver), -1);
}

TEST(a_master_that_ends_takes_what_is_pending_with_it)
{
    open_session();
    send_event();
    fake_master_die(&master);
    assert_int_equal(wait_ms(PATIENCE_MS), -1);
    assert_non_null(strstr(err.text, master.path));
}

TEST(a_master_that_is_not_there_is_told_with_what_to_do)
{
    make(master.path, "");
    assert_false(driver_open(&driver, &sink, &err));
    assert_non_null(strstr(err.text, "'master agentx' in snmpd.conf"));
}

TEST(a_refused_session_is_told)
{
    fake_master_listen(&master);
    make(master.path, "");
    assert_false(open_with(AGENTX_OPEN_FAILED));
    assert_non_null(strstr(err.text, "openFailed"));
}

TEST(an_address_that_makes_no_sense_is_told)
{
    make("tcp:nowhere", "");
    assert_false(driver_open(&driver, &sink, &err));
    assert_non_null(strstr(err.text, "tcp:nowhere"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(an_event_is_pending_until_the_master_answers),
        CASE(it_takes_as_many_events_as_its_window),
        CASE(a_master_that_never_stops_talking_is_a_failure),
        CASE(a_refused_notification_is_a_failure),
        CASE(a_refused_event_is_known),
        CASE(a_session_that_the_master_does_not_know_refuses_no_event),
        CASE(a_context_that_the_master_does_not_know_refuses_no_event),
        CASE(a_master_that_ends_takes_what_is_pending_with_it),
        CASE(a_master_that_is_not_there_is_told_with_what_to_do),
        CASE(a_refused_session_is_told),
        CASE(an_address_that_makes_no_sense_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
