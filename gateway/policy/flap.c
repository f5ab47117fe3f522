// SPDX-License-Identifier: BSD-2-Clause
#include "policy/flap.h"

#include "base/memory.h"

struct flap *flap_new(int64_t first_us)
{
    struct flap *flap = memory_zeroed(1, sizeof *flap);
    flap->at[flap->changes++] = flap->last = first_us;
    return flap;
}

static bool is_often(const struct flap *flap, const struct policy_options *options, int64_t now)
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
    if (flap->on || !is_often(flap, options, now_us))
        return;
    flap->on = true;
    flap->since_us = event->time_us;
}

int64_t flap_end(const struct flap *flap, const struct policy_options *options)
{
    return options->flap_changes > 0 ? flap->last + options->flap_quiet_us : flap->last;
}
