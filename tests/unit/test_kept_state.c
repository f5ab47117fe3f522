// SPDX-License-Identifier: BSD-2-Clause
// Which documents a receiver gets that keeps the last one of each key, against a model: two
// gateways of a fabric, a receiver that fails and loses documents, and alarms that change at
// random. At the end, the receiver has what the gateways have.
#include "support.h"

#include "base/hash.h"
#include "sink/kept_state.h"

#include <inttypes.h>

enum { KEYS = 60, OWN = 3, HELD_MAX = 400, STEPS = 3000, TEXT = 120 };

static struct alarm alarms[KEYS]; // of the fabric
static bool stands[KEYS];
static uint64_t dice;
static int64_t now_us = CLOCK_US_PER_S;

struct gateway_model {
    char name[8];
    struct alarm own[OWN];
    bool own_stands[OWN], is_whole, is_active;
    unsigned beats;
    struct module_alarms list;
    struct kept_state *state;
    void *in_flight[HELD_MAX];
    size_t in_flight_count;
};
static struct gateway_model gateways[2];
static unsigned heard, pages;
static uint64_t changes;

// The receiver.
static struct held {
    char key[FORMAT_KEY_SIZE], document[TEXT];
} held[HELD_MAX];
static size_t held_count;

static unsigned roll(unsigned n)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); // Knuth's MMIX
    return (unsigned)(dice >> 33) % n;
}

static struct held *find_held(const char *key)
{
    for (size_t i = 0; i < held_count; i++) {
        if (strcmp(held[i].key, key) == 0)
            return &held[i];
    }
    return NULL;
}

static void hold(const char *key, const char *document)
{
    struct held *h = find_held(key);
    if (!document) {
        if (h)
            *h = held[--held_count];
        return;
    }
    if (!h)
        h = &held[held_count++];
    assert_true(held_count <= HELD_MAX);
    snprintf(h->key, sizeof h->key, "%s", key);
    snprintf(h->document, sizeof h->document, "%s", document);
}

// The list of alarms of a gateway.

static struct module_alarms_state state_of(void *ctx)
{
    const struct gateway_model *g = ctx;
    return (struct module_alarms_state){
        .is_standby = !g->is_active, .is_whole = g->is_whole, .changes = changes};
}

// Adds the alarm to the page, if it belongs there.
static void add_to_page(struct alarm_page *page, const struct alarm *alarm)
{
    if (alarm->event_sequence <= page->after || page->more)
        return;
    page->more = page->count == page->room;
    if (!page->more) {
        page->all[page->count++] = *alarm;
        page->after = alarm->event_sequence;
    }
}

static void page_of(void *ctx, struct alarm_page *page)
{
    const struct gateway_model *g = ctx;
    const size_t count = g->is_whole ? KEYS : KEYS / 2;
    pages++;
    page->count = 0;
    page->more = false;
    for (size_t i = 0; i < count; i++) {
        if (stands[i])
            add_to_page(page, &alarms[i]);
    }
    for (size_t i = 0; i < OWN; i++) {
        if (g->own_stands[i])
            add_to_page(page, &g->own[i]);
    }
}

static char *document_of(void *ctx, const struct alarm *alarm)
{
    char text[TEXT];
    (void)ctx;
    snprintf(text, sizeof text, "%" PRIu64, alarm_digest(alarm));
    return strdup(text);
}

static char *heartbeat_of(void *ctx)
{
    const struct gateway_model *g = ctx;
    char text[TEXT];
    snprintf(text, sizeof text, "%s %u", g->name, g->beats);
    return strdup(text);
}

static bool hear(void *ctx, const char *gateway, const char *heartbeat, size_t size)
{
    (void)ctx;
    assert_true(size > 3 && memcmp(heartbeat, gateway, 3) == 0);
    heard++;
    return false;
}

static void start(struct gateway_model *g)
{
    kept_state_free(g->state);
    g->in_flight_count = 0;
    g->list = (struct module_alarms){.state = state_of,
                                     .page = page_of,
                                     .document = document_of,
                                     .heartbeat = heartbeat_of,
                                     .heard = hear,
                                     .gateway = g->name,
                                     .fabric_name = "halle",
                                     .ctx = g};
    g->state = kept_state_new(&g->list, 600 * CLOCK_US_PER_S, &random_system);
}

static int begin(void **state)
{
    (void)state;
    dice = 1;
    held_count = 0;
    heard = 0;
    memset(stands, 0, sizeof stands);
    for (size_t i = 0; i < KEYS; i++) {
        alarms[i] = (struct alarm){.event_sequence = 1 + (int64_t)i};
        snprintf(alarms[i].key, sizeof alarms[i].key, "link %zu", i);
    }
    for (size_t i = 0; i < 2; i++) {
        struct gateway_model *g = &gateways[i];
        *g = (struct gateway_model){.is_whole = true, .is_active = i == 0};
        snprintf(g->name, sizeof g->name, "gw%zu", i + 1);
        for (size_t k = 0; k < OWN; k++) {
            g->own[k].event_sequence = KEYS + 1 + (int64_t)k;
            snprintf(g->own[k].key, sizeof g->own[k].key, "%sgateway %s %zu",
                     k == 0 ? "flapping " : "", g->name, k);
        }
        start(g);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++)
        kept_state_free(gateways[i].state);
    memset(gateways, 0, sizeof gateways);
    return 0;
}

static void read_all(struct gateway_model *g)
{
    for (size_t i = 0; i < held_count; i++) {
        const bool ours = strncmp(held[i].key, "halle ", 6) == 0;
        assert_int_equal(kept_state_found(g->state, held[i].key, strlen(held[i].key),
                                          held[i].document, strlen(held[i].document)),
                         ours);
    }
    kept_state_end_reading(g->state, now_us);
}

static void settle_all(struct gateway_model *g)
{
    while (g->in_flight_count > 0)
        kept_state_settle(g->state, g->in_flight[--g->in_flight_count], true);
}

// Takes what is due. Of `n` documents one is not confirmed, although the receiver may have it, and
// one is confirmed in the next step; 0: all are.
static void write_all(struct gateway_model *g, unsigned n)
{
    struct kept_document one;
    while (g->in_flight_count < HELD_MAX && kept_state_next(g->state, &one)) {
        const bool fails = n > 0 && roll(n) == 0, waits = n > 0 && !fails && roll(n) == 0;
        if (!fails || roll(2) == 0)
            hold(one.key, one.document);
        free(one.document);
        if (waits)
            g->in_flight[g->in_flight_count++] = one.handle;
        else
            kept_state_settle(g->state, one.handle, !fails);
    }
}

static void step(struct gateway_model *g, unsigned n)
{
    if (kept_state_wants_reading(g->state, now_us))
        read_all(g);
    do {
        kept_state_compare(g->state, now_us);
        settle_all(g);
        write_all(g, n);
    } while (n == 0 && kept_state_is_busy(g->state));
}

static void check_document(struct gateway_model *g, const struct alarm *alarm, bool is_there)
{
    char key[FORMAT_KEY_SIZE];
    snprintf(key, sizeof key, "halle %s", alarm->key);
    const struct held *h = find_held(key);
    char *document = document_of(g, alarm);
    assert_int_equal(h != NULL, is_there);
    assert_true(!h || strcmp(h->document, document) == 0);
    free(document);
}

// Lets some time pass, and compares the receiver with the gateways.
static void check_all(void)
{
    for (size_t i = 0; i < 4; i++) {
        now_us += 5 * CLOCK_US_PER_S;
        step(&gateways[0], 0);
        step(&gateways[1], 0);
    }
    size_t expected = 2;
    for (size_t i = 0; i < KEYS; i++) {
        check_document(&gateways[0], &alarms[i], stands[i]);
        expected += stands[i];
    }
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < OWN; k++) {
            check_document(&gateways[i], &gateways[i].own[k], gateways[i].own_stands[k]);
            expected += gateways[i].own_stands[k];
        }
    }
    assert_int_equal(held_count, expected);
}

static void change_alarm(void)
{
    struct alarm *a = &alarms[roll(KEYS)];
    struct gateway_model *g = &gateways[roll(2)];
    const size_t own = roll(OWN);
    changes++;
    switch (roll(4)) {
    case 0:
    case 1:
        stands[a - alarms] ^= true;
        break;
    case 2:
        a->count++;
        a->acknowledged_us = roll(3);
        break;
    default:
        g->own_stands[own] ^= true;
    }
}

static void change_gateways(void)
{
    struct gateway_model *g = &gateways[roll(2)];
    switch (roll(6)) {
    case 0: // a handover
        gateways[0].is_active ^= true;
        gateways[1].is_active = !gateways[0].is_active;
        break;
    case 1: // a kill and a start; the journal's file is read some time later
        start(g);
        g->is_whole = roll(2) == 0;
        break;
    case 2:
        g->is_whole = true;
        break;
    case 3: // the topic was deleted, and the sink has seen this
        held_count = 0;
        kept_state_read_again(gateways[0].state);
        kept_state_read_again(gateways[1].state);
        break;
    case 4:
        kept_state_lose(g->state);
        g->in_flight_count = 0;
        break;
    default:
        g->beats++;
    }
}

static void test_the_receiver_has_what_the_gateways_have(void **state)
{
    (void)state;
    for (unsigned i = 0; i < STEPS; i++) {
        change_alarm();
        if (roll(10) == 0)
            change_gateways();
        now_us += roll(3) * CLOCK_US_PER_S / 2;
        step(&gateways[roll(2)], 5);
        if (i % 100 == 99) {
            gateways[0].is_whole = gateways[1].is_whole = true;
            check_all();
        }
    }
    assert_true(heard > 0);
}

static void test_what_others_have_in_the_receiver_stays(void **state)
{
    static const char *const OTHERS[] = {
        "halle-2 link 1",           "other", "", "hall", "halle", "halle gateway gw3",
        "halle gateway gw3 journal"};
    char large[FORMAT_KEY_SIZE + 10];
    (void)state;
    memset(large, 'x', sizeof large);
    memcpy(large, "halle ", 6);
    assert_false(kept_state_found(gateways[0].state, large, sizeof large, "{}", 2));
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        hold(OTHERS[i], "gw3 1");
    hold("halle link 999", "over");
    for (size_t i = 0; i < 4; i++, now_us += 5 * CLOCK_US_PER_S)
        step(&gateways[0], 0);
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        assert_non_null(find_held(OTHERS[i]));
    assert_null(find_held("halle link 999"));
}

static void test_all_is_written_anew_at_a_certain_age(void **state)
{
    (void)state;
    stands[0] = true;
    step(&gateways[0], 0);
    assert_int_equal(held_count, 2);
    held_count = 0; // as by the retention of a topic that is not compacted
    now_us += 599 * CLOCK_US_PER_S;
    step(&gateways[0], 0);
    assert_int_equal(held_count, 0);
    now_us += 2 * CLOCK_US_PER_S;
    step(&gateways[0], 0);
    assert_int_equal(held_count, 2);
}

static void test_nothing_is_deleted_before_all_alarms_are_known(void **state)
{
    (void)state;
    hold("halle link 999", "over, perhaps");
    gateways[0].is_whole = false;
    step(&gateways[0], 0);
    assert_non_null(find_held("halle link 999"));
    gateways[0].is_whole = true;
    now_us += 5 * CLOCK_US_PER_S;
    step(&gateways[0], 0);
    assert_null(find_held("halle link 999"));
}

static uint64_t count_of_first; // of the first of many alarms

static void page_of_many(void *ctx, struct alarm_page *page)
{
    (void)ctx;
    page->count = 0;
    page->more = false;
    for (int64_t i = page->after + 1; i <= KEPT_STATE_DUE_MAX + 100 && !page->more; i++) {
        struct alarm alarm = {.event_sequence = i, .count = i == 1 ? count_of_first : 0};
        snprintf(alarm.key, sizeof alarm.key, "link %" PRId64, i);
        add_to_page(page, &alarm);
    }
}

// Many documents are not due at once: the comparison goes on when the receiver has taken some.
static void test_a_slow_receiver_does_not_put_off_the_next_comparison(void **state)
{
    struct gateway_model *g = &gateways[0];
    struct kept_document one;
    (void)state;
    g->list.page = page_of_many;
    kept_state_end_reading(g->state, now_us);
    kept_state_compare(g->state, now_us);
    now_us += 100 * CLOCK_US_PER_S;
    while (kept_state_next(g->state, &one)) {
        free(one.document);
        kept_state_settle(g->state, one.handle, true);
        kept_state_compare(g->state, now_us);
    }
    now_us += 2 * CLOCK_US_PER_S;
    count_of_first = 1;
    changes++;
    kept_state_compare(g->state, now_us);
    assert_true(kept_state_next(g->state, &one));
    assert_string_equal(one.key, "halle link 1");
    free(one.document);
    kept_state_settle(g->state, one.handle, true);
}

// A list of many alarms is not read again and again.
static void test_a_list_without_a_change_is_not_read(void **state)
{
    (void)state;
    stands[0] = true;
    for (size_t i = 0; i < 4; i++, now_us += 5 * CLOCK_US_PER_S)
        step(&gateways[0], 0);
    const unsigned before = pages;
    for (size_t i = 0; i < 100; i++, now_us += 5 * CLOCK_US_PER_S) {
        gateways[0].beats++;
        step(&gateways[0], 0);
        char *beat = heartbeat_of(&gateways[0]);
        assert_string_equal(find_held("halle gateway gw1")->document, beat);
        free(beat);
    }
    assert_int_equal(pages, before);
    stands[1] = true;
    changes++;
    now_us += 5 * CLOCK_US_PER_S;
    step(&gateways[0], 0);
    check_document(&gateways[0], &alarms[1], true);
}

// What a comparison passes over, because the answer of the receiver is due, comes later.
static void test_what_changes_while_an_answer_is_due_is_written(void **state)
{
    struct gateway_model *g = &gateways[0];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct kept_document one;
        stands[0] = true;
        alarms[0].count++;
        changes++;
        now_us += 5 * CLOCK_US_PER_S;
        if (kept_state_wants_reading(g->state, now_us))
            read_all(g);
        kept_state_compare(g->state, now_us);
        while (kept_state_next(g->state, &one)) {
            if (i < 2)
                hold(one.key, one.document);
            g->in_flight[g->in_flight_count++] = one.handle;
            free(one.document);
        }
        stands[0] = i != 1;
        alarms[0].count += i == 0;
        changes += i < 2;
        now_us += 5 * CLOCK_US_PER_S;
        kept_state_compare(g->state, now_us);
        if (i == 2)
            kept_state_lose(g->state);
        g->in_flight_count = i == 2 ? 0 : g->in_flight_count;
        settle_all(g);
        check_all();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_receiver_has_what_the_gateways_have, begin, end),
        cmocka_unit_test_setup_teardown(test_what_others_have_in_the_receiver_stays, begin, end),
        cmocka_unit_test_setup_teardown(test_all_is_written_anew_at_a_certain_age, begin, end),
        cmocka_unit_test_setup_teardown(test_a_slow_receiver_does_not_put_off_the_next_comparison,
                                        begin, end),
        cmocka_unit_test_setup_teardown(test_a_list_without_a_change_is_not_read, begin, end),
        cmocka_unit_test_setup_teardown(test_what_changes_while_an_answer_is_due_is_written, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_nothing_is_deleted_before_all_alarms_are_known, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
