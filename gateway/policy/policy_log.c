// SPDX-License-Identifier: BSD-2-Clause
#include "policy/policy_log.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/catalogue.h"

enum { LINE_SIZE = 1024 };

static void policy_log_add_time(struct text *t, int64_t until_us, int64_t now_us)
{
    if (until_us == INT64_MAX)
        text_add(t, "until another event");
    else
        text_addf(t, "for %.3f s", (double)(until_us - now_us) / (double)CLOCK_US_PER_S);
}

// "; its alarm is raised, receivers do not know, it waits for 5.000 s".
static void policy_log_add_state(struct text *t, const struct alarm_state *state, int64_t now_us)
{
    text_addf(t, "; its alarm is %s, receivers %s", state->raised ? "raised" : "cleared",
              state->raised == told_is_raised(state->told) ? "know" : "do not know");
    if (alarm_states_flap(state)->on)
        text_add(t, ", it flaps");
    if (!state->pending)
        return;
    text_add(t, ", it waits ");
    policy_log_add_time(t, state->check_at, now_us);
}

// "event ID node-removed (node 0x...): suppressed, hold-down".
static void policy_log_add_event(struct text *t, const struct event *event)
{
    text_addf(t, "event %s %s", event->id, event->type->name);
    if (event->alarm_key[0] != '\0')
        text_addf(t, " (%s)", event->alarm_key);
    text_addf(t, ": %s%s", event->suppressed[0] ? "suppressed, " : "notified", event->suppressed);
    if (event->rule[0] != '\0')
        text_addf(t, ", rule %s", event->rule);
}

void policy_log_decision(struct log *log, const struct event *event,
                         const struct alarm_state *state, int64_t now_us)
{
    char line[LINE_SIZE];
    if (!log_is_debug(log))
        return;
    struct text t = text_in(line, sizeof line);
    policy_log_add_event(&t, event);
    if (state)
        policy_log_add_state(&t, state, now_us);
    log_debug(log, "%s", line);
}

void policy_log_made(struct log *log, const struct event *event)
{
    char line[LINE_SIZE];
    if (!log_is_debug(log))
        return;
    struct text t = text_in(line, sizeof line);
    policy_log_add_event(&t, event);
    text_add(&t, "; made by policy");
    if (event->related_id[0] != '\0')
        text_addf(&t, " for event %s", event->related_id);
    log_debug(log, "%s", line);
}

void policy_log_wait(struct log *log, const struct alarm_state *state, const char *reason,
                     int64_t until_us, int64_t now_us)
{
    char wait[64];
    if (!log_is_debug(log))
        return;
    struct text t = text_in(wait, sizeof wait);
    policy_log_add_time(&t, until_us, now_us);
    log_debug(log, "timer of %s: still suppressed, %s, %s", state->key, reason, wait);
}
