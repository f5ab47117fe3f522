// SPDX-License-Identifier: BSD-2-Clause
// One step of a scenario. Numbers are taken modulo the available things: every list of actions can
// run.
#pragma once

#include "gateway_under_test.h"
#include "plain_fabric.h"

enum action_kind {
    ACTION_UNPLUG,      // cable a
    ACTION_PLUG,        // cable a
    ACTION_MOVE,        // end b of cable a to node c
    ACTION_SWAP,        // the second ends of cables a and b
    ACTION_DEGRADE,     // cable a
    ACTION_HEAL,        // cable a
    ACTION_POWER_OFF,   // node a
    ACTION_POWER_ON,    // node a
    ACTION_RENAME,      // node a shows the description of the factory, or its name again
    ACTION_SWEEP,       // all gateways sweep now
    ACTION_SWEEP_ONE,   // gateway a sweeps now
    ACTION_PARTIAL,     // all gateways sweep now, and node a does not answer
    ACTION_WAIT,        // a seconds, with the regular sweeps
    ACTION_QUIET,       // until all is told; then check
    ACTION_OPTIONS,     // a decides
    ACTION_MAINTENANCE, // of node a (b = 0: of all, 2: by name), for c seconds; c = 0: ends it
    ACTION_SHELVE,      // one of the true alarms, by a, for c seconds
    ACTION_STOP,        // gateway a, orderly
    ACTION_CRASH,       // gateway a
    ACTION_START,       // gateway a
    ACTION_ROLES,       // a: 0, 1: that gateway is active; 2: none; 3: none, as no SM is known
    ACTION_KINDS,
};

struct action {
    enum action_kind kind;
    unsigned a, b, c;
};

// The configuration of that number, of ACTION_OPTIONS_COUNT; 0: the defaults.
// With ACTION_OPTIONS_PROMPT and any of the further bits, nothing is held back.
enum {
    ACTION_OPTIONS_COUNT = 1 << 12,
    ACTION_OPTIONS_PROMPT = 1 << 1 | 1 << 3,
    ACTION_OPTIONS_PROMPT_BITS = 1 | 3 << 5,
};
struct gateway_options action_options(unsigned number);

void action_print(const struct action *action, const struct plain_fabric *fabric, FILE *out);
