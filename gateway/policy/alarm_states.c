// SPDX-License-Identifier: BSD-2-Clause
#include "policy/alarm_states.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool told_is_raised(enum told told)
{
    return told == TOLD_RAISED || told == TOLD_RAISED_ELSEWHERE || told == TOLD_RAISED_AGAIN;
}

bool told_is_elsewhere(enum told told)
{
    return told == TOLD_RAISED_ELSEWHERE || told == TOLD_END_ELSEWHERE;
}

bool told_is_again(enum told told)
{
    return told == TOLD_RAISED_AGAIN || told == TOLD_END_AGAIN;
}

enum policy_reason told_reason(enum told told)
{
    return told_is_elsewhere(told) ? POLICY_STANDBY : POLICY_PASSES;
}

enum told told_by_event(bool raised, bool ours)
{
    static const enum told AFTER[2][2] = {{TOLD_END_ELSEWHERE, TOLD_NOTHING},
                                          {TOLD_RAISED_ELSEWHERE, TOLD_RAISED}};
    return AFTER[raised][ours];
}

enum told told_at_takeover(enum told told, bool recent)
{
    static const enum told AFTER[][2] = {
        [TOLD_NOTHING] = {TOLD_NOTHING, TOLD_NOTHING},
        [TOLD_RAISED] = {TOLD_RAISED, TOLD_RAISED},
        [TOLD_RAISED_ELSEWHERE] = {TOLD_RAISED, TOLD_RAISED_AGAIN},
        [TOLD_END_ELSEWHERE] = {TOLD_NOTHING, TOLD_END_AGAIN},
        [TOLD_RAISED_AGAIN] = {TOLD_RAISED_AGAIN, TOLD_RAISED_AGAIN},
        [TOLD_END_AGAIN] = {TOLD_END_AGAIN, TOLD_END_AGAIN},
    };
    return AFTER[told][recent];
}

bool alarm_state_is_known(const struct alarm_state *state)
{
    return state->raised == told_is_raised(state->told) && !told_is_again(state->told);
}

TAILQ_HEAD(alarm_state_list, alarm_state);

struct alarm_states {
    size_t count, max;     // all states
    size_t kept, kept_max; // states that keep an event
    struct hash by_key, by_id;
    struct alarm_state_list order;
};

struct alarm_states *alarm_states_new(size_t states_max, size_t kept_max,
                                      const struct random *random)
{
    struct alarm_states *states = memory_zeroed(1, sizeof *states);
    states->max = states_max;
    states->kept_max = kept_max;
    TAILQ_INIT(&states->order);
    hash_init(&states->by_key, POLICY_ALARMS_MAX, random);
    hash_init(&states->by_id, POLICY_ALARMS_MAX, random);
    return states;
}

static void alarm_state_free_alarm_state(void *ctx, struct alarm_state *state)
{
    (void)ctx;
    event_unref(state->last);
    free(state->flap);
    free(state);
}

void alarm_states_free(struct alarm_states *states)
{
    if (!states)
        return;
    alarm_states_each(states, alarm_state_free_alarm_state, NULL);
    hash_clear(&states->by_key);
    hash_clear(&states->by_id);
    free(states);
}

static struct alarm_state *alarm_states_find_digest(const struct alarm_states *states,
                                                    const char *key, uint64_t digest)
{
    struct hash_node *node = hash_find(&states->by_key, digest);
    while (node && strcmp(HASH_THING(node, struct alarm_state, by_key)->key, key) != 0)
        node = hash_find_next(node);
    return HASH_THING(node, struct alarm_state, by_key);
}

struct alarm_state *alarm_states_find(const struct alarm_states *states, const char *key)
{
    return alarm_states_find_digest(states, key, hash_digest_string(&states->by_key, key));
}

struct alarm_state *alarm_states_get(struct alarm_states *states, const char *key, bool restored)
{
    const size_t max = restored ? POLICY_ALARMS_MAX : states->max;
    const uint64_t digest = hash_digest_string(&states->by_key, key);
    struct alarm_state *state = alarm_states_find_digest(states, key, digest);
    if (state || states->count >= max)
        return state;
    const size_t length = strnlen(key, EVENT_KEY_SIZE - 1);
    state = memory_zeroed(1, sizeof *state + length + 1);
    memcpy(state->key, key, length);
    hash_add(&states->by_key, &state->by_key, digest);
    TAILQ_INSERT_TAIL(&states->order, state, in_order);
    states->count++;
    return state;
}

size_t alarm_states_count(const struct alarm_states *states)
{
    return states->count;
}

bool alarm_states_are_full(const struct alarm_states *states)
{
    return states->count >= states->max;
}

void alarm_states_move_last(struct alarm_states *states, struct alarm_state *state)
{
    TAILQ_REMOVE(&states->order, state, in_order);
    TAILQ_INSERT_TAIL(&states->order, state, in_order);
}

static void alarm_state_drop_id(struct alarm_states *states, struct alarm_state *state)
{
    if (state->raised_id[0] == '\0')
        return;
    hash_remove(&states->by_id, &state->by_id);
    state->raised_id[0] = '\0';
}

void alarm_states_forget(struct alarm_states *states, struct alarm_state *state)
{
    states->count--;
    hash_remove(&states->by_key, &state->by_key);
    TAILQ_REMOVE(&states->order, state, in_order);
    alarm_state_drop_id(states, state);
    alarm_states_set_last(states, state, NULL);
    free(state->flap);
    free(state);
}

const struct alarm_state *alarm_states_find_raised(const struct alarm_states *states,
                                                   const char *id)
{
    struct hash_node *node = hash_find(&states->by_id, hash_digest_string(&states->by_id, id));
    while (node && strcmp(HASH_THING(node, struct alarm_state, by_id)->raised_id, id) != 0)
        node = hash_find_next(node);
    const struct alarm_state *state = HASH_THING(node, struct alarm_state, by_id);
    return state && state->raised ? state : NULL;
}

void alarm_states_set_raised_id(struct alarm_states *states, struct alarm_state *state,
                                const char *id)
{
    alarm_state_drop_id(states, state);
    snprintf(state->raised_id, sizeof state->raised_id, "%s", id);
    if (id[0] != '\0')
        hash_add(&states->by_id, &state->by_id,
                 hash_digest_string(&states->by_id, state->raised_id));
}

void alarm_states_set_last(struct alarm_states *states, struct alarm_state *state,
                           struct event *event)
{
    struct event *before = state->last;
    states->kept -= before != NULL;
    state->last = event && states->kept < states->kept_max ? event_ref(event) : NULL;
    states->kept += state->last != NULL;
    event_unref(before);
}

const struct flap *alarm_states_flap(const struct alarm_state *state)
{
    static const struct flap NONE;
    return state->flap ? state->flap : &NONE;
}

void alarm_states_each(struct alarm_states *states,
                       void (*each)(void *ctx, struct alarm_state *state), void *ctx)
{
    for (struct alarm_state *state = TAILQ_FIRST(&states->order), *next; state; state = next) {
        next = TAILQ_NEXT(state, in_order);
        each(ctx, state);
    }
}

struct flap *flap_new(int64_t first_us)
{
    struct flap *flap = memory_zeroed(1, sizeof *flap);
    flap->at[flap->changes++] = flap->last = first_us;
    return flap;
}

static bool alarm_state_is_often(const struct flap *flap, const struct policy_options *options,
                                 int64_t now)
{
    const uint32_t n = options->flap_changes;
    return n > 0 && flap->changes >= n &&
           now - flap->at[(flap->changes - n) % POLICY_FLAP_CHANGES_MAX] <= options->flap_within_us;
}

void flap_note(struct flap *flap, const struct policy_options *options, const struct event *event,
               int64_t now_us)
{
    flap->at[flap->changes++ % POLICY_FLAP_CHANGES_MAX] = now_us;
    flap->last = now_us;
    if (flap->on || !alarm_state_is_often(flap, options, now_us))
        return;
    flap->on = true;
    flap->since_us = event->time_us;
}

int64_t flap_end(const struct flap *flap, const struct policy_options *options)
{
    return options->flap_changes > 0 ? flap->last + options->flap_quiet_us : flap->last;
}
