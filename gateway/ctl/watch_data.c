// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/watch_data.h"

#include "base/clock.h"
#include "ctl/show.h"

#include <string.h>

enum {
    EVENTS_TURNS = 20, // pages of events in a reading; the next reading goes on
    ALARMS_SHARE = 10, // reading alarms takes a tenth of the time: there may be very many alarms
};

void watch_data_begin(struct watch_data *data, const char *socket, const struct client_idle *idle)
{
    *data = (struct watch_data){.socket = socket,
                                .idle = *idle,
                                .alarms = json_array(),
                                .events = json_array(),
                                .place = -1};
}

json_t *watch_data_ask(struct watch_data *data, const char *command, json_t *items,
                       struct error *err)
{
    return client_request_idly(data->socket, command, items, &data->idle, err);
}

void watch_data_end(struct watch_data *data)
{
    json_decref(data->status);
    json_decref(data->alarms);
    json_decref(data->events);
}

bool watch_data_is_handled(const json_t *alarm)
{
    return member_word(alarm, "acknowledged")[0] != '\0' ||
           member_word(alarm, "shelved_until")[0] != '\0';
}

// Rates.

static void watch_data_sample(struct watch_data *data)
{
    const json_t *counters = json_object_get(data->status, "counters");
    const struct watch_sample now = {clock_now(), member_count(counters, "reports"),
                                     member_count(counters, "events")};
    const size_t count = data->sample_count;
    if (count > 0 && now.events < data->samples[count - 1].events)
        data->sample_count = 0; // another daemon counts from zero
    if (data->sample_count == WATCH_RATE_SAMPLES) {
        data->sample_count--;
        memmove(data->samples, data->samples + 1, sizeof data->samples - sizeof *data->samples);
    }
    data->samples[data->sample_count++] = now;
}

void watch_data_rates(const struct watch_data *data, double *reports, double *events)
{
    *reports = *events = 0;
    if (data->sample_count < 2)
        return;
    const struct watch_sample *first = &data->samples[0];
    const struct watch_sample *last = &data->samples[data->sample_count - 1];
    const double seconds = (double)(last->at_us - first->at_us) / (double)CLOCK_US_PER_S;
    if (seconds <= 0)
        return;
    *reports = (double)(last->reports - first->reports) / seconds;
    *events = (double)(last->events - first->events) / seconds;
}

// Alarms.

static bool watch_data_read_alarms(struct watch_data *data)
{
    const int64_t begun = clock_now();
    json_t *answer = watch_data_ask(data, "alarms", json_pack("{s:b}", "worst", 1), &data->problem);
    json_t *alarms = json_object_get(answer, "alarms");
    const bool ok = answer && (json_is_array(alarms) || show_refuse_shape(&data->problem));
    if (ok) {
        json_decref(data->alarms);
        data->alarms = json_incref(alarms);
    }
    json_decref(answer);
    const int64_t now = clock_now();
    data->alarms_due_us = now + (ALARMS_SHARE - 1) * (now - begun);
    return ok;
}

// Events.

// Reads the next page of events. `*ended`: the journal has no more events now.
static bool watch_data_read_next(struct watch_data *data, bool *ended)
{
    json_t *page = watch_data_ask(
        data, "events", json_pack("{s:I}", "after", (json_int_t)data->place), &data->problem);
    const json_t *events = json_object_get(page, "events");
    bool ok = page && (json_array_extend(data->events, (json_t *)events) == 0 ||
                       show_refuse_shape(&data->problem));
    while (json_array_size(data->events) > WATCH_EVENTS_MAX)
        json_array_remove(data->events, 0);
    if (ok)
        data->place = member_count(page, "place");
    *ended = json_is_true(json_object_get(page, "ended"));
    json_decref(page);
    return ok;
}

static bool watch_data_read_events(struct watch_data *data)
{
    const long long last = member_count(json_object_get(data->status, "journal"), "last");
    bool ended = false, ok = true;
    if (last < data->place) { // another journal
        json_array_clear(data->events);
        data->place = -1;
    }
    if (data->place < 0)
        data->place = last > WATCH_EVENTS_FIRST ? last - WATCH_EVENTS_FIRST : 0;
    for (int turn = 0; ok && !ended && turn < EVENTS_TURNS; turn++)
        ok = watch_data_read_next(data, &ended);
    return ok;
}

void watch_data_read(struct watch_data *data)
{
    json_t *status = watch_data_ask(data, "status", json_object(), &data->problem);
    data->is_reached = status != NULL;
    if (!status)
        return;
    json_decref(data->status);
    data->status = status;
    watch_data_sample(data);
    data->is_reached = watch_data_read_events(data);
    if (data->is_reached && clock_now() >= data->alarms_due_us)
        data->is_reached = watch_data_read_alarms(data);
}
