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

// Two gateways of one subnet may share a source: of the fabric they have the same alerts, and each
// has those about itself.
struct alert_origin {
    const char *source, *gateway;
};

// The next two return a JSON object with its names in order, which the caller frees.

// `event` raised the alarm last, or has what is known of that event.
char *alert_labels(const struct alarm *alarm, const struct event *event,
                   const struct alert_origin *origin);
char *alert_annotations(const struct alarm *alarm);

// The alarm that a test event would raise.
void alert_of_test(const struct event *event, struct alarm *out);

// Adds {"labels":...,"annotations":...,"startsAt":...,"endsAt":...}. The times are UTC. What does
// not fit is cut.
void alert_write(struct text *t, const char *labels, const char *annotations, int64_t starts_us,
                 int64_t ends_us);

#endif
