// What ibtrapctl prints, within 100 columns. Whether all of it could be written, the stream tells
// at the end.
#ifndef IBTRAPD_CTL_SHOW_H
#define IBTRAPD_CTL_SHOW_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// An answer as JSON or as `show` has it; false with a sentence.
bool show_answer(FILE *out, const json_t *answer, bool json,
                 bool (*show)(FILE *out, const json_t *answer), struct error *err);
bool show_json(FILE *out, const json_t *value, struct error *err);

// The sentence for an answer of another shape than expected; false.
bool show_refuse_shape(struct error *err);

// The daemon's status. False when the answer has not the shape this ibtrapctl knows.
bool show_status(FILE *out, const json_t *status);

// A page of nodes and links in the form of ibnetdiscover(8), of the kept snapshots, of what
// changed; the first with a head. False as above.
bool show_topology(FILE *out, const json_t *page, bool first);
bool show_snapshots(FILE *out, const json_t *answer, bool first);
bool show_changes(FILE *out, const json_t *page, bool first);

// Events: a head, and one event, in two lines or more.
void show_events_head(FILE *out);
void show_event(FILE *out, const json_t *event);

// All about one event. False as above.
bool show_explanation(FILE *out, const json_t *answer);

// The event and what became of it at each receiver, from the same answer.
void show_delivery(FILE *out, const json_t *answer);

// A page of active alarms; the receivers. False as above.
bool show_alarms(FILE *out, const json_t *page, bool first);
bool show_receivers(FILE *out, const json_t *answer, bool first);

// The catalogue of events, and the same as JSON (a new reference).
void show_catalogue(FILE *out);
json_t *show_catalogue_json(void);

#endif
