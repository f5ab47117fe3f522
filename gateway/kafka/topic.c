// SPDX-License-Identifier: BSD-2-Clause
#include "kafka/topic.h"

#include "base/hash.h"
#include "base/text.h"

#include <string.h>

// Adds what stands for the placeholder at the beginning of `p`. Returns the placeholder's length;
// 0: there is none.
static size_t topic_add(struct text *t, const char *p, const struct event *event)
{
    static const char SUBNET[] = "{subnet}";
    if (strncmp(p, SUBNET, sizeof SUBNET - 1) == 0) {
        text_add_hex_number(t, event->subnet_prefix, 16);
        return sizeof SUBNET - 1;
    }
    const struct {
        const char *name, *text;
    } all[] = {{"{severity}", severity_word(event->severity)},
               {"{category}", category_word(event->category)},
               {"{fabric}", event->fabric[0] != '\0' ? event->fabric : "unknown"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t length = strlen(all[i].name);
        if (strncmp(p, all[i].name, length) == 0) {
            text_add(t, all[i].text);
            return length;
        }
    }
    return 0;
}

void topic_write(const char *template, const struct event *event, char out[TOPIC_SIZE])
{
    struct text t = text_in(out, TOPIC_SIZE);
    while (*template) {
        size_t n = *template == '{' ? topic_add(&t, template, event) : 0;
        if (n == 0) // all up to the next brace
            text_add_n(&t, template, n = 1 + strcspn(template + 1, "{"));
        template += n;
    }
}

rd_kafka_topic_t *topic_find(struct topic_handles *handles, rd_kafka_t *client,
                             const char *template, const struct event *event)
{
    char name[TOPIC_SIZE];
    topic_write(template, event, name);
    const uint64_t digest = digest_add(DIGEST_OF_NOTHING, name, strlen(name));
    rd_kafka_topic_t **place = &handles->all[digest % TOPIC_HANDLES_MAX];
    if (*place && strcmp(rd_kafka_topic_name(*place), name) == 0)
        return *place;
    if (*place)
        rd_kafka_topic_destroy(*place);
    return *place = rd_kafka_topic_new(client, name, NULL);
}

void topic_release_all(struct topic_handles *handles)
{
    for (size_t i = 0; i < TOPIC_HANDLES_MAX; i++) {
        if (handles->all[i])
            rd_kafka_topic_destroy(handles->all[i]);
        handles->all[i] = NULL;
    }
}
