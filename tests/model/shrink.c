// SPDX-License-Identifier: BSD-2-Clause
#include "shrink.h"

#include <string.h>

struct shrinking {
    struct scenario *best;
    const char *directory, *class;
    unsigned runs;
};

// Keeps the candidate if it fails in the same way.
static bool try_candidate(struct shrinking *s, const struct scenario *candidate)
{
    struct scenario_result result;
    if (s->runs++ >= SHRINK_RUNS_MAX)
        return false;
    scenario_run(candidate, s->directory, NULL, &result);
    if (!result.failed || strcmp(result.class, s->class) != 0)
        return false;
    *s->best = *candidate;
    s->best->count = result.action + 1;
    return true;
}

static bool drop_chunks(struct shrinking *s, unsigned size)
{
    static struct scenario candidate;
    bool dropped = false;
    for (unsigned at = 0; at < s->best->count;) {
        const unsigned n = at + size < s->best->count ? size : s->best->count - at;
        candidate = *s->best;
        candidate.count -= n;
        memmove(&candidate.actions[at], &candidate.actions[at + n],
                (candidate.count - at) * sizeof *candidate.actions);
        if (try_candidate(s, &candidate))
            dropped = true;
        else
            at += n;
    }
    return dropped;
}

static bool simplify(struct shrinking *s)
{
    static const unsigned WAITS[] = {1, 10, 61};
    static struct scenario candidate;
    bool simplified = false;
    for (unsigned i = 0; i < s->best->count; i++) {
        const struct action *action = &s->best->actions[i];
        for (size_t k = 0; k < sizeof WAITS / sizeof *WAITS && action->kind == ACTION_WAIT; k++) {
            if (WAITS[k] >= action->a)
                break;
            candidate = *s->best;
            candidate.actions[i].a = WAITS[k];
            if (try_candidate(s, &candidate)) {
                simplified = true;
                break;
            }
        }
        for (unsigned bit = 0; bit < 12 && i < s->best->count && action->kind == ACTION_OPTIONS;
             bit++) {
            candidate = *s->best;
            candidate.actions[i].a &= ~(1u << bit);
            if (candidate.actions[i].a != action->a && try_candidate(s, &candidate))
                simplified = true;
        }
    }
    return simplified;
}

void shrink(struct scenario *scenario, const char *directory, const char *class)
{
    struct shrinking s = {scenario, directory, class, 0};
    for (bool more = true; more && s.runs < SHRINK_RUNS_MAX;) {
        more = false;
        for (unsigned size = scenario->count / 2; size > 0; size /= 2)
            more |= drop_chunks(&s, size);
        more |= simplify(&s);
    }
}
