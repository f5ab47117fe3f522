// Makes policy's options from the configuration.
#ifndef IBTRAPD_PIPELINE_POLICIES_H
#define IBTRAPD_PIPELINE_POLICIES_H

#include "conf/conf.h"
#include "policy/policy.h"

// Fills both. `out` points to `rules`, of some 16 KB each.
void policies_from_conf(const struct conf *conf, struct policy_options *out,
                        struct policy_rule rules[POLICY_RULES_MAX]);

#endif
