// SPDX-License-Identifier: BSD-2-Clause
// What the command "watch" shows: answers of the daemon, read again and again.
// Decides: How often does watch read alarms and events?
#ifndef IBTRAPD_CTL_WATCH_DATA_H
#define IBTRAPD_CTL_WATCH_DATA_H

#include "ctl/client.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    WATCH_EVENTS_MAX = 200,  // the last events that are kept
    WATCH_EVENTS_FIRST = 50, // the last events of the journal, for the first reading
    WATCH_RATE_SAMPLES = 10, // readings that a rate is taken over
};

// The daemon's counters at a time.
struct watch_sample {
    int64_t at_us; // monotonic
    long long reports, events;
};

struct watch_data {
    const char *socket; // the caller's
    struct client_idle idle;
    json_t *status;  // the last answer; NULL: none came yet
    json_t *alarms;  // the worst, in the order of the daemon (control/alarm_answers.h)
    json_t *events;  // oldest first
    bool is_reached; // the last reading succeeded; else `problem` says why
    struct error problem;
    int64_t place;                                   // the number of the last event read
    struct watch_sample samples[WATCH_RATE_SAMPLES]; // oldest first
    size_t sample_count;
    int64_t alarms_due_us; // monotonic: they are not read again before
};

// All functions that ask the daemon call `idle` during a wait for its answer. Call watch_data_end
// in any case.
void watch_data_begin(struct watch_data *data, const char *socket, const struct client_idle *idle);
void watch_data_end(struct watch_data *data);

// Asks the daemon by client_request_idly.
json_t *watch_data_ask(struct watch_data *data, const char *command, json_t *items,
                       struct error *err);

// Reads everything once, the alarms last. If a reading of the alarms takes long, skips most
// readings of the alarms. Without an answer, the former data stays.
void watch_data_read(struct watch_data *data);

// Computes how many Reports and events a second came between the samples; 0 before the second
// sample.
void watch_data_rates(const struct watch_data *data, double *reports, double *events);

// Whether an operator has acknowledged or shelved the alarm.
bool watch_data_is_handled(const json_t *alarm);

#endif
