// SPDX-License-Identifier: BSD-2-Clause
#include "http/alertmanager.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "http/alert_peer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 256,     // alarms
    STEP_MS = 10,   // to wait for a peer's answer
    KEEP_MS = 500,  // to wait for all of them, within a call
    SCAN_MS = 1000, // to scan, within a call
    SOURCE_SIZE = 300,
};

// A scan takes a fifth of the time at most. A scan without a change finds the alarms that are
// shelved no longer, and asks for labels that were guessed.
static const int64_t IDLE_US = 30 * CLOCK_US_PER_S, PERIOD_US = 2 * CLOCK_US_PER_S;
static const int64_t TEST_US = 60 * CLOCK_US_PER_S;

struct alertmanager {
    const struct conf_receiver *receiver;
    const struct module_alarms *alarms;
    char source[SOURCE_SIZE];
    struct alert_peer peers[CONF_ALERT_URLS_MAX];
    unsigned peer_count;
    struct alert_peers all;
    struct alert_origin origin;

    // The scan of the alarm list under way, or the last scan.
    bool scans;                       // it goes on
    struct module_alarms_state state; // when it began
    int64_t began_at, next_at;        // monotonic
    struct alarm_page page;
    struct alarm alarms_of_page[PAGE];

    bool wants_scan; // an event waits for a scan
    uint64_t seen,
        finished; // the newest ticket when the scan began; when the last ended scan began
    struct tickets *tickets;
};

// Scans.

// Puts an alarm that is new or changed.
static void alertmanager_put(struct alertmanager *s, const struct alarm *alarm)
{
    bool refused;
    struct event *event = s->alarms->event(s->alarms->ctx, alarm, &s->receiver->filter, &refused);
    const bool guessed = event->number == 0;
    char *labels = refused ? NULL : alert_labels(alarm, event, &s->origin);
    event_unref(event);
    alert_list_put(s->all.list, alarm, labels, alert_annotations(alarm), guessed);
}

static void alertmanager_begin_scan(struct alertmanager *s, int64_t now)
{
    const struct module_alarms_state state = s->alarms->state(s->alarms->ctx);
    if (state.is_standby != s->state.is_standby) {
        // The alerts that another gateway posts, or posted, are not over.
        for (unsigned i = 0; i < s->peer_count; i++)
            alert_peer_close(&s->peers[i]);
        alert_list_clear(s->all.list);
    }
    s->state = state;
    s->scans = true;
    s->wants_scan = false;
    s->page = (struct alarm_page){.all = s->alarms_of_page, .room = PAGE};
    s->began_at = now;
    s->seen = s->tickets->in_flight > 0 ? s->tickets->newest : 0;
    alert_list_begin(s->all.list, now);
}

static bool alertmanager_is_scan_of(const struct alertmanager *s, struct module_alarms_state now)
{
    return s->state.is_standby == now.is_standby && s->state.is_whole == now.is_whole;
}

static void alertmanager_end_scan(struct alertmanager *s, int64_t now)
{
    const struct module_alarms_state state = s->alarms->state(s->alarms->ctx);
    alert_list_end(s->all.list, state.is_whole && alertmanager_is_scan_of(s, state),
                   clock_utc(&clock_system));
    s->scans = false;
    s->finished = s->seen;
    s->next_at = now + 4 * (now - s->began_at);
}

static bool alertmanager_scan_page(struct alertmanager *s)
{
    s->alarms->page(s->alarms->ctx, &s->page);
    for (size_t i = 0; i < s->page.count; i++) {
        const struct alarm *alarm = &s->page.all[i];
        if (s->alarms->may_pass(s->alarms->ctx, alarm, &s->receiver->filter) &&
            !alert_list_see(s->all.list, alarm) && !alert_list_lacks_room(s->all.list, alarm))
            alertmanager_put(s, alarm);
    }
    return s->page.more;
}

// Whether the peers may be told of the list. After a change of the active gateway the next scan
// comes first, because the alerts of the active gateway are not over.
static bool alertmanager_has_list(const struct alertmanager *s)
{
    return !s->scans && alertmanager_is_scan_of(s, s->alarms->state(s->alarms->ctx));
}

static bool alertmanager_is_scan_due(const struct alertmanager *s, int64_t now)
{
    const struct module_alarms_state state = s->alarms->state(s->alarms->ctx);
    const bool is_old = !state.is_whole || state.changes != s->state.changes;
    const int64_t idle_us = is_old ? PERIOD_US : IDLE_US;
    return s->scans || !alertmanager_is_scan_of(s, state) ||
           (now >= s->next_at && (s->wants_scan || now >= s->began_at + idle_us));
}

static void alertmanager_scan(struct alertmanager *s)
{
    int64_t now = clock_now();
    const int64_t until = now + SCAN_MS * CLOCK_US_PER_MS;
    if (!alertmanager_is_scan_due(s, now))
        return;
    if (!s->scans)
        alertmanager_begin_scan(s, now);
    while (s->scans && now < until) {
        if (!alertmanager_scan_page(s))
            alertmanager_end_scan(s, clock_now());
        now = clock_now();
    }
}

// Peers.

static bool alertmanager_step(struct alertmanager *s, int timeout_ms)
{
    bool may_look_up = true, is_busy = false;
    for (unsigned i = 0; i < s->peer_count; i++) {
        struct alert_peer *peer = &s->peers[i];
        alert_peer_step(peer, alert_peer_is_away(peer) ? 0 : timeout_ms, &may_look_up);
    }
    for (unsigned i = 0; i < s->peer_count; i++) {
        const struct alert_peer *peer = &s->peers[i];
        is_busy |= !alert_peer_is_away(peer) && !alert_peer_is_settled(peer);
    }
    return is_busy;
}

// Returns false with a sentence if alerts may expire at an Alertmanager before they are posted
// again.
static bool alertmanager_is_in_time(const struct alertmanager *s, struct error *err)
{
    for (unsigned i = 0; i < s->peer_count; i++) {
        const int64_t lasts = alert_list_lateness(s->all.list, &s->peers[i].place, clock_now());
        if (lasts > 0)
            return error_set(err,
                             "alerts may expire before they are posted again: to post all of them "
                             "to %s takes %lld s, more than half of 'expire': raise 'expire', or "
                             "narrow the receiver's filter",
                             s->peers[i].url, (long long)(lasts / CLOCK_US_PER_S));
    }
    return true;
}

static bool alertmanager_describe(const struct alertmanager *s, struct error *err)
{
    const struct alert_peer *first = NULL, *refuses = NULL;
    const int64_t now = clock_now();
    unsigned failing = 0;
    for (unsigned i = 0; i < s->peer_count; i++) {
        failing += s->peers[i].fails;
        first = !first && s->peers[i].fails ? &s->peers[i] : first;
        refuses = s->peers[i].refused_until > now ? &s->peers[i] : refuses;
    }
    const size_t beyond = alert_list_beyond(s->all.list);
    if (first && s->peer_count > 1)
        return error_set(err, "%u of %u Alertmanagers: %s", failing, s->peer_count,
                         first->problem.text);
    if (first)
        return error_set(err, "%s", first->problem.text);
    if (refuses)
        return error_set(err, "an alert is refused: %s", refuses->refusal.text);
    if (beyond > 0)
        return error_set(err,
                         "%zu alarms are not told, as there is room for %d: narrow the receiver's "
                         "filter",
                         beyond, ALERT_LIST_MAX);
    return alertmanager_is_in_time(s, err);
}

static bool alertmanager_keep(void *self, struct sink_progress *progress, struct error *err)
{
    struct alertmanager *s = self;
    alertmanager_scan(s);
    const int64_t until = clock_now() + KEEP_MS * CLOCK_US_PER_MS;
    do {
        progress->is_busy = alertmanager_has_list(s) && alertmanager_step(s, STEP_MS);
    } while (progress->is_busy && clock_now() < until);
    progress->is_busy |= s->scans;
    for (unsigned i = 0; i < s->peer_count; i++) {
        progress->failed += s->peers[i].failed;
        s->peers[i].failed = 0;
    }
    return alertmanager_describe(s, err);
}

// Whether every Alertmanager that answers has the list, and at least one answers.
static bool alertmanager_is_settled(const struct alertmanager *s)
{
    unsigned settled = 0, failing = 0;
    for (unsigned i = 0; i < s->peer_count; i++) {
        failing += s->peers[i].fails;
        settled += !s->peers[i].fails && alert_peer_is_settled(&s->peers[i]);
    }
    return settled > 0 && settled + failing == s->peer_count;
}

// Events.

static void alertmanager_send_test(struct alertmanager *s, const struct event *event)
{
    struct alarm alarm;
    const struct alert_list_times times = {clock_now(), clock_utc(&clock_system)};
    alert_of_test(event, &alarm);
    alert_list_add_test(s->all.list, alert_labels(&alarm, event, &s->origin),
                        alert_annotations(&alarm), TEST_US, &times);
}

static enum sink_result alertmanager_send(void *self, const struct event *event, struct error *err)
{
    struct alertmanager *s = self;
    (void)err;
    if (event->test)
        alertmanager_send_test(s, event);
    else if (event_alarm(event) == ALARM_NONE)
        return SINK_SKIPPED;
    s->wants_scan = true;
    return SINK_PENDING;
}

static bool alertmanager_wait(void *self, int timeout_ms, struct error *err)
{
    struct alertmanager *s = self;
    (void)err;
    if (alertmanager_has_list(s) && alertmanager_step(s, 0) && timeout_ms > 0)
        clock_sleep(timeout_ms * CLOCK_US_PER_MS);
    if (s->scans || !alertmanager_is_settled(s))
        return true;
    uint64_t ticket = 0;
    while ((ticket = tickets_behind(s->tickets, ticket)) != 0 && ticket <= s->finished)
        tickets_settle(s->tickets, ticket, TICKET_DONE);
    return true;
}

static bool alertmanager_open(void *self, struct tickets *tickets, struct error *err)
{
    struct alertmanager *s = self;
    s->tickets = tickets;
    s->seen = s->finished = 0;
    (void)err;
    s->began_at = s->next_at = INT64_MIN / 2;
    return true;
}

static void alertmanager_close(void *self)
{
    struct alertmanager *s = self;
    for (unsigned i = 0; i < s->peer_count; i++)
        alert_peer_close(&s->peers[i]);
    s->scans = false;
}

static void alertmanager_free(void *self)
{
    struct alertmanager *s = self;
    alert_list_free(s->all.list);
    free(s);
}

// Making.

static bool alertmanager_add_peers(struct alertmanager *s, struct error *err)
{
    const struct transfer_options to = transfer_options_of(s->receiver, "", "Bearer");
    const char *urls = s->receiver->alertmanager.urls, *at = urls + strspn(urls, ", ");
    for (size_t length; (length = strcspn(at, ", ")) > 0; at += strspn(at, ", ")) {
        assert(s->peer_count < CONF_ALERT_URLS_MAX);
        if (!alert_peer_init(&s->peers[s->peer_count++], &s->all, at, length, &to, err))
            return false;
        at += length;
    }
    return true;
}

static bool alertmanager_fill(struct alertmanager *s, const struct conf_receiver *receiver,
                              const struct module_alarms *alarms, struct error *err)
{
    const char *gateway = alarms ? alarms->gateway : "gateway";
    const char *source = receiver->alertmanager.source;
    s->receiver = receiver;
    s->alarms = alarms;
    snprintf(s->source, sizeof s->source, "%s", source[0] ? source : gateway);
    text_make_name(s->source, '_');
    s->origin = (struct alert_origin){
        .source = s->source, .gateway = gateway, .fabric = alarms ? alarms->fabric : ""};
    s->all.expire_us = receiver->alertmanager.expire_s * CLOCK_US_PER_S;
    return alertmanager_add_peers(s, err);
}

bool alertmanager_make(struct sink *out, const char *name, const struct conf_receiver *receiver,
                       const struct module_host *host, struct error *err)
{
    struct alertmanager *s = memory_zeroed(1, sizeof *s);
    s->all.name = name;
    s->all.log = host->log;
    if (!alertmanager_fill(s, receiver, host->alarms, err)) {
        free(s);
        return false;
    }
    s->all.list = alert_list_new(s->all.expire_us, &random_system);
    *out = (struct sink){.open = alertmanager_open,
                         .send = alertmanager_send,
                         .wait = alertmanager_wait,
                         .keep = alertmanager_keep,
                         .close = alertmanager_close,
                         .free = alertmanager_free,
                         .self = s,
                         .in_flight_max = ALERTMANAGER_IN_FLIGHT_MAX};
    return true;
}

bool alertmanager_check(const struct conf_receiver *receiver, struct error *err)
{
    struct alertmanager *s = memory_zeroed(1, sizeof *s);
    const bool ok = alertmanager_fill(s, receiver, NULL, err);
    free(s);
    return ok;
}
