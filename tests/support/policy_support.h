// SPDX-License-Identifier: BSD-2-Clause
// A policy in virtual time, and a record of the events that receivers get.
#pragma once

#include "support.h"

#include "event/event_builder.h"
#include "policy/policy.h"

#define S CLOCK_US_PER_S

// An event that policy passed to the journal.
struct heard {
    const struct catalogue_entry *type;
    char id[EVENT_ID_SIZE], clears_id[EVENT_ID_SIZE], related_id[EVENT_ID_SIZE];
    char key[EVENT_KEY_SIZE], held[EVENT_SUPPRESSED_SIZE], rule[EVENT_RULE_SIZE];
    char reason[EVENT_REASON_SIZE];
    enum severity severity;
    enum category category;
    const struct catalogue_entry *summarised;
    uint64_t repeat_count;
    int64_t number, cause_number; // in the journal
    bool apart;
    int64_t at; // virtual time
    bool made;  // by policy
};

enum { STAGE_RECENT = 64 };

struct stage {
    struct policy_options options;
    struct policy *policy;
    struct support_time time;
    struct clock clock;
    struct support_chance chance;
    struct random random;
    struct event_builder builder;
    unsigned ids;
    struct heard *all;
    size_t count, room;
    struct event *(*read)(void *ctx, int64_t number); // reads events back; NULL: recent ones
    struct event *recent[STAGE_RECENT];               // by number
    int64_t numbers;
    unsigned explained;         // how often policy told the reason of a raised alarm
    enum policy_reason because; // the last of these reasons
};

// Starts the policy at 0 s with the options in `stage`, which the caller may have changed.
void stage_open(struct stage *stage);
void stage_reads(struct stage *stage, struct event *(*read)(void *ctx, int64_t number));
void stage_close(struct stage *stage);

// A new event with its own identifier, about that node. stage_give releases it.
struct event *stage_event(struct stage *stage, enum catalogue_event type, const char *node);

// The same for the link or node alarm with that key.
struct event *stage_alarm(struct stage *stage, enum catalogue_event type, const char *key);

// Gives the event to the policy now. Returns the record of it.
const struct heard *stage_give(struct stage *stage, struct event *event);

// Takes what policy returns now.
void stage_drain(struct stage *stage);

// Advances the time; takes what policy returns whenever work is due.
void stage_wait(struct stage *stage, int64_t us);

// The latest event that receivers got; NULL: none.
const struct heard *stage_last_passed(const struct stage *stage);

// How many events of that type receivers got, were suppressed for that reason, or both together.
// CATALOGUE_COUNT: any type.
size_t stage_passed(const struct stage *stage, enum catalogue_event type);
size_t stage_held(const struct stage *stage, enum catalogue_event type, const char *reason);

// How many are for receivers that do not hear of a root cause.
size_t stage_apart(const struct stage *stage, enum catalogue_event type);

// The sum of repeat_count of the events of that type that receivers got.
uint64_t stage_counted(const struct stage *stage, enum catalogue_event type);
