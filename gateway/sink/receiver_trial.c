// SPDX-License-Identifier: BSD-2-Clause
#include "sink/receiver_private.h"

#include "model/catalogue.h"

#include <stdio.h>
#include <string.h>

// How often the gateway tells that a receiver refuses events, at most.
static const int64_t TOLD_US = 600 * CLOCK_US_PER_S;

// Whether the event has to wait for an earlier event: an event of its alarm, or its root cause.
static bool receiver_trial_follows(struct receiver *receiver, size_t at)
{
    const struct event *event = receiver_at(receiver, at)->event;
    for (size_t i = 0; i < at; i++) {
        const struct ticket *t = receiver_at(receiver, i);
        if (t->state == TICKET_DONE)
            continue;
        if ((event->alarm_key[0] && strcmp(event->alarm_key, t->event->alarm_key) == 0) ||
            strcmp(event->cause_id, t->event->id) == 0)
            return true;
    }
    return false;
}

bool receiver_trial_allows(struct receiver *receiver, size_t at)
{
    struct receiver_trial *trial = &receiver->trial;
    const uint64_t number = receiver->tickets.first + at;
    if (trial->suspect == 0 || number < trial->suspect)
        return true;
    if (number == trial->suspect)
        return !trial->probing;
    if (!trial->probing || number < trial->probe || (trial->probed && number > trial->probe) ||
        receiver_trial_follows(receiver, at))
        return false;
    trial->probe = number;
    trial->probed = true;
    trial->lonely = false;
    receiver_at(receiver, at)->alone = true;
    return true;
}

bool receiver_trial_fail(struct receiver *receiver, uint64_t refused, const char *problem)
{
    struct receiver_trial *trial = &receiver->trial;
    struct ticket *ticket = tickets_at(&receiver->tickets, refused);
    if (refused == 0 || (trial->suspect != 0 && refused > trial->suspect)) {
        trial->probe += refused != 0;
        trial->probing = false;
        return true;
    }
    if (ticket->refusals++ == 0)
        ticket->passed_before = receiver->counts.sent;
    if (ticket->refusals < RECEIVER_REFUSALS)
        return false;
    if (refused != trial->suspect)
        *trial = (struct receiver_trial){.suspect = refused,
                                         .probe = refused + 1,
                                         .vouched = receiver->counts.sent > ticket->passed_before};
    snprintf(trial->reason, sizeof trial->reason, "%s", problem);
    ticket->alone = trial->probing = true;
    trial->probed = false;
    return trial->lonely && !trial->vouched;
}

int64_t receiver_trial_wait(struct receiver *receiver)
{
    struct receiver_trial *trial = &receiver->trial;
    if (!trial->probing || trial->probed)
        return 0;
    trial->probing = false;
    trial->lonely = true;
    trial->probe = trial->suspect + 1;
    receiver->tickets.handed = 0;
    receiver->retry_at = trial->retry_at;
    return 1;
}

static void receiver_trial_note_given_up(struct receiver *receiver, struct ticket *e)
{
    const char *reason = receiver->trial.reason, *type = e->event->type->name;
    log_write(receiver->options.log, LOG_LEVEL_WARNING,
              "receiver %s: gave up number %lld (%s), which it refused %u times: %s",
              receiver->sink.name, (long long)e->event->number, type, e->refusals, reason);
    pthread_mutex_lock(&receiver->lock);
    receiver->status.refused++;
    receiver_count(&receiver->counts.dropped, 1);
    struct receiver_outcomes *o = &receiver->outcomes;
    const size_t at = o->refusal_count++ % RECEIVER_REFUSALS_KEPT;
    o->refusals[at].sequence = e->event->number;
    snprintf(o->refusals[at].reason, RECEIVER_REASON_SIZE, "refused %u times: %s", e->refusals,
             reason);
    pthread_mutex_unlock(&receiver->lock);
    // A receiver that refuses such an event, too, does not cause the next.
    if (e->event->type == catalogue_get(CATALOGUE_RECEIVER_REFUSES))
        return;
    snprintf(receiver->given_up, sizeof receiver->given_up, "number %lld (%s), %.180s",
             (long long)e->event->number, type, o->refusals[at].reason);
}

void receiver_trial_tell(struct receiver *receiver, int64_t now)
{
    if (receiver->given_up[0] == '\0' || now < receiver->tell_at)
        return;
    pthread_mutex_lock(&receiver->lock);
    const bool left = receiver->left;
    pthread_mutex_unlock(&receiver->lock);
    if (left)
        return;
    receiver->options.change(receiver->options.ctx, receiver->sink.name, RECEIVER_REFUSES,
                             receiver->given_up, receiver->status.refused);
    receiver->given_up[0] = '\0';
    receiver->tell_at = now + TOLD_US;
}

void receiver_trial_pass(struct receiver *receiver)
{
    struct receiver_trial *trial = &receiver->trial;
    struct tickets *t = &receiver->tickets;
    if (trial->suspect == 0)
        return;
    struct ticket *suspect = tickets_at(t, trial->suspect);
    const bool gone = trial->suspect < t->first;
    const struct ticket *probe = tickets_at(t, trial->probe);
    if (!gone && suspect->state != TICKET_DONE && (!trial->probed || probe->state != TICKET_DONE))
        return;
    t->handed = 0;
    const bool passed = probe->outcome == RECEIVER_DELIVERED || probe->outcome == RECEIVER_SENT;
    if (!gone && passed && trial->vouched && suspect->state == TICKET_WAITING) {
        receiver_trial_note_given_up(receiver, suspect);
        receiver_end(suspect, RECEIVER_GIVEN_UP);
    }
    if (gone || suspect->state == TICKET_DONE) {
        *trial = (struct receiver_trial){.suspect = 0};
        return;
    }
    trial->vouched |= passed;
    trial->probing = !passed;
    trial->probed = false;
    trial->probe++;
}
