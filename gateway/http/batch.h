// SPDX-License-Identifier: BSD-2-Clause
// The events of one request, in their order, and its body.
#ifndef IBTRAPD_HTTP_BATCH_H
#define IBTRAPD_HTTP_BATCH_H

#include "http/body.h"

struct batch {
    struct text body; // without its end, until batch_finish
    unsigned count;   // events
    uint64_t tickets[HTTP_BATCH_MAX];
};

// NULL: out of memory. Free it with batch_free.
struct batch *batch_new(size_t size_max);
void batch_free(struct batch *b);

// Empties the batch and begins its body.
void batch_begin(struct batch *b, const struct body_format *format,
                 const struct body_context *context);

// Adds an event, whose ticket is `ticket`; fewer than HTTP_BATCH_MAX are in the batch. Returns
// false, and adds nothing, if the batch is not empty and the body would have more than `size_max`
// octets. `size_max` may be less than batch_new got.
bool batch_add(struct batch *b, const struct body_format *format,
               const struct body_context *context, const struct event *event, uint64_t ticket,
               size_t size_max);

// Adds the end of the body.
void batch_finish(struct batch *b, const struct body_format *format,
                  const struct body_context *context);

#endif
