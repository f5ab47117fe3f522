// SPDX-License-Identifier: BSD-2-Clause
#include "http/alert_peer.h"

#include "base/backoff.h"
#include "base/clock.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t RETRY_FIRST_US = CLOCK_US_PER_S / 2, RETRY_LAST_US = 20 * CLOCK_US_PER_S;
static const int64_t LOOK_US = CLOCK_US_PER_S; // for refreshes

enum {
    REFUSED_MAX = 64,                // alerts that a peer may refuse in a row before it fails
    ALERT_SIZE_MAX = 64 << 10,       // octets of an alert that may be ours
    ALERTS_MAX = 2 * ALERT_LIST_MAX, // of an answer: more than its octets have room for
    HEAR_SIZE = 1 << 20,             // octets of an answer that one step hears, or one alert more
};
static const char BLANKS[] = " \t\r\n";

#define API "/api/v2/alerts"

// The path of a URL without the slash at its end, or NULL.
static const char *alert_peer_path(const char *url, size_t *length)
{
    const char *host = strstr(url, "://");
    if (!host)
        return NULL;
    const char *path = host + 3 + strcspn(host + 3, "/?#");
    *length = strcspn(path, "?#");
    while (*length > 0 && path[*length - 1] == '/')
        --*length;
    return path;
}

bool alert_peer_init(struct alert_peer *peer, unsigned number, const char *url, size_t length,
                     const struct transfer_options *to, const struct alert_origin *origin,
                     struct error *err)
{
    size_t prefix;
    *peer = (struct alert_peer){.number = number, .to = *to, .batch_max = ALERT_LIST_BATCH_MAX};
    if (length >= sizeof peer->url)
        return error_set(err, "a URL of an Alertmanager is too long: %d octets at most",
                         (int)sizeof peer->url - 1);
    snprintf(peer->url, sizeof peer->url, "%.*s", (int)length, url);
    const char *path = alert_peer_path(peer->url, &prefix);
    if (!path)
        return error_set(err, "'%s' is not a URL, such as http://alertmanager.example.org:9093",
                         peer->url);
    snprintf(peer->post_path, sizeof peer->post_path, "%.*s" API, (int)prefix, path);
    snprintf(peer->ask_path, sizeof peer->ask_path,
             "%.*s" API "?active=true&silenced=true&inhibited=true&unprocessed=true"
             "&filter=" ALERT_LABEL_SOURCE "%%3D%%22%s%%22&filter=" ALERT_LABEL_TEST "%%3D%%22%%22",
             (int)prefix, path, origin->source);
    peer->to.url = peer->url;
    peer->to.scheme = "Bearer";
    return transfer_check(&peer->to, err);
}

// Time.

static int64_t alert_peer_now(void)
{
    return clock_monotonic(&clock_system);
}

// Its own clock decides whether an end is over. What it said is a second old at most.
static struct alert_list_times alert_peer_times(const struct alert_peer *peer,
                                                const struct alert_peers *all)
{
    const int64_t now = alert_peer_now();
    const int64_t theirs =
        peer->at_us != 0 ? peer->date_us + now - peer->at_us : clock_utc(&clock_system);
    return (struct alert_list_times){
        .now_us = now, .peer_utc_us = theirs, .expire_us = all->expire_us};
}

// Failure.

static void alert_peer_end_task(struct alert_peer *peer, const struct alert_peers *all, bool well)
{
    const struct alert_list_times times = alert_peer_times(peer, all);
    if (peer->task == ALERT_PEER_POSTS)
        alert_list_taken(all->list, peer->number, well, &times);
    free(peer->body);
    peer->body = NULL;
    peer->task = ALERT_PEER_IDLE;
}

void alert_peer_close(struct alert_peer *peer, const struct alert_peers *all)
{
    alert_peer_end_task(peer, all, false);
    transfer_close(peer->transfer);
    peer->transfer = NULL;
    peer->ask_at = 0;
    peer->has = 0;
}

static void alert_peer_fail(struct alert_peer *peer, const struct alert_peers *all,
                            const struct error *why)
{
    peer->posts_first = peer->task != ALERT_PEER_POSTS;
    alert_peer_close(peer, all);
    if (!peer->fails && all->log)
        log_write(all->log, LOG_LEVEL_WARNING, "receiver %s: %s", all->name, why->text);
    peer->fails = true;
    peer->answers = false;
    peer->refused = 0;
    peer->batch_max = ALERT_LIST_BATCH_MAX;
    peer->problem = *why;
    peer->failures++;
    peer->retry_at = alert_peer_now() +
                     backoff_us(peer->failures, RETRY_FIRST_US, RETRY_LAST_US, &random_system);
}

// Whether it has to be asked, and has not answered yet, since the beginning or a failure.
static bool alert_peer_is_unheard(const struct alert_peer *peer, const struct alert_peers *all)
{
    return all->is_whole && peer->ask_at == 0;
}

static void alert_peer_succeed(struct alert_peer *peer, const struct alert_peers *all)
{
    if (peer->fails && all->log)
        log_write(all->log, LOG_LEVEL_INFO, "receiver %s: %s takes alerts again", all->name,
                  transfer_peer(peer->transfer));
    peer->fails = false;
    peer->failures = 0;
}

// Answers.

static const char *alert_peer_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

// Whether the alert is one that this gateway keeps, whatever the peer made of the filter.
static bool alert_peer_is_ours(const struct alert_peers *all, const json_t *labels)
{
    const char *gateway = alert_peer_text(labels, ALERT_LABEL_GATEWAY);
    if (strcmp(alert_peer_text(labels, ALERT_LABEL_SOURCE), all->origin.source) != 0 ||
        json_object_get(labels, ALERT_LABEL_TEST) ||
        alert_peer_text(labels, ALERT_LABEL_KEY)[0] == '\0')
        return false;
    return gateway[0] == '\0' ? !all->is_standby : strcmp(gateway, all->origin.gateway) == 0;
}

// Where a value of an array ends, at the next comma or at the array's end; NULL: nowhere.
static const char *alert_peer_value_end(const char *at, const char *end)
{
    size_t depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (quoted && *at == '\\')
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (depth == 0 && (*at == ',' || *at == ']'))
            return at;
        else if (*at == '[' || *at == '{')
            depth++;
        else if (depth > 0 && (*at == ']' || *at == '}'))
            depth--;
    }
    return NULL;
}

// Whether the peer has the alert for as long as half of `expire`: it is posted again before, and
// once more if that fails. True also if the peer does not say when it ends.
static bool alert_peer_lasts(const struct alert_peer *peer, const struct alert_peers *all,
                             const json_t *alert)
{
    int64_t ends_us;
    return !clock_parse_utc(alert_peer_text(alert, "endsAt"), &ends_us) ||
           ends_us - alert_peer_times(peer, all).peer_utc_us >= all->expire_us / 2;
}

static bool alert_peer_refuse_answer(const struct alert_peer *peer, struct error *err)
{
    return error_set(err, "%s does not answer as an Alertmanager with the API v2 does",
                     transfer_peer(peer->transfer));
}

// Gives the list one alert of ours that the peer has. False: memory is short.
static bool alert_peer_hear_ours(const struct alert_peer *peer, const struct alert_peers *all,
                                 const json_t *alert)
{
    const json_t *labels = json_object_get(alert, "labels");
    char *text = json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
    const bool heard =
        text && alert_list_hear(all->list, peer->number, alert_peer_text(labels, ALERT_LABEL_KEY),
                                text, alert_peer_lasts(peer, all, alert)) != ALERT_NO_MEMORY;
    free(text);
    return heard;
}

// Gives the list one alert that the peer has. False with a sentence: it is none, or memory is
// short.
static bool alert_peer_hear_one(const struct alert_peer *peer, const struct alert_peers *all,
                                const char *from, size_t size, struct error *err)
{
    json_error_t why = {0};
    if (size > ALERT_SIZE_MAX)
        return true; // none of ours
    json_t *alert = json_loadb(from, size, JSON_ALLOW_NUL, &why);
    if (!alert && why.text[0] == '\0') // jansson has no words for this
        return error_set(err, "out of memory");
    if (!alert)
        return strspn(from, BLANKS) >= size || alert_peer_refuse_answer(peer, err);
    const bool heard = !alert_peer_is_ours(all, json_object_get(alert, "labels")) ||
                       alert_peer_hear_ours(peer, all, alert);
    json_decref(alert);
    return heard || error_set(err, "out of memory");
}

// Gives the list what the peer has, from `hear_at` on: some of it with each call, and one alert
// after another, so that what a peer makes up takes little memory and time. 1: all; 0: there is
// more; -1 with a sentence: the answer is not what Alertmanager answers, or memory is short.
static int alert_peer_hear(struct alert_peer *peer, const struct alert_peers *all,
                           struct error *err)
{
    const char *const begin = peer->answer.body, *const end = begin + peer->answer.size;
    const char *const from = begin + peer->hear_at;
    const char *at = from;
    alert_peer_refuse_answer(peer, err); // unless it says better below
    if (peer->heard == 0 && *at != '[')
        return -1;
    while (*at != ']' && at - from < HEAR_SIZE) {
        const char *next = alert_peer_value_end(at + 1, end);
        if (!next || peer->heard++ == ALERTS_MAX ||
            !alert_peer_hear_one(peer, all, at + 1, (size_t)(next - at) - 1, err))
            return -1;
        at = next;
    }
    peer->hear_at = (size_t)(at - begin);
    if (*at != ']')
        return 0;
    if (strspn(at + 1, BLANKS) != (size_t)(end - at) - 1)
        return -1;
    alert_list_heard(all->list, peer->number);
    return 1;
}

// The beginning of an answer's body, for a sentence.
static const char *alert_peer_excerpt(const struct alert_peer *peer,
                                      const struct transfer_answer *answer, char out[200])
{
    text_clean(answer->body, answer->size, out, 200);
    transfer_hide(peer->transfer, out);
    return out;
}

static bool alert_peer_judge_status(const struct alert_peer *peer,
                                    const struct transfer_answer *answer, struct error *err)
{
    char excerpt[200];
    const char *who = transfer_peer(peer->transfer);
    if (answer->status / 100 == 2)
        return true;
    if (answer->status == 404 || answer->status == 405 || answer->status / 100 == 3)
        return error_set(err,
                         "%s answers %d: the URL must be that of an Alertmanager with the API v2, "
                         "without /api/v2/alerts",
                         who, answer->status);
    if (answer->status == 401 || answer->status == 403)
        return error_set(err, "%s answers %d: check the user, password or token of the receiver",
                         who, answer->status);
    return error_set(err, "%s answers %d: %s", who, answer->status,
                     alert_peer_excerpt(peer, answer, excerpt));
}

// Alertmanager refuses a post for one alert of it that it does not like, and others may refuse all
// alerts of it. Then the peer gets fewer at once, and at last that one alone, which waits for its
// next turn. False: the peer refuses too much, or fails.
static bool alert_peer_narrow(struct alert_peer *peer, const struct alert_peers *all, int status,
                              const struct error *why)
{
    const bool alone = peer->posted == 1;
    if (peer->task != ALERT_PEER_POSTS || peer->refused == REFUSED_MAX ||
        (status != 400 && status != 413 && status != 422))
        return false;
    peer->batch_max = alone ? 1 : peer->posted / 2;
    peer->refused += alone;
    if (alone && all->log && peer->refused_until < alert_peer_now())
        log_write(all->log, LOG_LEVEL_WARNING, "receiver %s: an alert is refused: %s; %s",
                  all->name, why->text, peer->body);
    if (alone) {
        peer->refusal = *why;
        peer->refused_until = alert_peer_now() + all->expire_us / 2;
    }
    alert_peer_end_task(peer, all, alone);
    return true;
}

static void alert_peer_end_list(struct alert_peer *peer, const struct alert_peers *all, bool heard)
{
    if (heard)
        peer->ask_at = alert_peer_now() + all->expire_us;
    peer->has = 0; // what it lacks is due
    peer->answers = true;
    alert_peer_end_task(peer, all, true);
    transfer_forget(peer->transfer);
}

// Once the list is not whole any more, what it lacks may be active: the peer is asked again.
static void alert_peer_go_on_hearing(struct alert_peer *peer, const struct alert_peers *all)
{
    struct error err;
    const int heard = all->is_whole ? alert_peer_hear(peer, all, &err) : 1;
    if (heard > 0)
        alert_peer_end_list(peer, all, all->is_whole);
    else if (heard < 0)
        alert_peer_fail(peer, all, &err);
}

// An answer that is too long for a peer without the turn is asked for again, in its turn. What the
// peer has beyond the bound of that expires there, if it is over.
static void alert_peer_take_list(struct alert_peer *peer, const struct alert_peers *all,
                                 const struct transfer_answer *answer)
{
    const bool had_turn = peer->is_long;
    peer->is_long = peer->posts_first = answer->cut || answer->size > ALERT_PEER_ANSWER_SOME;
    if (answer->cut && !had_turn) {
        alert_peer_end_list(peer, all, false);
        return;
    }
    if (all->is_whole && answer->cut) {
        if (all->log)
            log_write(all->log, LOG_LEVEL_WARNING,
                      "receiver %s: %s has too many alerts to read them all; those that are over "
                      "end when they expire, after %d s",
                      all->name, transfer_peer(peer->transfer),
                      (int)(all->expire_us / CLOCK_US_PER_S));
        alert_peer_end_list(peer, all, true);
        return;
    }
    peer->answer = *answer;
    peer->hear_at = strspn(answer->body, BLANKS);
    peer->heard = 0;
    peer->task = ALERT_PEER_HEARS;
    alert_list_ask(all->list, peer->number);
    alert_peer_go_on_hearing(peer, all);
}

static void alert_peer_take_answer(struct alert_peer *peer, const struct alert_peers *all,
                                   const struct transfer_answer *answer)
{
    struct error err;
    if (answer->date != 0) {
        peer->date_us = answer->date * CLOCK_US_PER_S;
        peer->at_us = alert_peer_now();
    }
    if (!alert_peer_judge_status(peer, answer, &err)) {
        if (!alert_peer_narrow(peer, all, answer->status, &err))
            alert_peer_fail(peer, all, &err);
        return;
    }
    if (peer->task == ALERT_PEER_ASKS) {
        alert_peer_take_list(peer, all, answer);
        return;
    }
    peer->answers = true;
    peer->refused = 0;
    if (peer->batch_max < ALERT_LIST_BATCH_MAX)
        peer->batch_max *= 2;
    if (!alert_peer_is_unheard(peer, all))
        alert_peer_succeed(peer, all);
    alert_peer_end_task(peer, all, true);
}

// Requests.

static bool alert_peer_ask(struct alert_peer *peer, struct error *err)
{
    const struct transfer_request request = {.path = peer->ask_path,
                                             .timeout_ms = ALERT_PEER_TIMEOUT_MS};
    peer->task = ALERT_PEER_ASKS;
    peer->to.answer_max = peer->is_long ? ALERT_PEER_ANSWER_MAX : ALERT_PEER_ANSWER_SOME;
    return transfer_begin(peer->transfer, &request, err);
}

// Posts what is due, if anything is. False with a sentence.
static bool alert_peer_post(struct alert_peer *peer, const struct alert_peers *all,
                            struct error *err)
{
    const struct alert_list_times times = alert_peer_times(peer, all);
    const bool was_asked = !alert_peer_is_unheard(peer, all);
    peer->body = malloc(ALERT_LIST_BODY_SIZE);
    if (!peer->body)
        return error_set(err, "out of memory");
    struct text body = text_in(peer->body, ALERT_LIST_BODY_SIZE);
    peer->posted =
        alert_list_take(all->list, peer->number, &times, peer->batch_max, was_asked, &body);
    if (peer->posted == 0) {
        if (was_asked)
            alert_peer_succeed(peer, all);
        peer->has = all->version;
        peer->look_at = times.now_us + LOOK_US;
        free(peer->body);
        peer->body = NULL;
        return true;
    }
    const struct transfer_request request = {.path = peer->post_path,
                                             .content_type = "application/json",
                                             .body = peer->body,
                                             .size = body.len,
                                             .timeout_ms = ALERT_PEER_TIMEOUT_MS};
    peer->task = ALERT_PEER_POSTS;
    peer->to.answer_max = ALERT_PEER_ANSWER_SOME;
    return transfer_begin(peer->transfer, &request, err);
}

// Whether it is time to ask it, and its turn if its answer is long.
static bool alert_peer_is_to_be_asked(const struct alert_peer *peer, const struct alert_peers *all)
{
    return all->is_whole && alert_peer_now() >= peer->ask_at &&
           (!peer->is_long || all->turn == peer->number);
}

// Asks and posts what is due. An alarm that was just raised does not wait for an answer that is
// long, or that may fail as the one before: then the question follows the posts. It follows in the
// same step if there is nothing to post, as the list may have changed before the next one.
static bool alert_peer_begin_exchange(struct alert_peer *peer, const struct alert_peers *all,
                                      struct error *err)
{
    const bool asks = alert_peer_is_to_be_asked(peer, all);
    if (asks && !peer->posts_first)
        return alert_peer_ask(peer, err);
    if ((peer->has != all->version || alert_peer_now() >= peer->look_at) &&
        !alert_peer_post(peer, all, err))
        return false;
    return !asks || peer->task == ALERT_PEER_POSTS || alert_peer_ask(peer, err);
}

static bool alert_peer_begin(struct alert_peer *peer, const struct alert_peers *all,
                             bool *may_look_up, struct error *err)
{
    if (!peer->transfer) {
        if (!*may_look_up)
            return true;
        *may_look_up = false;
        peer->transfer = transfer_open(&peer->to, err);
        if (!peer->transfer)
            return false;
    } else if (*may_look_up && transfer_is_old(peer->transfer)) {
        *may_look_up = false;
        transfer_renew_or_tell(&peer->transfer, all->log, &peer->renew_limit, all->name);
    }
    return alert_peer_begin_exchange(peer, all, err);
}

void alert_peer_step(struct alert_peer *peer, const struct alert_peers *all, int timeout_ms,
                     bool *may_look_up)
{
    struct error err;
    struct transfer_answer answer;
    if (peer->task == ALERT_PEER_HEARS) {
        alert_peer_go_on_hearing(peer, all);
    } else if (peer->task != ALERT_PEER_IDLE) {
        const int ended = transfer_go_on(peer->transfer, timeout_ms, &answer, &err);
        if (ended > 0)
            alert_peer_take_answer(peer, all, &answer);
        else if (ended < 0)
            alert_peer_fail(peer, all, &err);
    }
    if (peer->task == ALERT_PEER_IDLE && alert_peer_now() >= peer->retry_at &&
        !alert_peer_begin(peer, all, may_look_up, &err))
        alert_peer_fail(peer, all, &err);
}

// Turns.

static bool alert_peer_wants_turn(const struct alert_peer *peer)
{
    const int64_t now = alert_peer_now();
    return peer->is_long && peer->task == ALERT_PEER_IDLE && now >= peer->retry_at &&
           now >= peer->ask_at;
}

void alert_peers_hand_on(struct alert_peers *all, const struct alert_peer *peers, unsigned count)
{
    const unsigned last = all->turn;
    if (peers[last].task == ALERT_PEER_ASKS || peers[last].task == ALERT_PEER_HEARS)
        return;
    for (unsigned i = 1; i <= count && all->turn == last; i++) {
        if (alert_peer_wants_turn(&peers[(last + i) % count]))
            all->turn = (last + i) % count;
    }
}

bool alert_peer_waits(const struct alert_peer *peer, const struct alert_peers *all)
{
    return peer->ask_at == 0 && all->turn != peer->number && alert_peer_wants_turn(peer);
}

bool alert_peer_is_away(const struct alert_peer *peer)
{
    return peer->fails && !peer->answers;
}

bool alert_peer_is_settled(const struct alert_peer *peer, const struct alert_peers *all)
{
    return peer->task == ALERT_PEER_IDLE && peer->has == all->version &&
           !alert_peer_is_unheard(peer, all);
}
