// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/counter_alarms.h"

#include "pipeline/statements.h"

#include <stdlib.h>

// Cleared by hand.

// Whether receivers or operators have the alarm: policy may have had no room for an alarm of the
// journal.
static bool counter_alarms_stand(void *ctx, const struct alarm_key *key)
{
    const struct emitter *emitter = ctx;
    char text[EVENT_KEY_SIZE];
    alarm_key_write(text, key);
    return policy_is_raised(emitter->policy, text) ||
           journal_alarm_is_active(emitter->journal, text);
}

void counter_alarms_forget_cleared(struct emitter *emitter, struct counter_watch *watch)
{
    counter_watch_review(watch, counter_alarms_stand, emitter);
}

// Held by no counter.

static bool counter_alarms_is_over(void *ctx, const struct policy_alarm *alarm,
                                   const struct alarm_key *key, struct text *why)
{
    (void)alarm;
    text_add(why, "it is not known any more; further errors raise it again");
    return key && key->about >= ALARM_ABOUT_GROWTH && key->about <= ALARM_ABOUT_WAIT &&
           !counter_watch_has_alarm(ctx, key);
}

void counter_alarms_end_lost(struct emitter *emitter, struct counter_watch *watch)
{
    statements_compare_all(emitter,
                           &(struct detector){.is_over = counter_alarms_is_over, .ctx = watch});
}

void counter_alarms_restore(const struct emitter *emitter, struct counter_watch *watch)
{
    size_t count;
    struct policy_alarm *alarms = policy_list_alarms(emitter->policy, &count);
    for (size_t i = 0; i < count; i++) {
        struct alarm_key key;
        if (alarm_key_parse(alarms[i].key, &key))
            counter_watch_restore(watch, &key);
    }
    free(alarms);
}
