// Whether something that changes comes to rest.
#ifndef IBTRAPD_POLICY_FLAP_H
#define IBTRAPD_POLICY_FLAP_H

#include "model/event.h"
#include "policy/policy.h"

struct flap {
    int64_t at[POLICY_FLAP_CHANGES_MAX]; // of the last changes, in a ring
    uint64_t changes;                    // since it last was at rest
    bool on;                             // it flaps
    bool announced;                      // and receivers were told
    int64_t last;                        // change
    int64_t since_us;                    // UTC, of the change that made it flap
    uint64_t suppressed;                 // events, since receivers were last told
    char id[EVENT_ID_SIZE];              // of the event that told them
};

void flap_note(struct flap *flap, const struct policy_options *options, const struct event *event,
               int64_t now_us);

// When it counts as quiet.
int64_t flap_end(const struct flap *flap, const struct policy_options *options);

void flap_rest(struct flap *flap);

#endif
