// Answers what `ibtrapctl receivers` asks.
#ifndef IBTRAPD_CONTROL_RECEIVER_ANSWERS_H
#define IBTRAPD_CONTROL_RECEIVER_ANSWERS_H

#include "sink/receiver.h"

#include <jansson.h>

struct receiver_answers {
    struct receiver *const *receivers;
    size_t count;
};

// The receiver of that name, or NULL.
struct receiver *receiver_answers_find(const struct receiver_answers *answers, const char *name);

// Every receiver's state and counters: a new reference.
json_t *receiver_answers_list(struct receiver *const *receivers, size_t count);

// NULL: none of these commands:
//   "receivers"
//   "receiver-pause", "receiver-resume", "receiver-flush"  item "name"
json_t *receiver_answers_get(const struct receiver_answers *answers, const char *command,
                             const json_t *request);

#endif
