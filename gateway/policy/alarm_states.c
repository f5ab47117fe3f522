#include "policy/alarm_states.h"

#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 16384 };

struct alarm_states {
    size_t count, kept; // of them, with an event
    struct alarm_state *by_key[BUCKETS], *by_id[BUCKETS];
};

static size_t alarm_states_bucket_of(const char *s)
{
    uint64_t digest = digest_add(DIGEST_OF_NOTHING, s, strlen(s));
    return (size_t)((digest ^ digest >> 32) % BUCKETS);
}

struct alarm_states *alarm_states_new(void)
{
    return calloc(1, sizeof(struct alarm_states));
}

static void free_alarm_state(void *ctx, struct alarm_state *state)
{
    (void)ctx;
    event_unref(state->last);
    free(state);
}

void alarm_states_free(struct alarm_states *states)
{
    if (!states)
        return;
    alarm_states_each(states, free_alarm_state, NULL);
    free(states);
}

struct alarm_state *alarm_states_find(const struct alarm_states *states, const char *key)
{
    struct alarm_state *state = states->by_key[alarm_states_bucket_of(key)];
    while (state && strcmp(state->key, key) != 0)
        state = state->next_of_key;
    return state;
}

struct alarm_state *alarm_states_get(struct alarm_states *states, const char *key)
{
    struct alarm_state *state = alarm_states_find(states, key);
    if (state || states->count == POLICY_ALARMS_MAX)
        return state;
    state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    struct alarm_state **bucket = &states->by_key[alarm_states_bucket_of(key)];
    snprintf(state->key, sizeof state->key, "%s", key);
    state->next_of_key = *bucket;
    *bucket = state;
    states->count++;
    return state;
}

static void drop_id(struct alarm_states *states, struct alarm_state *state)
{
    if (state->raised_id[0] == '\0')
        return;
    struct alarm_state **p = &states->by_id[alarm_states_bucket_of(state->raised_id)];
    while (*p != state)
        p = &(*p)->next_of_id;
    *p = state->next_of_id;
    state->raised_id[0] = '\0';
}

void alarm_states_forget(struct alarm_states *states, struct alarm_state *state)
{
    struct alarm_state **p = &states->by_key[alarm_states_bucket_of(state->key)];
    while (*p != state)
        p = &(*p)->next_of_key;
    *p = state->next_of_key;
    drop_id(states, state);
    alarm_states_set_last(states, state, NULL);
    states->count--;
    free(state);
}

const struct alarm_state *alarm_states_find_raised(const struct alarm_states *states,
                                                   const char *id)
{
    const struct alarm_state *state = states->by_id[alarm_states_bucket_of(id)];
    while (state && strcmp(state->raised_id, id) != 0)
        state = state->next_of_id;
    return state && state->raised ? state : NULL;
}

void alarm_states_set_raised_id(struct alarm_states *states, struct alarm_state *state,
                                const char *id)
{
    drop_id(states, state);
    snprintf(state->raised_id, sizeof state->raised_id, "%s", id);
    if (id[0] == '\0')
        return;
    struct alarm_state **bucket = &states->by_id[alarm_states_bucket_of(id)];
    state->next_of_id = *bucket;
    *bucket = state;
}

bool alarm_states_set_last(struct alarm_states *states, struct alarm_state *state,
                           struct event *event)
{
    if (event && !state->last && states->kept == POLICY_PENDING_MAX)
        return false;
    states->kept += (event != NULL);
    states->kept -= (state->last != NULL);
    struct event *before = state->last;
    state->last = event ? event_ref(event) : NULL;
    event_unref(before);
    return true;
}

void alarm_states_each(struct alarm_states *states,
                       void (*each)(void *ctx, struct alarm_state *state), void *ctx)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        for (struct alarm_state *state = states->by_key[i], *next; state; state = next) {
            next = state->next_of_key;
            each(ctx, state);
        }
    }
}
