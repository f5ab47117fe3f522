// A policy in virtual time, and what its receivers get to hear.
#ifndef IBTRAPD_TESTS_POLICY_SUPPORT_H
#define IBTRAPD_TESTS_POLICY_SUPPORT_H

#include "support.h"

#include "event/event_builder.h"
#include "policy/policy.h"

#define S CLOCK_US_PER_S

// What went on to the journal.
struct heard {
    const struct catalogue_entry *type;
    char id[EVENT_ID_SIZE], clears_id[EVENT_ID_SIZE], related_id[EVENT_ID_SIZE];
    char key[EVENT_KEY_SIZE], held[EVENT_SUPPRESSED_SIZE], rule[EVENT_RULE_SIZE];
    char reason[EVENT_REASON_SIZE];
    enum severity severity;
    enum category category;
    const struct catalogue_entry *summarised;
    uint64_t repeat_count;
    int64_t at; // virtual
    bool made;  // by policy
};

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
};

// Starts at 0 s with the options as they are; the caller changed them or not.
void stage_open(struct stage *stage);
void stage_close(struct stage *stage);

// A new event with its own identifier, about that node. Released by stage_give.
struct event *stage_event(struct stage *stage, enum catalogue_event type, const char *node);

// The same of the link or node alarm with that key.
struct event *stage_alarm(struct stage *stage, enum catalogue_event type, const char *key);

// Gives it to the policy now, and returns what became of it.
const struct heard *stage_give(struct stage *stage, struct event *event);

// Time passes; policy looks whenever something is due.
void stage_wait(struct stage *stage, int64_t us);

// The last event that receivers got; NULL: none.
const struct heard *stage_last_passed(const struct stage *stage);

// Events of that type that receivers got, or that were held for the reason, or of both;
// CATALOGUE_COUNT: any type.
size_t stage_passed(const struct stage *stage, enum catalogue_event type);
size_t stage_held(const struct stage *stage, enum catalogue_event type, const char *reason);

// The sum of repeat_count of the events of that type that receivers got.
uint64_t stage_counted(const struct stage *stage, enum catalogue_event type);

#endif
