// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/receivers.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "daemon/loop.h"
#include "daemon/own_alarms.h"
#include "daemon/sinks.h"
#include "pipeline/pipeline.h"
#include "sink/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Wipes the memory, as it has passwords.
static void receivers_free_conf(struct conf_receiver *conf)
{
    if (conf) {
        guid_set_unref(conf->filter.trap_group);
        explicit_bzero(conf, sizeof *conf);
    }
    free(conf);
}

bool receivers_make(const struct gateway *g, const struct conf_receiver *conf,
                    struct receivers_made *out, struct error *err)
{
    struct conf_receiver *copy = memory_get(sizeof *copy);
    *out = (struct receivers_made){.former = ""};
    memcpy(copy, conf, sizeof *copy);
    guid_set_ref(copy->filter.trap_group);
    bool ok = sinks_make(&out->sink, copy, &clock_system, g->parts.started_at, &g->alarms,
                         g->parts.log, err);
    if (!ok)
        receivers_free_conf(copy);
    out->conf = ok ? copy : NULL;
    return ok;
}

void receivers_free(struct receivers_made *made)
{
    if (made->conf)
        made->sink.free(made->sink.self);
    receivers_free_conf(made->conf);
    made->conf = NULL;
}

static void receivers_on_change(void *ctx, const char *receiver, enum receiver_change change,
                                const char *reason, uint64_t dropped)
{
    const struct gateway *g = ctx;
    static const enum catalogue_event TYPES[] = {
        [RECEIVER_FAILING] = CATALOGUE_RECEIVER_FAILING,
        [RECEIVER_BACK] = CATALOGUE_RECEIVER_BACK,
        [RECEIVER_REFUSES] = CATALOGUE_RECEIVER_REFUSES,
    };
    struct event_builder_occurrence o = {.type = TYPES[change], .lost = dropped};
    if (change != RECEIVER_REFUSES)
        own_alarms_receiver_key(g, receiver, o.alarm_key);
    snprintf(o.receiver, sizeof o.receiver, "%s", receiver);
    snprintf(o.reason, sizeof o.reason, "%s", reason);
    pipeline_put_occurrence(g->parts.pipeline, &o, 0);
}

// A number for the receiver's section without its name and its secrets, even and above 0: the upper
// half for the address, the lower half for all of the section. Another release may have another
// lower half for the same section.
static int64_t receivers_digest_of(const struct receivers_made *made)
{
    struct conf_receiver copy;
    memcpy(&copy, made->conf, sizeof copy);
    explicit_bzero(copy.snmp.community, sizeof copy.snmp.community);
    explicit_bzero(copy.snmp.auth_password, sizeof copy.snmp.auth_password);
    explicit_bzero(copy.snmp.privacy_password, sizeof copy.snmp.privacy_password);
    explicit_bzero(copy.kafka.password, sizeof copy.kafka.password);
    copy.filter.trap_group = NULL;
    const size_t begin = offsetof(struct conf_receiver, kind);
    const uint64_t all =
        digest_add(DIGEST_OF_NOTHING, (const uint8_t *)&copy + begin, sizeof copy - begin);
    const char *address = made->sink.address;
    const uint64_t place = digest_add(DIGEST_OF_NOTHING, address, strlen(address));
    return (int64_t)((place >> 33 | 1) << 32 | (all >> 32 & ~(uint64_t)JOURNAL_ALL_ENDS));
}

// Finds what the journal knows of the receiver with the name. False: nothing.
static bool receivers_find_state(const struct gateway *g, const char *name,
                                 struct journal_receiver_state *out)
{
    struct journal_receiver_state all[JOURNAL_RECEIVERS_MAX];
    size_t n = journal_list_receivers(g->parts.journal, all);
    while (n > 0 && strcmp(all[n - 1].name, name) != 0)
        n--;
    if (n > 0)
        *out = all[n - 1];
    return n > 0;
}

// Sets the section of the options. A receiver is not in line if the receiver is new,
// comes back without its backlog, has another address or was not in line before.
static void receivers_set_line(const struct gateway *g, const struct receivers_made *made,
                               struct receiver_options *options)
{
    struct journal_receiver_state state = {.section = 0};
    const bool is_known = receivers_find_state(g, made->conf->name, &state);
    const int64_t section = receivers_digest_of(made), old = state.section;
    const int64_t ends = journal_section_lacks_all_ends(old) ? JOURNAL_ALL_ENDS : 0;
    const bool returns = state.gone_us != 0 && !options->backlog;
    const bool moves = old != 0 && llabs(old) >> 32 != section >> 32;
    options->section = !is_known || returns || moves || old < 0 ? -(section | ends) : section;
}

// The loop's thread exchanges the list of receivers, and reads the list without a lock.

struct receivers_arrival {
    struct gateway *gateway;
    struct gateway_ending added;
};

static void receivers_add(void *ctx)
{
    const struct receivers_arrival *arrival = ctx;
    struct gateway *g = arrival->gateway;
    pthread_mutex_lock(&g->exchanged);
    g->receiver_confs[g->parts.receiver_count] = arrival->added.conf;
    g->receivers[g->parts.receiver_count++] = arrival->added.receiver;
    pthread_mutex_unlock(&g->exchanged);
}

// Receivers that end. They stay in the list until their end.
struct receivers_departure {
    struct gateway *gateway;
    void (*leave)(void *ctx, const struct receiver *receiver);
    void *ctx;
    struct gateway_ending ending[GATEWAY_RECEIVERS_MAX];
    size_t count;
};

static bool receivers_departs(const struct receivers_departure *departure,
                              const struct receiver *receiver)
{
    for (size_t i = 0; i < departure->count; i++) {
        if (departure->ending[i].receiver == receiver)
            return true;
    }
    return false;
}

static void receivers_remove(void *ctx)
{
    const struct receivers_departure *departure = ctx;
    struct gateway *g = departure->gateway;
    size_t kept = 0;
    pthread_mutex_lock(&g->exchanged);
    for (size_t i = 0; i < g->parts.receiver_count; i++) {
        if (!receivers_departs(departure, g->receivers[i])) {
            g->receiver_confs[kept] = g->receiver_confs[i];
            g->receivers[kept++] = g->receivers[i];
        } else if (departure->leave) {
            departure->leave(departure->ctx, g->receivers[i]);
        }
    }
    g->parts.receiver_count = kept;
    pthread_mutex_unlock(&g->exchanged);
}

// Lets a receiver of the configuration go on at the place of its former name.
static void receivers_take_place(struct gateway *g, const struct receivers_made *made)
{
    receivers_tell_start(g, made->conf, made->former);
    if (made->former[0] != '\0' && strcmp(made->former, made->conf->name) != 0)
        journal_rename_receiver(g->parts.journal, made->former, made->conf->name);
}

bool receivers_start(struct gateway *g, struct receivers_made *made, struct error *err)
{
    const struct conf_receiver *conf = made->conf;
    if (!trap_recipients_are_named(conf->name))
        receivers_take_place(g, made);
    struct receiver_options options = {.filter = conf->filter,
                                       .rate = conf->rate,
                                       .burst = conf->burst,
                                       .age_max_us = conf->age_us,
                                       .was_failing = own_alarms_receiver_is_active(g, conf->name),
                                       .backlog = conf->from_backlog,
                                       .carried = made->carried,
                                       .change = receivers_on_change,
                                       .ctx = g,
                                       .journal = g->parts.journal,
                                       .turns = g->turns,
                                       .clock = &clock_system,
                                       .random = &random_system,
                                       .log = g->parts.log};
    receivers_set_line(g, made, &options);
    struct receiver *receiver = receiver_start(&made->sink, &options, err);
    if (!receiver) {
        receivers_free(made);
        return false;
    }
    struct receivers_arrival arrival = {g, {receiver, made->conf}};
    loop_call(g->loop, receivers_add, &arrival);
    made->conf = NULL;
    return true;
}

static int64_t receivers_time_until(int64_t until)
{
    const int64_t left = until - clock_now();
    return left > 0 ? left : 0;
}

// Waits until `until` (monotonic) for the end, then frees the receiver. False: it did not end.
static bool receivers_finish(const struct gateway_ending *e, int64_t until)
{
    bool ended = receiver_finish(e->receiver, receivers_time_until(until));
    if (ended)
        receivers_free_conf(e->conf);
    return ended;
}

// Frees the receivers that were left behind and have ended meanwhile.
static void receivers_free_left(struct gateway *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->left_count; i++) {
        if (!receivers_finish(&g->left[i], 0))
            g->left[kept++] = g->left[i];
    }
    g->left_count = kept;
}

// Waits for the end of a receiver. A receiver that does not end in time is left behind. After a
// hundred such receivers there is no room for another receiver: then waits without a limit.
static void receivers_end_one(struct gateway *g, const struct gateway_ending *e, int64_t until)
{
    bool ended = receivers_finish(e, until);
    while (!ended && g->left_count == GATEWAY_RECEIVERS_MAX)
        ended = receivers_finish(e, clock_now() + RECEIVERS_END_US);
    if (ended)
        return;
    log_write(g->parts.log, LOG_LEVEL_ERROR,
              "receiver %s does not end: it waits for the system, such as for a disk that does not "
              "answer; it is left behind, and what it did last may come twice",
              e->conf->name);
    g->left[g->left_count++] = *e;
}

static void receivers_do_nothing(void *ctx, const struct pipeline_context *inside)
{
    (void)ctx;
    (void)inside;
}

// Asks all receivers to stop whose fate is not RECEIVERS_STAYS.
static void receivers_request_stop(struct receivers_departure *departure,
                                   enum receivers_fate (*fate)(void *ctx,
                                                               const struct conf_receiver *running),
                                   int64_t now)
{
    struct gateway *g = departure->gateway;
    pthread_mutex_lock(&g->exchanged);
    for (size_t i = 0; i < g->parts.receiver_count; i++) {
        enum receivers_fate its = fate(departure->ctx, g->receiver_confs[i]);
        if (its == RECEIVERS_STAYS)
            continue;
        receiver_request_stop(g->receivers[i],
                              now + (its == RECEIVERS_ENDS ? RECEIVERS_FLUSH_US : 0));
        departure->ending[departure->count++] =
            (struct gateway_ending){g->receivers[i], g->receiver_confs[i]};
    }
    pthread_mutex_unlock(&g->exchanged);
}

void receivers_end(struct gateway *g,
                   enum receivers_fate (*fate)(void *ctx, const struct conf_receiver *running),
                   void (*leave)(void *ctx, const struct receiver *receiver), void *ctx)
{
    const int64_t now = clock_now();
    const int64_t until = now + RECEIVERS_FLUSH_US + RECEIVERS_END_US;
    struct receivers_departure departure = {.gateway = g, .leave = leave, .ctx = ctx};
    receivers_free_left(g);
    receivers_request_stop(&departure, fate, now);
    if (departure.count == 0)
        return;
    for (size_t i = 0; i < departure.count; i++)
        receiver_await_end(departure.ending[i].receiver, receivers_time_until(until));
    pipeline_call(g->parts.pipeline, receivers_do_nothing, NULL);
    loop_call(g->loop, receivers_remove, &departure);
    for (size_t i = 0; i < departure.count; i++)
        receivers_end_one(g, &departure.ending[i], until);
}

const struct conf_receiver *receivers_find_conf(const struct conf *conf, const char *name)
{
    for (size_t i = 0; i < conf->receiver_count; i++) {
        if (strcmp(conf->receivers[i].name, name) == 0)
            return &conf->receivers[i];
    }
    return NULL;
}

struct receiver *receivers_find(const struct gateway *g, const char *name)
{
    for (size_t i = 0; i < g->parts.receiver_count; i++) {
        if (strcmp(g->receiver_confs[i]->name, name) == 0)
            return g->receivers[i];
    }
    return NULL;
}

// Sets the former name of a receiver of the configuration at the start of the gateway: a name that
// neither runs nor is gone, and has the same section.
static void receivers_find_former(const struct gateway *g, struct receivers_made *made)
{
    struct journal_receiver_state all[JOURNAL_RECEIVERS_MAX], own = {.gone_us = -1};
    const size_t n = journal_list_receivers(g->parts.journal, all);
    const int64_t section = receivers_digest_of(made);
    receivers_find_state(g, made->conf->name, &own);
    for (size_t i = 0; i < n && own.gone_us != 0; i++) {
        const bool wanted =
            trap_recipients_are_named(all[i].name) || receivers_find_conf(g->conf, all[i].name);
        if (!wanted && all[i].gone_us == 0 && journal_section_number(all[i].section) == section)
            memcpy(made->former, all[i].name, sizeof made->former);
    }
}

static bool receivers_begin(struct gateway *g, const struct conf_receiver *conf, struct error *err)
{
    struct receivers_made made;
    if (!receivers_make(g, conf, &made, err))
        return false;
    receivers_find_former(g, &made);
    return receivers_start(g, &made, err);
}

bool receivers_start_all(struct gateway *g, struct error *err)
{
    for (size_t i = 0; i < g->conf->receiver_count; i++) {
        if (!receivers_begin(g, &g->conf->receivers[i], err))
            return false;
    }
    return true;
}

bool receivers_stop_all(struct gateway *g)
{
    int64_t stop_by = clock_now() + RECEIVERS_FLUSH_US;
    for (size_t i = 0; i < g->parts.receiver_count; i++)
        receiver_request_stop(g->receivers[i], stop_by);
    while (g->parts.receiver_count > 0) {
        size_t last = --g->parts.receiver_count;
        const struct gateway_ending e = {g->receivers[last], g->receiver_confs[last]};
        receivers_end_one(g, &e, stop_by + RECEIVERS_END_US);
    }
    receivers_free_left(g);
    return g->left_count == 0 && module_settle(RECEIVERS_SETTLE_US);
}

// Alarms about receivers.

void receivers_recall_failing(struct gateway *gateway)
{
    pthread_mutex_lock(&gateway->exchanged);
    for (size_t i = 0; i < gateway->parts.receiver_count; i++) {
        if (own_alarms_receiver_is_active(gateway, gateway->receiver_confs[i]->name))
            receiver_recall_failing(gateway->receivers[i]);
    }
    pthread_mutex_unlock(&gateway->exchanged);
}

// Receivers with an alarm that are not configured any more. A receiver without room waits for the
// next call.
struct receivers_departed {
    const struct gateway *gateway;
    struct {
        char name[CONF_NAME_SIZE];
        const struct catalogue_entry *type; // of the event that raised the alarm; NULL: unknown
    } all[GATEWAY_RECEIVERS_MAX];
    size_t count;
};

static void receivers_note_if_departed(void *ctx, const struct alarm *alarm)
{
    struct receivers_departed *departed = ctx;
    char beginning[EVENT_KEY_SIZE];
    own_alarms_receiver_key(departed->gateway, "", beginning);
    const size_t length = strlen(beginning);
    const char *receiver = alarm->key + length;
    if (strncmp(alarm->key, beginning, length) == 0 &&
        !receivers_find_conf(departed->gateway->conf, receiver) &&
        !receivers_find(departed->gateway, receiver) && departed->count < GATEWAY_RECEIVERS_MAX) {
        const size_t at = departed->count++;
        snprintf(departed->all[at].name, CONF_NAME_SIZE, "%s", receiver);
        departed->all[at].type = catalogue_find(alarm->type);
    }
}

// Pipeline's thread, after all events about the receivers that have ended.
static void receivers_clear_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct receivers_departed *departed = ctx;
    journal_each_alarm(departed->gateway->parts.journal, JOURNAL_ACTIVE_ALARMS,
                       receivers_note_if_departed, departed);
    for (size_t i = 0; i < departed->count; i++) {
        char key[EVENT_KEY_SIZE], reason[EVENT_REASON_SIZE];
        own_alarms_receiver_key(departed->gateway, departed->all[i].name, key);
        snprintf(reason, sizeof reason, "receiver %s is no longer configured",
                 departed->all[i].name);
        emitter_emit(inside->emitter, event_builder_end_of_alarm(inside->builder, key,
                                                                 departed->all[i].type, reason));
    }
}

void receivers_clear_departed(struct gateway *gateway)
{
    struct receivers_departed departed = {.gateway = gateway};
    pipeline_call(gateway->parts.pipeline, receivers_clear_in_pipeline, &departed);
}

// The fate of the events that wait for a receiver.

// How many events wait for a receiver with the cursor.
static long long receivers_count_waiting(const struct gateway *g, int64_t cursor)
{
    return (long long)journal_between(g->parts.journal, cursor, journal_last(g->parts.journal) + 1);
}

// "3 events", or "1 event".
static const char *receivers_events_in_words(long long events, char out[40])
{
    snprintf(out, 40, "%lld event%s", events, events == 1 ? "" : "s");
    return out;
}

__attribute__((format(printf, 3, 4))) static void
receivers_tell(struct gateway *g, enum log_level level, const char *fmt, ...)
{
    char sentence[512];
    TEXT_FILL(sentence, fmt);
    log_write(g->parts.log, level, "%s", sentence);
    if (g->backlogs)
        text_addf(g->backlogs, "%s\n", sentence);
}

// Coming back and changing.

static void receivers_tell_return(struct gateway *g, const struct conf_receiver *conf,
                                  int64_t gone_us, long long events)
{
    char since[CLOCK_TEXT_SIZE], words[40];
    clock_format_utc(gone_us, since);
    receivers_events_in_words(events, words);
    if (conf->from_backlog)
        receivers_tell(
            g, LOG_LEVEL_INFO,
            "receiver %s was gone since %s and goes on where it stopped: %s waited for it",
            conf->name, since, words);
    else
        receivers_tell(
            g, LOG_LEVEL_WARNING,
            "receiver %s was gone since %s and begins with new events: of %s from before "
            "it gets the ends of alarms alone, as it has not start = \"backlog\"",
            conf->name, since, words);
}

void receivers_tell_start(struct gateway *g, const struct conf_receiver *conf, const char *former)
{
    char words[40];
    struct journal_receiver_state state = {.cursor = -1};
    receivers_find_state(g, former[0] != '\0' ? former : conf->name, &state);
    long long events = state.cursor < 0 ? 0 : receivers_count_waiting(g, state.cursor);
    receivers_events_in_words(events, words);
    if (former[0] != '\0' && strcmp(former, conf->name) != 0)
        receivers_tell(g, LOG_LEVEL_INFO,
                       "receiver %s is called %s now and goes on where it was: %s waited for it",
                       former, conf->name, words);
    else if (former[0] != '\0' && events > 0)
        receivers_tell(g, LOG_LEVEL_INFO,
                       "receiver %s has changed and goes on where it was: %s waited for it",
                       conf->name, words);
    else if (state.gone_us != 0 && events > 0)
        receivers_tell_return(g, conf, state.gone_us, events);
}

// Going.

void receivers_tell_gone(struct gateway *g, bool (*runs)(void *ctx, const char *name), void *ctx)
{
    struct journal_receiver_state all[JOURNAL_RECEIVERS_MAX];
    char words[40];
    const size_t n = journal_list_receivers(g->parts.journal, all);
    for (size_t i = 0; i < n; i++) {
        if (all[i].gone_us != 0 || runs(ctx, all[i].name))
            continue;
        long long events = receivers_count_waiting(g, all[i].cursor);
        if (events == 0)
            receivers_tell(g, LOG_LEVEL_INFO, "receiver %s is gone; no event waited for it",
                           all[i].name);
        else
            receivers_tell(
                g, LOG_LEVEL_WARNING,
                "receiver %s is gone, and %s that waited for it will not be sent, unless "
                "it comes back with start = \"backlog\"",
                all[i].name, receivers_events_in_words(events, words));
    }
}
