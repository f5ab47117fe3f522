#include "daemon/alarm_shelve.h"

struct shelving {
    struct journal *journal;
    const char *key;
    int64_t until_us;
    bool done;
};

static void shelve(void *ctx, const struct pipeline_inside *inside)
{
    struct shelving *s = ctx;
    int64_t ahead = s->until_us - clock_utc(inside->maker->clock);
    s->done = journal_shelve_alarm(s->journal, s->key, s->until_us);
    if (s->done)
        policy_shelve(inside->policy, s->key, ahead > 0 ? inside->now_us + ahead : 0,
                      inside->now_us);
}

bool alarm_shelve(struct pipeline *pipeline, struct journal *journal, const char *key,
                  int64_t until_us, bool *found)
{
    struct shelving s = {journal, key, until_us, false};
    bool ran = pipeline_call(pipeline, shelve, &s);
    *found = s.done;
    return ran;
}
