// SPDX-License-Identifier: BSD-2-Clause
#include "policy_support.h"

// For the work of one moment: a single alarm, unless masses of alarms are due.
enum { TICKS_MAX = 20000 };

static void take(struct stage *stage, const struct event *event, bool made)
{
    if (stage->count == stage->room) {
        stage->room = stage->room ? stage->room * 2 : 64;
        stage->all = realloc(stage->all, stage->room * sizeof *stage->all);
        assert_non_null(stage->all);
    }
    struct heard *h = &stage->all[stage->count++];
    *h = (struct heard){.type = event->type,
                        .severity = event->severity,
                        .category = event->category,
                        .summarised = event->summarised,
                        .repeat_count = event->repeat_count,
                        .number = event->number,
                        .cause_number = event->cause_number,
                        .apart = event->apart,
                        .at = stage->time.monotonic,
                        .made = made};
    strcpy(h->id, event->id);
    strcpy(h->clears_id, event->clears_id);
    strcpy(h->related_id, event->related_id);
    strcpy(h->key, event->alarm_key);
    strcpy(h->held, event->suppressed);
    strcpy(h->rule, event->rule);
    strcpy(h->reason, event->reason);
}

static void stamp(void *ctx, struct event *event)
{
    struct stage *stage = ctx;
    assert_string_equal(event->id, "");
    event_builder_stamp(&stage->builder, event);
    snprintf(event->id, sizeof event->id, "made-%u", stage->ids++);
}

static void keep(struct stage *stage, struct event *event)
{
    if (event->number == 0)
        event->number = ++stage->numbers;
    take(stage, event, strncmp(event->id, "made-", 5) == 0);
    struct event **place = &stage->recent[event->number % STAGE_RECENT];
    event_unref(*place);
    *place = event_ref(event);
}

void stage_drain(struct stage *stage)
{
    struct event *event;
    while ((event = policy_next(stage->policy, stage->time.monotonic)) != NULL)
        keep(stage, event);
}

static struct event *read_back(void *ctx, int64_t number)
{
    const struct stage *stage = ctx;
    if (stage->read)
        return stage->read(NULL, number);
    struct event *event = stage->recent[number % STAGE_RECENT];
    return event && event->number == number ? event_ref(event) : NULL;
}

static void explain(void *ctx, const char *key, const char *cause_id, enum policy_reason reason)
{
    struct stage *stage = ctx;
    (void)key, (void)cause_id;
    stage->explained++;
    stage->because = reason;
}

void stage_open(struct stage *stage)
{
    const struct policy_sink sink = {
        .stamp = stamp, .read = read_back, .explain = explain, .ctx = stage};
    stage->time = (struct support_time){.utc = SUPPORT_UTC_US};
    stage->clock = support_clock(&stage->time);
    stage->random = support_random(&stage->chance);
    stage->builder = (struct event_builder){.clock = &stage->clock, .random = &stage->random};
    stage->policy = policy_new(&stage->options, &sink, &stage->random);
    policy_set_active(stage->policy, true, 0);
}

void stage_reads(struct stage *stage, struct event *(*read)(void *ctx, int64_t number))
{
    stage->read = read;
}

void stage_close(struct stage *stage)
{
    policy_free(stage->policy);
    free(stage->all);
    for (size_t i = 0; i < STAGE_RECENT; i++)
        event_unref(stage->recent[i]);
    *stage = (struct stage){0};
}

struct event *stage_event(struct stage *stage, enum catalogue_event type, const char *node)
{
    struct event *event = event_make(catalogue_get(type));
    assert_non_null(event);
    event->time_us = stage->time.utc;
    snprintf(event->id, sizeof event->id, "%u", stage->ids++);
    snprintf(event->subject.name, sizeof event->subject.name, "%s", node);
    for (const char *p = node; *p; p++)
        event->subject.guid = event->subject.guid * 131 + (uint8_t)*p;
    snprintf(event->text, sizeof event->text, "Something happened to %s.", node);
    return event;
}

struct event *stage_alarm(struct stage *stage, enum catalogue_event type, const char *key)
{
    struct event *event = stage_event(stage, type, key);
    snprintf(event->alarm_key, sizeof event->alarm_key, "%s", key);
    return event;
}

const struct heard *stage_give(struct stage *stage, struct event *event)
{
    char id[EVENT_ID_SIZE];
    strcpy(id, event->id);
    const size_t before = stage->count;
    stage_drain(stage);
    policy_process(stage->policy, event, stage->time.monotonic);
    stage_drain(stage);
    event_unref(event);
    const struct heard *found = NULL;
    for (size_t i = before; i < stage->count; i++) {
        if (strcmp(stage->all[i].id, id) == 0) {
            assert_null(found);
            found = &stage->all[i];
        }
    }
    assert_non_null(found);
    return found;
}

static void move_to(struct stage *stage, int64_t when)
{
    stage->time.utc += when - stage->time.monotonic;
    stage->time.monotonic = when;
}

void stage_wait(struct stage *stage, int64_t us)
{
    const int64_t end = stage->time.monotonic + us;
    for (int64_t due; (due = policy_due(stage->policy)) <= end;) {
        move_to(stage, due > stage->time.monotonic ? due : stage->time.monotonic);
        int calls = 0;
        do {
            stage_drain(stage);
            assert_true(++calls <= TICKS_MAX); // policy does all due work in the end
        } while (policy_due(stage->policy) <= stage->time.monotonic);
    }
    move_to(stage, end);
}

const struct heard *stage_last_passed(const struct stage *stage)
{
    for (size_t i = stage->count; i-- > 0;) {
        if (stage->all[i].held[0] == '\0')
            return &stage->all[i];
    }
    return NULL;
}

static bool is_of(const struct heard *h, enum catalogue_event type)
{
    return type == CATALOGUE_COUNT || h->type == catalogue_get(type);
}

size_t stage_passed(const struct stage *stage, enum catalogue_event type)
{
    return stage_held(stage, type, "");
}

size_t stage_held(const struct stage *stage, enum catalogue_event type, const char *reason)
{
    size_t n = 0;
    for (size_t i = 0; i < stage->count; i++)
        n += is_of(&stage->all[i], type) && strcmp(stage->all[i].held, reason) == 0;
    return n;
}

size_t stage_apart(const struct stage *stage, enum catalogue_event type)
{
    size_t count = 0;
    for (size_t i = 0; i < stage->count; i++)
        count += stage->all[i].apart && stage->all[i].type == catalogue_get(type);
    return count;
}

uint64_t stage_counted(const struct stage *stage, enum catalogue_event type)
{
    uint64_t n = 0;
    for (size_t i = 0; i < stage->count; i++) {
        if (is_of(&stage->all[i], type) && stage->all[i].held[0] == '\0')
            n += stage->all[i].repeat_count;
    }
    return n;
}
