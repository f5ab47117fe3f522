// SPDX-License-Identifier: BSD-2-Clause
// Writes events for people.
#ifndef IBTRAPD_CTL_SHOW_EVENTS_H
#define IBTRAPD_CTL_SHOW_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Write the head of a list of events, and one event, in two lines or more.
void show_events_head(FILE *out);
void show_event(FILE *out, const json_t *event);

// Writes all about one event. False when the answer has not the shape that this ibtrapctl knows.
bool show_explanation(FILE *out, const json_t *answer);

// Writes the event and its state at each receiver, from the same answer.
void show_delivery(FILE *out, const json_t *answer);

#endif
