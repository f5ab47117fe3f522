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

static struct topic_handle *topic_place(struct topic_handles *handles, const struct event *event)
{
    uint64_t h = event->subnet_prefix * UINT64_C(0x9E3779B97F4A7C15);
    h ^= (uint64_t)event->severity << 32 ^ (uint64_t)event->category << 40;
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return &handles->all[(h >> 32) % TOPIC_HANDLES_MAX];
}

static bool topic_is_of(const struct topic_handle *handle, const struct event *event)
{
    return handle->topic && handle->severity == event->severity &&
           handle->category == event->category && handle->subnet_prefix == event->subnet_prefix;
}

static void topic_release(struct topic_handle *handle)
{
    if (handle->topic)
        rd_kafka_topic_destroy(handle->topic);
    handle->topic = NULL;
}

rd_kafka_topic_t *topic_find(struct topic_handles *handles, rd_kafka_t *client,
                             const char *template, const struct event *event)
{
    char name[TOPIC_SIZE];
    struct topic_handle *place = topic_place(handles, event);
    if (topic_is_of(place, event))
        return place->topic;
    topic_release(place);
    topic_write(template, event, name);
    *place = (struct topic_handle){.topic = rd_kafka_topic_new(client, name, NULL),
                                   .severity = event->severity,
                                   .category = event->category,
                                   .subnet_prefix = event->subnet_prefix};
    return place->topic;
}

void topic_release_all(struct topic_handles *handles)
{
    for (size_t i = 0; i < TOPIC_HANDLES_MAX; i++)
        topic_release(&handles->all[i]);
}
