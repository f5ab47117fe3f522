// SPDX-License-Identifier: BSD-2-Clause
// Tickets: which event may go, the effect of a verdict, and which event comes again.
#include "support.h"

#include "model/catalogue.h"
#include "sink/tickets.h"

enum { EVENTS = 8 };

static struct tickets *tickets;
static struct event *events[EVENTS + 1]; // by the number of the ticket

static int begin(void **state)
{
    (void)state;
    tickets = calloc(1, sizeof *tickets);
    tickets->first = tickets->base = 1;
    for (unsigned i = 1; i <= EVENTS; i++) {
        events[i] = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
        snprintf(events[i]->id, sizeof events[i]->id, "id%u", i);
        tickets_at(tickets, i)->event = events[i];
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= EVENTS; i++)
        event_unref(events[i]);
    free(tickets);
    return 0;
}

static void set_key(unsigned number, const char *key, const char *cause)
{
    snprintf(events[number]->alarm_key, sizeof events[number]->alarm_key, "%s", key);
    snprintf(events[number]->cause_id, sizeof events[number]->cause_id, "%s", cause);
}

static void give(unsigned first, unsigned last)
{
    for (unsigned i = first; i <= last; i++)
        assert_true(tickets_give(tickets, i));
}

TEST(tickets_are_settled_in_any_order)
{
    give(1, 4);
    assert_int_equal(tickets->in_flight, 4);
    tickets_settle(tickets, 3, TICKET_DONE);
    assert_int_equal(tickets->oldest, 1);
    tickets_settle(tickets, 1, TICKET_DONE);
    assert_int_equal(tickets->oldest, 2);
    tickets_settle(tickets, 2, TICKET_DONE);
    assert_int_equal(tickets->oldest, 4);
    assert_int_equal(tickets_behind(tickets, 0), 4);
    assert_int_equal(tickets_behind(tickets, 4), 0);
    assert_int_equal(tickets->in_flight, 1);
    assert_int_equal(tickets->done, 3);
}

TEST(an_answer_for_no_ticket_in_flight_counts_for_nothing)
{
    tickets_settle(tickets, 1, TICKET_DONE);
    give(1, 2);
    tickets_settle(tickets, 1, TICKET_DONE);
    tickets_settle(tickets, 1, TICKET_REFUSED);
    tickets_settle(tickets, 7, TICKET_DONE);
    assert_int_equal(tickets->done, 1);
    assert_int_equal(tickets->in_flight, 1);
    assert_int_equal(tickets_refused(tickets), 0);
    tickets_take_all_back(tickets);
    tickets_settle(tickets, 2, TICKET_DONE);
    assert_int_equal(tickets->done, 1);
    assert_int_equal(tickets_at(tickets, 2)->state, TICKET_WAITING);
}

TEST(what_is_taken_back_goes_again)
{
    give(1, 2);
    tickets_take_back(tickets);
    assert_int_equal(tickets->in_flight, 1);
    assert_int_equal(tickets_behind(tickets, 1), 0);
    give(2, 2);
    tickets_settle(tickets, 2, TICKET_DONE);
    tickets_take_all_back(tickets);
    assert_int_equal(tickets->in_flight, 0);
    assert_int_equal(tickets_at(tickets, 1)->state, TICKET_WAITING);
    assert_int_equal(tickets_at(tickets, 2)->state, TICKET_DONE);
}

TEST(an_event_follows_its_alarm_and_its_root_cause)
{
    tickets->order_key = tickets_alarm_key;
    set_key(1, "link a", "");
    set_key(2, "", "");
    set_key(3, "", "");
    set_key(4, "link a", "");
    set_key(5, "link b", "id2");
    set_key(6, "link b", "id8");
    give(1, 3);
    assert_false(tickets_give(tickets, 4));
    assert_false(tickets_give(tickets, 5));
    give(6, 6);
    assert_false(tickets_give(tickets, 5)); // of the same alarm as 6, too
    tickets_settle(tickets, 2, TICKET_DONE);
    tickets_settle(tickets, 6, TICKET_DONE);
    give(7, 7);
    tickets_settle(tickets, 1, TICKET_DONE);
    assert_true(tickets_give(tickets, 8));
}

TEST(where_the_way_keeps_the_order_nothing_waits)
{
    for (unsigned i = 1; i <= EVENTS; i++)
        set_key(i, "link a", "id1");
    give(1, EVENTS);
}

TEST(after_a_doubt_each_event_goes_alone)
{
    give(1, 3);
    tickets_settle(tickets, 1, TICKET_DONE);
    tickets_settle(tickets, 2, TICKET_DOUBTED);
    tickets_settle(tickets, 3, TICKET_DOUBTED);
    assert_int_equal(tickets_refused(tickets), 0);
    tickets_take_all_back(tickets);
    give(2, 2);
    assert_true(tickets->alone);
    assert_false(tickets_give(tickets, 3));
    tickets_settle(tickets, 2, TICKET_DONE);
    give(3, 3);
    assert_false(tickets_give(tickets, 4));
    tickets_settle(tickets, 3, TICKET_DOUBTED); // no other event is in flight
    assert_int_equal(tickets_refused(tickets), 3);
    tickets_take_all_back(tickets);
    give(3, 3);
    tickets_settle(tickets, 3, TICKET_DONE);
    give(4, 5); // but not for ever
    assert_false(tickets->alone);
}

TEST(the_oldest_refused_event_is_known)
{
    give(1, 4);
    tickets_settle(tickets, 4, TICKET_REFUSED);
    tickets_settle(tickets, 2, TICKET_REFUSED);
    assert_int_equal(tickets_refused(tickets), 2);
    assert_int_equal(tickets_behind(tickets, 1), 3);
    tickets_take_all_back(tickets);
    assert_int_equal(tickets_refused(tickets), 0);
    give(1, 1);
    assert_false(tickets->alone);
}

TEST(a_stalled_ticket_is_noticed)
{
    give(1, 3);
    assert_int_equal(tickets_stalled_us(tickets, 100), 0);
    tickets_settle(tickets, 2, TICKET_DONE);
    assert_int_equal(tickets_stalled_us(tickets, 130), 30);
    tickets_settle(tickets, 1, TICKET_DONE);
    assert_int_equal(tickets_stalled_us(tickets, 140), 0);
    assert_int_equal(tickets_stalled_us(tickets, 150), 10);
    tickets_take_all_back(tickets);
    give(3, 3);
    assert_int_equal(tickets_stalled_us(tickets, 160), 0);
}

#define TICKETS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TICKETS_TEST(tickets_are_settled_in_any_order),
        TICKETS_TEST(an_answer_for_no_ticket_in_flight_counts_for_nothing),
        TICKETS_TEST(what_is_taken_back_goes_again),
        TICKETS_TEST(an_event_follows_its_alarm_and_its_root_cause),
        TICKETS_TEST(where_the_way_keeps_the_order_nothing_waits),
        TICKETS_TEST(after_a_doubt_each_event_goes_alone),
        TICKETS_TEST(the_oldest_refused_event_is_known),
        TICKETS_TEST(a_stalled_ticket_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
