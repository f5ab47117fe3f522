// SPDX-License-Identifier: BSD-2-Clause
// One run: a fabric, one or two gateways, a list of actions, and the checks of what alarms promise.
//
// After each complete sweep of a gateway, its list of alarms is the truth of this sweep or of the
// one before. After each quiet period, the list is the truth, and each receiver believes the truth,
// less the alarms whose root cause it was told of.
//
// A thing that only some gateways saw, or a gateway saw in a sweep that may be dropped, may count
// or not.
#pragma once

#include "action.h"

enum { SCENARIO_ACTIONS_MAX = 400, SCENARIO_CLASS_SIZE = 96, SCENARIO_TEXT_SIZE = 1024 };

struct scenario {
    uint64_t seed; // of the fabric
    bool two_gateways;
    struct action actions[SCENARIO_ACTIONS_MAX];
    unsigned count;
    const char *only; // only failures of classes with this in their name count; NULL: all
};

struct scenario_result {
    bool failed;
    char class[SCENARIO_CLASS_SIZE]; // such as "list: extra link"
    char text[SCENARIO_TEXT_SIZE];   // what differs
    unsigned action;                 // after which it failed
};

// What may happen in a random scenario; zero: only changes of the fabric, sweeps and time.
struct scenario_mix {
    bool policy, restarts, partial_sweeps;
    bool prompt; // nothing is held back
};

void scenario_make(struct scenario *scenario, uint64_t seed, bool two_gateways,
                   const struct scenario_mix *mix);

// Runs the scenario in the directory, and writes its steps to `trace` unless `trace` is NULL.
void scenario_run(const struct scenario *scenario, const char *directory, FILE *trace,
                  struct scenario_result *result);
