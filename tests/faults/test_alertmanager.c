// SPDX-License-Identifier: BSD-2-Clause
// Each allocation of a receiver of the kind `alertmanager` fails in turn, those of libcurl and
// jansson among them. Nothing crashes or leaks (under ASan), a failure has a sentence, and no alert
// of an active alarm ends. Once there is memory, the same receiver makes the peer agree with the
// alarms.
#include "http_server.h"
#include "scarce_memory.h"
#include "support.h"

#include "base/clock.h"
#include "http/alertmanager_options.h"
#include "model/alarm.h"
#include "model/catalogue.h"
#include "sink/module.h"

#include <pthread.h>

enum { ALARMS = 4, ROUNDS = 3, CALLS = 4000, IN_PART = 60, LABELS_SIZE = 512 };

// The Alertmanager: an alert has the number at the end of its key.

static struct {
    pthread_mutex_t lock;
    char labels[10][LABELS_SIZE]; // of active alerts; empty: none
    bool was_ended[10];
} peer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char KEY[] = "\"alarmkey\":\"link ", ENDS[] = "\"endsAt\":\"";

static void take_post(const char *request)
{
    char now[CLOCK_TEXT_SIZE];
    clock_format_utc(clock_utc(&clock_system), now);
    for (const char *at = request; (at = strstr(at, "\"labels\":{")) != NULL; at++) {
        const char *labels = strchr(at, '{'), *key = strstr(at, KEY), *ends = strstr(at, ENDS);
        if (!key || !ends)
            return;
        const unsigned n = (unsigned)(key[sizeof KEY - 1] - '0');
        const int length = (int)strcspn(labels, "}") + 1;
        const bool over = strncmp(ends + sizeof ENDS - 1, now, sizeof now - 1) <= 0;
        snprintf(peer.labels[n], LABELS_SIZE, "%.*s", over ? 0 : length, labels);
        peer.was_ended[n] |= over;
    }
}

static void list_alerts(struct text *body)
{
    const char *between = "";
    text_add(body, "[");
    for (size_t i = 0; i < COUNT(peer.labels); i++) {
        if (peer.labels[i][0] == '\0')
            continue;
        text_addf(body, "%s{\"labels\":%s,\"endsAt\":\"2100-01-01T00:00:00Z\"}", between,
                  peer.labels[i]);
        between = ",";
    }
    text_add(body, "]");
}

static void answer(const char *request, struct text *body)
{
    pthread_mutex_lock(&peer.lock);
    if (strncmp(request, "GET ", 4) == 0)
        list_alerts(body);
    else
        take_post(request);
    pthread_mutex_unlock(&peer.lock);
}

// The peer has a stray alert from before.
static void reset_peer(void)
{
    memset(peer.labels, 0, sizeof peer.labels);
    memset(peer.was_ended, 0, sizeof peer.was_ended);
    snprintf(peer.labels[9], LABELS_SIZE, "{\"alarmkey\":\"link 9\",\"source\":\"fabric1\"}");
}

// The alarms.

static struct alarm alarms[ALARMS];
static bool active[ALARMS];

static enum module_alarms_state whole(void *ctx)
{
    (void)ctx;
    return MODULE_ALARMS_WHOLE;
}

static bool page(void *ctx, int64_t after, size_t n,
                 void (*each)(void *ctx, const struct alarm *alarm), void *each_ctx)
{
    (void)ctx;
    assert_true(n >= ALARMS);
    for (size_t i = 0; i < ALARMS; i++) {
        if (active[i] && alarms[i].event_sequence > after)
            each(each_ctx, &alarms[i]);
    }
    return false;
}

static bool may_pass(void *ctx, const struct alarm *alarm, const struct filter *filter)
{
    (void)ctx;
    (void)alarm;
    (void)filter;
    return true;
}

static struct event *event_of(void *ctx, const struct alarm *alarm, const struct filter *filter,
                              bool *refused)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    (void)ctx;
    (void)filter;
    *refused = false;
    if (event)
        event->number = alarm->event_sequence;
    return event;
}

static const struct module_alarms LIST = {
    .state = whole, .page = page, .may_pass = may_pass, .event = event_of, .gateway = "gw1"};
static const struct module_host HOST = {.alarms = &LIST};

static void raise_all(void)
{
    for (size_t i = 0; i < ALARMS; i++) {
        alarms[i] = (struct alarm){.event_sequence = (int64_t)i + 1,
                                   .last_sequence = (int64_t)i + 1,
                                   .raised_us = clock_utc(&clock_system),
                                   .severity = SEVERITY_ERROR,
                                   .category = CATEGORY_LINK};
        snprintf(alarms[i].key, sizeof alarms[i].key, "link %zu", i);
        snprintf(alarms[i].type, sizeof alarms[i].type, "link-down");
        active[i] = true;
    }
}

static bool agrees(void)
{
    bool same = true;
    pthread_mutex_lock(&peer.lock);
    for (size_t i = 0; i < COUNT(peer.labels); i++)
        same &= (peer.labels[i][0] != '\0') == (i < ALARMS && active[i]);
    pthread_mutex_unlock(&peer.lock);
    return same;
}

static bool ended_falsely(void)
{
    bool falsely = false;
    pthread_mutex_lock(&peer.lock);
    for (size_t i = 0; i < ALARMS; i++)
        falsely |= active[i] && peer.was_ended[i];
    pthread_mutex_unlock(&peer.lock);
    return falsely;
}

// The receiver.

static char url[64];
static struct event *event;
static struct alertmanager_options options;

// An event says that the list changed.
static bool tell(struct sink *sink)
{
    struct error err = {0};
    bool ok = sink->send(sink->self, event, &err) != SINK_FAILED;
    assert_true(ok || err.text[0] != '\0');
    err.text[0] = '\0';
    ok &= sink->keep(sink->self, &err);
    assert_true(ok || err.text[0] != '\0');
    return sink->wait(sink->self, 1, &err) >= 0 && ok;
}

static void work(struct sink *sink)
{
    raise_all();
    for (unsigned i = 0; i < ROUNDS; i++)
        tell(sink);
    active[0] = false;
    for (unsigned i = 0; i < ROUNDS; i++)
        tell(sink);
}

static void recover(struct sink *sink, unsigned nth)
{
    unsigned calls = 0;
    while (!(tell(sink) && agrees()) && ++calls < CALLS)
        clock_sleep(CLOCK_US_PER_MS);
    if (calls == CALLS)
        fail_msg("allocation %u: the peer does not agree with the alarms", nth);
    if (ended_falsely())
        fail_msg("allocation %u: an alert of an active alarm ended", nth);
}

static unsigned fail_one(unsigned nth, bool for_good)
{
    struct sink sink = {0};
    struct error err = {0};
    reset_peer();
    scarce_memory_fail(nth, for_good);
    if (!ibtrapd_module.make(&sink, "alertmanager", "r", &options, &HOST, &err)) {
        scarce_memory_fail(0, false);
        assert_true(err.text[0] != '\0');
        return nth;
    }
    assert_true(sink.open(sink.self, &err));
    work(&sink);
    const unsigned n = scarce_memory_count();
    scarce_memory_fail(0, false);
    recover(&sink, nth);
    sink.close(sink.self);
    sink.free(sink.self);
    return n;
}

TEST(the_peer_agrees_with_the_alarms_once_there_is_memory)
{
    const unsigned n = fail_one(0, false);
    assert_true(n > 10);
    for (unsigned nth = 1; nth <= n; nth += n / IN_PART + 1) {
        fail_one(nth, false);
        fail_one(nth, true);
    }
    print_message("    %u allocations\n", n);
}

static int start(void **state)
{
    (void)state;
    event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    if (event)
        snprintf(event->alarm_key, sizeof event->alarm_key, "link 0");
    options = (struct alertmanager_options){
        .to = {.url = "",
               .user = "",
               .password_file = "",
               .token_file = "",
               .renew_ms = TRANSFER_RENEW_MS,
               .tls = {.ca_file = "", .crl_file = "", .cert_file = "", .key_file = "", .name = ""}},
        .urls = url,
        .source = "fabric1",
        .expire_s = 300};
    return event ? http_server_start(answer, url) : -1;
}

static int stop(void **state)
{
    (void)state;
    event_unref(event);
    return http_server_stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peer_agrees_with_the_alarms_once_there_is_memory),
    };
    if (!http_libraries_begin())
        return 1;
    const int failed = cmocka_run_group_tests(tests, start, stop);
    http_libraries_end();
    return failed;
}
