// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/counter_alarms.h"

#include "pipeline/statements.h"

#include <stdlib.h>
#include <string.h>

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

static bool counter_alarms_read_key(const char *text, struct alarm_key *out)
{
    return alarm_key_parse(text, out) && out->about >= ALARM_ABOUT_GROWTH &&
           out->about <= ALARM_ABOUT_WAIT;
}

static enum statement counter_alarms_say(void *ctx, const struct policy_alarm *alarm,
                                         struct text *why)
{
    struct alarm_key key;
    if (!counter_alarms_read_key(alarm->key, &key))
        return STATEMENT_OF_OTHERS;
    text_add(why, "it is not known any more; further errors raise it again");
    return counter_watch_has_alarm(ctx, &key) ? STATEMENT_HOLDS : STATEMENT_IS_OVER;
}

void counter_alarms_end_lost(struct emitter *emitter, struct counter_watch *watch)
{
    statements_compare_all(emitter, &(struct detector){.say = counter_alarms_say, .ctx = watch});
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

bool held_errors_hold(struct held_errors *held, const struct counter_statement *change,
                      int64_t now_us)
{
    if (!change->raised || !error_details_exist(change->key.counter) ||
        held->count == ERROR_DETAILS_MAX || held->wanted.count == ERROR_DETAILS_MAX)
        return false;
    held->all[held->count++] = (struct held_error){*change, now_us};
    held->wanted.all[held->wanted.count++] = (struct error_details){
        .node_guid = change->key.guid, .port = change->key.port, .counter = change->key.counter};
    return true;
}

// Removes the alarm before it is told, as telling may lead back here.
static void tell_held(struct held_errors *held, size_t at, const struct error_details *details,
                      held_errors_tell *tell, void *ctx)
{
    const struct counter_statement change = held->all[at].is;
    memmove(&held->all[at], &held->all[at + 1], (--held->count - at) * sizeof held->all[0]);
    tell(ctx, &change, details);
}

// Whether both are about one link, whichever of its ends is the first.
static bool is_of_link(const struct alarm_key *a, const struct alarm_key *b)
{
    const bool same = a->guid == b->guid && a->port == b->port && a->peer_guid == b->peer_guid &&
                      a->peer_port == b->peer_port;
    const bool turned = a->guid == b->peer_guid && a->port == b->peer_port &&
                        a->peer_guid == b->guid && a->peer_port == b->port;
    return a->counter == b->counter && (same || turned);
}

void held_errors_release(struct held_errors *held, const struct counter_statement *change,
                         held_errors_tell *tell, void *ctx)
{
    for (size_t i = held->count; i-- > 0;) {
        if (is_of_link(&held->all[i].is.key, &change->key))
            tell_held(held, i, NULL, tell, ctx);
    }
}

void held_errors_explain(struct held_errors *held, const struct error_details_list *list,
                         held_errors_tell *tell, void *ctx)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct error_details *details = &list->all[i];
        for (size_t k = held->count; k-- > 0;) {
            const struct counter_statement *one = &held->all[k].is;
            if (one->key.guid == details->node_guid && one->key.port == details->port &&
                one->key.counter == details->counter)
                tell_held(held, k, details, tell, ctx);
        }
    }
}

void held_errors_expire(struct held_errors *held, int64_t until_us, held_errors_tell *tell,
                        void *ctx)
{
    for (size_t i = 0; i < held->count;) {
        if (held->all[i].since_us <= until_us)
            tell_held(held, i, NULL, tell, ctx);
        else
            i++;
    }
}
