// SPDX-License-Identifier: BSD-2-Clause
// An alarm as an alert of Alertmanager (API v2): its labels, which identify it, its annotations,
// and the JSON of both. Pure.
//
// The labels are the same at the raise, each refresh and the clear, or Alertmanager would take them
// for another alert. Severity and kind of the event are among them, since routes go by them: an
// alarm that changes them ends as one alert and begins as another.
#ifndef IBTRAPD_HTTP_ALERT_H
#define IBTRAPD_HTTP_ALERT_H

#include "base/text.h"
#include "model/alarm.h"

#define ALERT_LABEL_SOURCE  "source"  // whose alerts they are
#define ALERT_LABEL_GATEWAY "gateway" // of alarms about a gateway itself
#define ALERT_LABEL_KEY     "alarmkey"
#define ALERT_LABEL_TEST    "test" // of tests only

// Two gateways of one subnet may share a source: of the fabric they have the same alerts, and each
// has those about itself.
struct alert_origin {
    const char *source, *gateway;
};

// JSON objects with their names in order and without blanks, as json_dumps writes it with
// JSON_COMPACT and JSON_SORT_KEYS. The caller frees them. NULL: out of memory.

// `event` raised the alarm last, or has what is known of that event.
char *alert_labels(const struct alarm *alarm, const struct event *event,
                   const struct alert_origin *origin);
char *alert_annotations(const struct alarm *alarm);

// The alarm that a test event would raise.
void alert_of_test(const struct event *event, struct alarm *out);

// Adds {"labels":...,"annotations":...,"startsAt":...,"endsAt":...}. `annotations` may be NULL;
// `starts_us` 0: not said. UTC. It is cut if it does not fit.
void alert_write(struct text *t, const char *labels, const char *annotations, int64_t starts_us,
                 int64_t ends_us);

#endif
