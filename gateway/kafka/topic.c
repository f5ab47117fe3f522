// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/topic.h"

#include "base/text.h"

#include <string.h>

// Adds what stands for the placeholder at the beginning of `p`. Returns the placeholder's length;
// 0: there is none.
static size_t topic_add(struct text *t, const char *p, const struct event *event)
{
    static const char SEVERITY[] = "{severity}", CATEGORY[] = "{category}", SUBNET[] = "{subnet}";
    if (strncmp(p, SEVERITY, sizeof SEVERITY - 1) == 0) {
        text_add(t, severity_word(event->severity));
        return sizeof SEVERITY - 1;
    }
    if (strncmp(p, CATEGORY, sizeof CATEGORY - 1) == 0) {
        text_add(t, category_word(event->category));
        return sizeof CATEGORY - 1;
    }
    if (strncmp(p, SUBNET, sizeof SUBNET - 1) == 0) {
        text_add_hex_number(t, event->subnet_prefix, 16);
        return sizeof SUBNET - 1;
    }
    return 0;
}

void topic_write(const char *template, const struct event *event, char out[TOPIC_SIZE])
{
    struct text t = text_in(out, TOPIC_SIZE);
    while (*template) {
        size_t n = *template == '{' ? topic_add(&t, template, event) : 0;
        if (n == 0)
            text_add_n(&t, template, n = 1);
        template += n;
    }
}
