// SPDX-License-Identifier: BSD-2-Clause
// Makes policy's options from the configuration.
#ifndef IBTRAPD_PIPELINE_POLICIES_H
#define IBTRAPD_PIPELINE_POLICIES_H

#include "conf/conf.h"
#include "policy/policy.h"

// Fills `rules`, some 16 KB for each rule, and `out`, which points to them.
void policies_from_conf(const struct conf *conf, struct policy_options *out,
                        struct policy_rule rules[POLICY_RULES_MAX]);

#endif
