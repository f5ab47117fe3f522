#include "fake_answers.h"

#include "support.h"

#include "base/wire.h"

static int64_t read_utc(void *ctx)
{
    (void)ctx;
    return SUPPORT_UTC_US;
}

static int64_t read_monotonic(void *ctx)
{
    return ((struct fake_answers *)ctx)->now;
}

static void fill_random(void *ctx, void *out, size_t size)
{
    (void)ctx;
    memset(out, 0x5A, size);
}

void fake_answers_init(struct fake_answers *f,
                       bool (*answer)(enum mad_agent agent, const struct mad_address *to,
                                      const uint8_t *request, struct fake_answer *answer))
{
    memset(f, 0, sizeof *f);
    f->answer = answer;
    f->now = 1000 * CLOCK_US_PER_S;
    f->clock = (struct clock){read_utc, read_monotonic, f};
    f->random = (struct random){fill_random, f};
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    (void)err;
    struct fake_answers *f = self;
    assert_true(f->queued < FAKE_ANSWERS_QUEUE);
    struct fake_answer *answer = &f->queue[(f->head + f->queued) % FAKE_ANSWERS_QUEUE];
    memset(answer, 0, sizeof *answer);
    memcpy(answer->octets, octets, 24);
    answer->octets[3] |= 0x80;
    answer->size = MAD_SIZE;
    f->sent++;
    f->response_timeout_ms = response_timeout_ms;
    if (f->answer(agent, to, octets, answer))
        f->queued++;
    return true;
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    (void)err;
    struct fake_answers *f = self;
    if (f->queued == 0) {
        f->now += timeout_ms * CLOCK_US_PER_MS;
        return 0;
    }
    f->current = f->queue[f->head];
    f->head = (f->head + 1) % FAKE_ANSWERS_QUEUE;
    f->queued--;
    *out = (struct mad_received){.octets = f->current.octets, .size = f->current.size};
    return 1;
}

static void port_close(void *self)
{
    (void)self;
}

struct sweep fake_answers_sweep(struct fake_answers *f)
{
    return (struct sweep){
        .batch = {.io = {port_receive, NULL, port_send, port_close, f},
                  .in_flight = 8,
                  .attempts = 3,
                  .timeout_us = 100 * CLOCK_US_PER_MS,
                  .clock = &f->clock},
        .random = &f->random,
        .port = {.lid = 7, .sm_lid = 1, .sm_sl = 3, .state = FABRIC_ACTIVE},
        .complete = true,
    };
}
