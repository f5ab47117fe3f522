// SPDX-License-Identifier: BSD-2-Clause
// The events of one request, in their order, and its body.
#ifndef IBTRAPD_HTTP_POST_H
#define IBTRAPD_HTTP_POST_H

#include "http/body.h"

struct post {
    struct text body; // without its end, until post_finish
    unsigned count;   // events
    uint64_t tickets[HTTP_BATCH_MAX];
};

// Makes a post with room for `size_max` octets. Free it with post_free.
struct post *post_new(size_t size_max);
void post_free(struct post *p);

// Empties the post and begins its body.
void post_begin(struct post *p, const struct body_format *format,
                const struct body_context *context);

// Adds an event, whose ticket is `ticket`; fewer than HTTP_BATCH_MAX are in the post. Returns
// false, and adds nothing, if the post is not empty and the body would have more than `size_max`
// octets. `size_max` may be less than post_new got.
bool post_add(struct post *p, const struct body_format *format, const struct body_context *context,
              const struct event *event, uint64_t ticket, size_t size_max);

// Adds the end of the body.
void post_finish(struct post *p, const struct body_format *format,
                 const struct body_context *context);

#endif
