// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sm_watch.h"

enum { MUTE_SILENCES = 3 };

void sm_watch_init(struct sm_watch *w, int64_t now)
{
    *w = (struct sm_watch){.round_at = now};
}

void sm_watch_ask_now(struct sm_watch *w, int64_t now)
{
    for (int i = 0; i < SM_WATCH_KINDS; i++)
        w->queries[i].answer_by = 0;
    w->round_ends = 0;
    w->round_at = now;
}

bool sm_watch_is_busy(const struct sm_watch *w)
{
    bool busy = w->round_ends != 0 && w->answered_at < w->began_at;
    for (int i = 0; i < SM_WATCH_KINDS; i++)
        busy |= w->queries[i].answer_by != 0;
    return busy;
}

bool sm_watch_is_due(const struct sm_watch *w, int64_t now)
{
    return w->round_at <= now && !sm_watch_is_busy(w);
}

void sm_watch_begin(struct sm_watch *w, int64_t now, int64_t timeout_us, int64_t interval_us)
{
    w->began_at = now;
    w->round_ends = now + timeout_us;
    w->round_at = now + interval_us;
}

// Whether the SA's own queries are in doubt: one of them got no answer.
static bool sm_watch_doubts(const struct sm_watch *w, bool mute_only)
{
    for (int i = SM_WATCH_NODE; i <= SM_WATCH_LIST; i++) {
        if (w->queries[i].mute || (!mute_only && w->queries[i].silences > 0))
            return true;
    }
    return false;
}

void sm_watch_forgive(struct sm_watch *w, int64_t now)
{
    if (!sm_watch_is_busy(w) && !sm_watch_doubts(w, false))
        return;
    for (int i = 0; i < SM_WATCH_KINDS; i++) {
        w->queries[i].mute = false;
        w->queries[i].silences = 0;
    }
    sm_watch_ask_now(w, now);
}

// SMInfo is needed only for what the SA's own queries do not bring.
static bool sm_watch_needs(const struct sm_watch *w, enum sm_watch_kind kind)
{
    return kind != SM_WATCH_INFO || w->identify || w->queries[SM_WATCH_NODE].refused ||
           sm_watch_doubts(w, true);
}

bool sm_watch_wants(const struct sm_watch *w, enum sm_watch_kind kind)
{
    const struct sm_watch_query *q = &w->queries[kind];
    return sm_watch_needs(w, kind) && (!q->mute || q->retry_at <= w->began_at);
}

bool sm_watch_may_identify(const struct sm_watch *w, bool smps)
{
    const struct sm_watch_query *node = &w->queries[SM_WATCH_NODE];
    const struct sm_watch_query *info = &w->queries[SM_WATCH_INFO];
    return !(node->mute || node->refused) || (smps && !(info->mute || info->refused));
}

bool sm_watch_wants_probe(const struct sm_watch *w)
{
    return w->silences > 0 || sm_watch_doubts(w, false);
}

void sm_watch_asked(struct sm_watch *w, enum sm_watch_kind kind, uint32_t tid, int64_t retry_us)
{
    struct sm_watch_query *q = &w->queries[kind];
    q->tid = tid;
    q->asked_at = w->began_at;
    q->answer_by = w->round_ends;
    q->retry_at = w->began_at + retry_us;
}

bool sm_watch_answers(struct sm_watch *w, enum sm_watch_kind kind, uint32_t tid)
{
    struct sm_watch_query *q = &w->queries[kind];
    if (q->answer_by == 0 || q->tid != tid)
        return false;
    q->answer_by = 0;
    q->silences = 0;
    q->mute = q->refused = false;
    return true;
}

void sm_watch_refused(struct sm_watch *w, enum sm_watch_kind kind)
{
    w->queries[kind].refused = true;
}

void sm_watch_heard(struct sm_watch *w, int64_t now)
{
    w->answered_at = now;
    w->silences = 0;
}

bool sm_watch_expire(struct sm_watch *w, int64_t now)
{
    if (w->round_ends == 0 || w->round_ends > now)
        return false;
    const bool silent = w->answered_at < w->began_at;
    for (int i = 0; i < SM_WATCH_KINDS; i++) {
        struct sm_watch_query *q = &w->queries[i];
        const bool unanswered = q->answer_by != 0;
        q->answer_by = 0;
        if (!unanswered || silent || q->mute)
            continue;
        q->mute = ++q->silences >= MUTE_SILENCES;
    }
    w->round_ends = 0;
    w->silences += silent;
    return silent;
}

void sm_watch_add_mute(const struct sm_watch *w, struct text *t)
{
    static const char *const NAMES[SM_WATCH_KINDS] = {
        [SM_WATCH_NODE] = "NodeRecord",
        [SM_WATCH_LIST] = "InformInfoRecord",
        [SM_WATCH_INFO] = "SMInfo",
    };
    for (int i = 0; i < SM_WATCH_KINDS; i++) {
        if (w->queries[i].mute && sm_watch_needs(w, (enum sm_watch_kind)i))
            text_addf(t, "%s%s", t->len > 0 ? ", " : "", NAMES[i]);
    }
}
