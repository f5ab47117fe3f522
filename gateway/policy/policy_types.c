// SPDX-License-Identifier: BSD-2-Clause
#include "policy/policy_types.h"

const char *policy_reason_word(enum policy_reason reason)
{
    static const char *const WORDS[POLICY_REASON_COUNT] = {
        [POLICY_PASSES] = "",
        [POLICY_DISABLED] = "disabled",
        [POLICY_MAINTENANCE] = "maintenance",
        [POLICY_SHELVED] = "shelved",
        [POLICY_CONSEQUENCE] = "consequence",
        [POLICY_DUPLICATE] = "duplicate",
        [POLICY_NEVER_NOTIFIED] = EVENT_NEVER_NOTIFIED,
        [POLICY_FLAPPING] = "flapping",
        [POLICY_HOLD_DOWN] = "hold-down",
        [POLICY_STORM] = "storm",
        [POLICY_STANDBY] = EVENT_STANDBY,
    };
    return WORDS[reason];
}
