// SPDX-License-Identifier: BSD-2-Clause
// The events of one request, in their order, and its body.
#ifndef IBTRAPD_HTTP_BATCH_H
#define IBTRAPD_HTTP_BATCH_H

#include "http/body.h"

struct batch {
    struct text body;              // without its end, until batch_finish
    unsigned count;                // events
    unsigned pieces;               // of these in the body
    bool left_out[HTTP_BATCH_MAX]; // by event: the server has it already
    char ids[HTTP_BATCH_MAX][EVENT_ID_SIZE];
};

// NULL: out of memory. Free it with batch_free.
struct batch *batch_new(size_t size_max);
void batch_free(struct batch *b);

// Empties the batch and begins its body.
void batch_begin(struct batch *b, const struct body_format *format,
                 const struct body_context *context);

// Adds an event; fewer than HTTP_BATCH_MAX are in the batch. False: the body would have more than
// `size_max` octets, which may be fewer than batch_new got, and the batch is not empty; nothing is
// added.
bool batch_add(struct batch *b, const struct body_format *format,
               const struct body_context *context, const struct event *event, size_t size_max);

// Adds an event that the server has already: it counts, and is not in the body.
void batch_add_known(struct batch *b, const struct event *event);

// Adds the end of the body.
void batch_finish(struct batch *b, const struct body_format *format,
                  const struct body_context *context);

#endif
