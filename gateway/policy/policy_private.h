// SPDX-License-Identifier: BSD-2-Clause
// What the files of policy/ share. No other folder includes it.
#pragma once

#include "policy/alarm_states.h"
#include "policy/duplicates.h"
#include "policy/policy_types.h"
#include "policy/rules.h"
#include "policy/storms.h"

struct policy {
    struct policy_options options; // its rules are in `rules`
    struct policy_sink sink;
    struct rules *rules;
    struct alarm_states *states;
    struct timers timers; // of the alarm states
    struct duplicates *duplicates;
    struct storms *storms;
    struct maintenance maintenance;
    bool active;            // this gateway notifies receivers; false: it stands by
    int64_t handover_until; // the other gateway may have notified receivers of anything
    int64_t now;            // the time that the current call was given
    int64_t second_began;   // late events are limited to a rate
    uint32_t in_second;
    int64_t blocked_until;
    unsigned effort; // left to the present round of policy_next
    bool in_round;   // the last call of policy_next returned an event
    // Events for the journal, which policy_next has yet to return.
    struct event **listed;
    size_t list_first, list_count, list_room;
    struct event *handed; // the event that policy_next returned last
    bool left_out;        // there was no room for an alarm that the journal has
    struct policy_counters counters;
};
