// SPDX-License-Identifier: BSD-2-Clause
#include "fake_sink.h"

#include "support.h"

#include <sched.h>
#include <time.h>

enum { PATIENCE_S = 300 };

unsigned long fake_receiver_number(const struct event *event)
{
    return strtoul(event->id, NULL, 10);
}

static bool fake_open(void *self, struct tickets *tickets, struct error *err)
{
    struct fake_sink *fake = self;
    fake->tickets = tickets;
    if (fake->overtakes)
        tickets->order_key = tickets_alarm_key;
    pthread_mutex_lock(&fake->lock);
    assert_false(fake->is_open);
    if (fake->opens < FAKE_RECEIVER_OPENS)
        fake->opened_at[fake->opens] = atomic_load(&fake->time.monotonic);
    fake->opens++;
    bool ok = fake->refuse_open == 0;
    if (!ok) {
        fake->refuse_open--;
        error_set(err, "nobody is there");
    }
    fake->is_open = ok;
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
    return ok;
}

static void have(struct fake_sink *fake, unsigned long number)
{
    assert_true(fake->had_count < FAKE_RECEIVER_KEPT);
    fake->had[fake->had_count++] = number;
}

static bool refuses(struct fake_sink *fake)
{
    if (fake->refuse_send == 0)
        return false;
    if (fake->send_before_fail > 0) {
        fake->send_before_fail--;
        return false;
    }
    fake->refuse_send--;
    return true;
}

static bool took(const struct fake_sink *fake, const char *id)
{
    const unsigned long number = strtoul(id, NULL, 10);
    size_t n = fake->count;
    while (n > 0 && fake->taken[n - 1] != number)
        n--;
    return n > 0;
}

static enum sink_result take(struct fake_sink *fake, const struct event *event)
{
    unsigned long number = fake_receiver_number(event);
    assert_true(fake->count < FAKE_RECEIVER_KEPT);
    fake->taken_at[fake->count] = atomic_load(&fake->time.monotonic);
    fake->taken[fake->count++] = number;
    fake->marked += event->sent_again;
    fake->referring += event->clears_id[0] != '\0';
    fake->dangling += event->clears_id[0] != '\0' && !took(fake, event->clears_id);
    if (fake->window == 0 || (fake->done_every > 0 && fake->count % fake->done_every == 0)) {
        have(fake, number);
        return SINK_DONE;
    }
    fake->answered[fake->pending_count] = false;
    fake->ticket[fake->pending_count] = fake->tickets->newest;
    fake->pending[fake->pending_count++] = number;
    if (fake->tickets->in_flight > fake->pending_most)
        fake->pending_most = fake->tickets->in_flight;
    return SINK_PENDING;
}

static bool is_refused(const struct fake_sink *fake, unsigned long number)
{
    return number >= fake->refuse_from && number <= fake->refuse_through;
}

static bool refuses_at_once(struct fake_sink *fake, const struct event *event)
{
    if (!fake->refuses_in_send || !is_refused(fake, fake_receiver_number(event)))
        return false;
    tickets_settle(fake->tickets, fake->tickets->newest, TICKET_REFUSED);
    return true;
}

static enum sink_result fake_send(void *self, const struct event *event, struct error *err)
{
    struct fake_sink *fake = self;
    enum sink_result result = SINK_FAILED;
    pthread_mutex_lock(&fake->lock);
    assert_true(fake->is_open);
    while (fake->hold) {
        fake->holding = true;
        pthread_cond_broadcast(&fake->changed);
        pthread_cond_wait(&fake->changed, &fake->lock);
    }
    if (fake->one_at_a_time && fake->pending_count > 0)
        result = SINK_BLOCKED;
    else if (refuses(fake))
        error_set(err, "it hung up");
    else if (refuses_at_once(fake, event))
        error_set(err, "it answers genErr");
    else
        result = take(fake, event);
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
    return result;
}

// Finds the first refused event, unless an older one is not answered yet.
static bool finds_refused(struct fake_sink *fake)
{
    size_t i = 0;
    while (i < fake->pending_count && !is_refused(fake, fake->pending[i]))
        i++;
    if (i == fake->pending_count || fake->answers != FAKE_RECEIVER_ALL)
        return false;
    for (size_t k = 0; k < fake->pending_count && fake->doubts; k++)
        tickets_settle(fake->tickets, fake->ticket[k], TICKET_DOUBTED);
    tickets_settle(fake->tickets, fake->ticket[i], TICKET_REFUSED);
    return true;
}

// Marks the pending events that the receiver confirms now, in the order of its mode.
static void answer_some(struct fake_sink *fake)
{
    size_t i = fake->pending_count;
    while (fake->answers != FAKE_RECEIVER_NONE && i-- > 0) {
        bool was = fake->answered[i];
        fake->answered[i] = true;
        tickets_settle(fake->tickets, fake->ticket[i], TICKET_DONE);
        if (fake->answers == FAKE_RECEIVER_REVERSED && !was)
            return;
    }
}

static int retire(struct fake_sink *fake)
{
    size_t n = 0;
    while (n < fake->pending_count && fake->answered[n])
        have(fake, fake->pending[n++]);
    fake->pending_count -= n;
    memmove(fake->pending, fake->pending + n, fake->pending_count * sizeof *fake->pending);
    memmove(fake->answered, fake->answered + n, fake->pending_count * sizeof *fake->answered);
    memmove(fake->ticket, fake->ticket + n, fake->pending_count * sizeof *fake->ticket);
    return (int)n;
}

static bool fake_wait(void *self, int timeout_ms, struct error *err)
{
    struct fake_sink *fake = self;
    int n = -1;
    pthread_mutex_lock(&fake->lock);
    assert_true(fake->is_open);
    if (timeout_ms > 0 && !fake->waited) {
        fake->waited = true;
        fake->taken_before_waiting = fake->count;
    }
    if (fake->answers_at != 0 && clock_monotonic(&fake->clock) >= fake->answers_at)
        fake->answers = FAKE_RECEIVER_ALL;
    if (fake->fail_wait > 0) {
        fake->fail_wait--;
        error_set(err, "no answer came");
    } else if (finds_refused(fake)) {
        error_set(err, "it answers genErr");
    } else {
        answer_some(fake);
        n = retire(fake);
    }
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
    if (n == 0) {
        atomic_fetch_add(&fake->time.monotonic, timeout_ms * CLOCK_US_PER_MS);
        sched_yield();
    }
    return n >= 0;
}

static void fake_close(void *self)
{
    struct fake_sink *fake = self;
    pthread_mutex_lock(&fake->lock);
    assert_true(fake->is_open);
    fake->closes++;
    fake->is_open = false;
    for (size_t i = 0; i < fake->pending_count; i++) {
        if (fake->answered[i])
            have(fake, fake->pending[i]);
    }
    fake->pending_count = 0;
    pthread_mutex_unlock(&fake->lock);
}

static void fake_free(void *self)
{
    struct fake_sink *fake = self;
    fake->frees++;
}

void fake_receiver_init(struct fake_sink *fake)
{
    memset(fake, 0, sizeof *fake);
    pthread_mutex_init(&fake->lock, NULL);
    pthread_cond_init(&fake->changed, NULL);
    fake->time = (struct support_time){SUPPORT_UTC_US, 1000 * CLOCK_US_PER_S};
    fake->clock = support_clock(&fake->time);
}

void fake_receiver_release(struct fake_sink *fake)
{
    pthread_cond_destroy(&fake->changed);
    pthread_mutex_destroy(&fake->lock);
}

static void fake_idle(void *self)
{
    struct fake_sink *fake = self;
    pthread_mutex_lock(&fake->lock);
    assert_true(fake->is_open);
    assert_int_equal(fake->pending_count, 0);
    pthread_mutex_unlock(&fake->lock);
    atomic_fetch_add(&fake->idles, 1);
}

static bool fake_keep(void *self, struct sink_progress *progress, struct error *err)
{
    struct fake_sink *fake = self;
    pthread_mutex_lock(&fake->lock);
    assert_true(fake->is_open);
    pthread_mutex_unlock(&fake->lock);
    atomic_fetch_add(&fake->keeps, 1);
    progress->is_busy = atomic_load(&fake->busy);
    progress->failed = atomic_exchange(&fake->attempts_failed, 0);
    return !atomic_load(&fake->behind) || error_set(err, "it hears half of it");
}

struct sink fake_receiver_as_receiver(struct fake_sink *fake)
{
    return (struct sink){.open = fake_open,
                         .send = fake_send,
                         .wait = fake->window > 0 ? fake_wait : NULL,
                         .idle = fake_idle,
                         .keep = fake->keeps_state ? fake_keep : NULL,
                         .close = fake_close,
                         .free = fake_free,
                         .self = fake,
                         .in_flight_max = fake->window,
                         .name = "siem",
                         .kind = "fake",
                         .address = "memory"};
}

// Call it with the lock. False: the minute is over.
static bool wait_for_change(struct fake_sink *fake, const struct timespec *until)
{
    return pthread_cond_timedwait(&fake->changed, &fake->lock, until) == 0;
}

static struct timespec lock_until(struct fake_sink *fake)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&fake->lock);
    return ts;
}

static void unlock(struct fake_sink *fake, bool ok)
{
    pthread_mutex_unlock(&fake->lock);
    assert_true(ok);
}

void fake_receiver_wait_taken(struct fake_sink *fake, size_t count)
{
    const struct timespec until = lock_until(fake);
    bool ok = true;
    while (fake->count < count && ok)
        ok = wait_for_change(fake, &until);
    unlock(fake, ok);
}

void fake_receiver_wait_had(struct fake_sink *fake, size_t count)
{
    const struct timespec until = lock_until(fake);
    bool ok = true;
    while (fake->had_count < count && ok)
        ok = wait_for_change(fake, &until);
    unlock(fake, ok);
}

void fake_receiver_wait_opens(struct fake_sink *fake, unsigned count)
{
    const struct timespec until = lock_until(fake);
    bool ok = true;
    while (fake->opens < count && ok)
        ok = wait_for_change(fake, &until);
    unlock(fake, ok);
}

void fake_receiver_wait_holding(struct fake_sink *fake)
{
    const struct timespec until = lock_until(fake);
    bool ok = true;
    while (!fake->holding && ok)
        ok = wait_for_change(fake, &until);
    unlock(fake, ok);
}

void fake_receiver_let_go(struct fake_sink *fake)
{
    pthread_mutex_lock(&fake->lock);
    fake->hold = fake->holding = false;
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
}

void fake_receiver_answer(struct fake_sink *fake, enum fake_receiver_answers answers)
{
    pthread_mutex_lock(&fake->lock);
    fake->answers = answers;
    pthread_mutex_unlock(&fake->lock);
}
