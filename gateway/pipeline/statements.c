// SPDX-License-Identifier: BSD-2-Clause
#include "pipeline/statements.h"

#include "base/text.h"

#include <stdlib.h>

void statements_compare(struct emitter *emitter, const struct detector *detector,
                        struct policy_alarm *alarm)
{
    char buf[EVENT_REASON_SIZE];
    struct text why = text_in(buf, sizeof buf);
    struct alarm_key key;
    const bool has_key = alarm_key_parse(alarm->key, &key);
    if (alarm->ended || !detector->is_over(detector->ctx, alarm, has_key ? &key : NULL, &why))
        return;
    struct event *end = detector->make_end ? detector->make_end(detector->ctx, alarm) : NULL;
    alarm->ended = true;
    if (end)
        emitter_emit(emitter, end);
    else
        emitter_end_alarm(emitter, alarm->key, alarm->type, buf);
}

void statements_compare_all(struct emitter *emitter, const struct detector *detector)
{
    size_t count;
    struct policy_alarm *alarms = policy_list_alarms(emitter->policy, &count);
    for (size_t i = 0; i < count; i++)
        statements_compare(emitter, detector, &alarms[i]);
    free(alarms);
}

bool statements_may_raise(const struct emitter *emitter, const char *key)
{
    return !policy_is_raised(emitter->policy, key) && policy_has_room(emitter->policy);
}
