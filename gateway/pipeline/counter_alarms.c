// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/counter_alarms.h"

#include "pipeline/statements.h"

// Cleared by hand.

// Whether receivers or operators have the alarm: where room was short, one of both may not know.
static bool is_standing(const struct counter_alarms *of, const char *key)
{
    return policy_is_raised(of->emitter->policy, key) ||
           journal_alarm_is_active(of->emitter->journal, key);
}

static bool counter_alarms_stand(void *ctx, const struct alarm_key *key)
{
    char text[EVENT_KEY_SIZE];
    alarm_key_write(text, key);
    return is_standing(ctx, text);
}

void counter_alarms_forget_cleared(const struct counter_alarms *of)
{
    struct counter_alarms ctx = *of;
    counter_watch_review(of->watch, counter_alarms_stand, &ctx);
}

// Held by no counter.

static bool counter_alarms_read_key(const char *text, struct alarm_key *out)
{
    return alarm_key_parse(text, out) && out->about >= ALARM_ABOUT_GROWTH &&
           out->about <= ALARM_ABOUT_WAIT;
}

static enum statement say_lost(void *ctx, const struct policy_alarm *alarm, struct text *why)
{
    const struct counter_alarms *of = ctx;
    struct alarm_key key;
    if (!counter_alarms_read_key(alarm->key, &key))
        return STATEMENT_OF_OTHERS;
    text_add(why, "it is not known any more; further errors raise it again");
    return counter_watch_has_alarm(of->watch, &key) ? STATEMENT_HOLDS : STATEMENT_IS_OVER;
}

static enum statement say_over(void *ctx, const struct policy_alarm *alarm, struct text *why)
{
    struct alarm_key key;
    (void)ctx;
    text_add(why, "the port counters are not read any more");
    return counter_alarms_read_key(alarm->key, &key) ? STATEMENT_IS_OVER : STATEMENT_OF_OTHERS;
}

void counter_alarms_end_lost(const struct counter_alarms *of)
{
    struct counter_alarms ctx = *of;
    statements_compare_all(of->emitter, &(struct detector){.say = say_lost, .ctx = &ctx});
}

void counter_alarms_end_all(const struct counter_alarms *of)
{
    struct counter_alarms ctx = *of;
    statements_compare_all(of->emitter, &(struct detector){.say = say_over, .ctx = &ctx});
}
