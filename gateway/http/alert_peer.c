// SPDX-License-Identifier: BSD-2-Clause
#include "http/alert_peer.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t RETRY_FIRST_US = CLOCK_US_PER_S / 2, RETRY_LAST_US = 20 * CLOCK_US_PER_S;

enum { REFUSED_MAX = 64 }; // alerts in a row that a peer may refuse before the peer fails

bool alert_peer_init(struct alert_peer *peer, const struct alert_peers *all, const char *url,
                     size_t length, const struct transfer_options *to, struct error *err)
{
    *peer = (struct alert_peer){.all = all, .to = *to, .batch_max = ALERT_LIST_BATCH_MAX};
    alert_place_forget(&peer->place);
    while (url[length - 1] == '/')
        length--;
    snprintf(peer->url, sizeof peer->url, "%.*s", (int)length, url);
    const char *host = strstr(peer->url, "://") + strlen("://");
    snprintf(peer->path, sizeof peer->path, "%s/api/v2/alerts", host + strcspn(host, "/"));
    peer->to.url = peer->url;
    peer->to.answer_max = ALERT_PEER_ANSWER_MAX;
    return transfer_check(&peer->to, err);
}

// The peer's own clock decides whether an end is over. Its header Date is a second old at most.
static struct alert_list_times alert_peer_times(const struct alert_peer *peer)
{
    const int64_t now = clock_now();
    const int64_t theirs =
        peer->at_us != 0 ? peer->date_us + now - peer->at_us : clock_utc(&clock_system);
    return (struct alert_list_times){.now_us = now, .utc_us = theirs};
}

// Ends.

static void alert_peer_end_post(struct alert_peer *peer, bool taken)
{
    if (peer->body && taken)
        alert_place_move(&peer->place, &peer->next, clock_now());
    free(peer->body);
    peer->body = NULL;
}

void alert_peer_close(struct alert_peer *peer)
{
    alert_peer_end_post(peer, false);
    transfer_close(peer->transfer);
    peer->transfer = NULL;
    peer->is_greeted = false;
    alert_place_forget(&peer->place);
}

static void alert_peer_fail(struct alert_peer *peer, const struct error *why)
{
    alert_peer_close(peer);
    if (!peer->fails && peer->all->log)
        log_write(peer->all->log, LOG_LEVEL_WARNING, "receiver %s: %s", peer->all->name, why->text);
    peer->fails = true;
    peer->refused = 0;
    peer->batch_max = ALERT_LIST_BATCH_MAX;
    peer->problem = *why;
    peer->failures++;
    peer->failed++;
    peer->retry_at =
        clock_now() + backoff_us(peer->failures, RETRY_FIRST_US, RETRY_LAST_US, &random_system);
}

static void alert_peer_succeed(struct alert_peer *peer)
{
    if (peer->fails && peer->all->log)
        log_write(peer->all->log, LOG_LEVEL_INFO, "receiver %s: %s takes alerts again",
                  peer->all->name, transfer_peer(peer->transfer));
    peer->fails = false;
    peer->failures = 0;
}

// Answers.

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
    text_clean(answer->body, answer->size, excerpt, sizeof excerpt);
    transfer_hide(peer->transfer, excerpt);
    return error_set(err, "%s answers %d%s%s", who, answer->status, excerpt[0] ? ": " : "",
                     excerpt);
}

// Alertmanager refuses a whole post for one bad alert. Then the peer gets fewer alerts at once, and
// at last the bad alert alone, which waits for the next round. Returns false if the peer refuses
// too many alerts, or fails.
static bool alert_peer_narrow(struct alert_peer *peer, int status, const struct error *why)
{
    const bool alone = peer->posted == 1;
    if (peer->posted == 0 || peer->refused == REFUSED_MAX ||
        (status != 400 && status != 413 && status != 422))
        return false;
    peer->batch_max = alone ? 1 : peer->posted / 2;
    peer->refused += alone;
    peer->failed++;
    if (alone && peer->all->log && peer->refused_until < clock_now())
        log_write(peer->all->log, LOG_LEVEL_WARNING, "receiver %s: an alert is refused: %s; %s",
                  peer->all->name, why->text, peer->body);
    if (alone) {
        peer->refusal = *why;
        peer->refused_until = clock_now() + peer->all->expire_us / 2;
    }
    alert_peer_end_post(peer, alone);
    return true;
}

static void alert_peer_take_answer(struct alert_peer *peer, const struct transfer_answer *answer)
{
    struct error err;
    if (answer->date != 0) {
        peer->date_us = answer->date * CLOCK_US_PER_S;
        peer->at_us = clock_now();
    }
    if (!alert_peer_judge_status(peer, answer, &err)) {
        if (!alert_peer_narrow(peer, answer->status, &err))
            alert_peer_fail(peer, &err);
        return;
    }
    if (peer->is_greeted)
        alert_peer_succeed(peer);
    peer->is_greeted = true;
    peer->refused = 0;
    if (peer->batch_max < ALERT_LIST_BATCH_MAX)
        peer->batch_max *= 2;
    alert_peer_end_post(peer, true);
}

// Posts.

static bool alert_peer_send(struct alert_peer *peer, const char *body, size_t size,
                            struct error *err)
{
    const struct transfer_request request = {.path = peer->path,
                                             .content_type = "application/json",
                                             .body = body,
                                             .size = size,
                                             .timeout_ms = ALERT_PEER_TIMEOUT_MS};
    return transfer_begin(peer->transfer, &request, err);
}

static bool alert_peer_greet(struct alert_peer *peer, struct error *err)
{
    peer->posted = 0;
    peer->next = peer->place;
    peer->body = memory_copy("[]");
    return alert_peer_send(peer, peer->body, 2, err);
}

// Posts what is due, if anything is. Returns false with a sentence.
static bool alert_peer_post(struct alert_peer *peer, struct error *err)
{
    const struct alert_list_times times = alert_peer_times(peer);
    peer->body = memory_get(ALERT_LIST_BODY_SIZE);
    struct text body = text_in(peer->body, ALERT_LIST_BODY_SIZE);
    if (alert_list_take(peer->all->list, &peer->place, &times, peer->batch_max, &body,
                        &peer->posted, &peer->next))
        return alert_peer_send(peer, body.buf, body.len, err);
    alert_peer_end_post(peer, true);
    return true;
}

static bool alert_peer_begin(struct alert_peer *peer, bool *may_look_up, struct error *err)
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
        transfer_renew_or_tell(&peer->transfer, peer->all->log, &peer->renew_limit,
                               peer->all->name);
    }
    if (!peer->is_greeted)
        return alert_peer_greet(peer, err);
    return !alert_list_has_due(peer->all->list, &peer->place, clock_now()) ||
           alert_peer_post(peer, err);
}

void alert_peer_step(struct alert_peer *peer, int timeout_ms, bool *may_look_up)
{
    struct error err;
    struct transfer_answer answer;
    if (peer->body) {
        const int ended = transfer_go_on(peer->transfer, timeout_ms, &answer, &err);
        if (ended > 0)
            alert_peer_take_answer(peer, &answer);
        else if (ended < 0)
            alert_peer_fail(peer, &err);
    }
    if (!peer->body && clock_now() >= peer->retry_at && !alert_peer_begin(peer, may_look_up, &err))
        alert_peer_fail(peer, &err);
}

bool alert_peer_is_settled(const struct alert_peer *peer)
{
    return !peer->body && !peer->fails && peer->is_greeted &&
           alert_list_is_told(peer->all->list, &peer->place);
}
