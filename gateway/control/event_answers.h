// SPDX-License-Identifier: BSD-2-Clause
// Finds events in the journal, and answers the command "events".
#ifndef IBTRAPD_CONTROL_EVENT_ANSWERS_H
#define IBTRAPD_CONTROL_EVENT_ANSWERS_H

#include "control/control.h"

enum {
    EVENT_ANSWERS_SCAN = 2000, // events that one request reads
    EVENT_ANSWERS_PAGE = 200,  // events that its answer has
};

// "events". Without item "after", the newest events come first, from the end of the journal or
// before number "before"; with "after", the oldest come first, after that number. These items
// choose the events: "since_us", "until_us", "severity" (this and worse), "node" (a pattern of
// names or GUIDs), "event" (a pattern of identifiers), and "limit" (how many in all pages
// together). Item "more" of the answer has the items that request the next page; it is missing on
// the last page. "last" is the number of the journal's newest event, "place" that of the last event
// read, and "ended" is true if the journal has no event after it. "node_is_known", of a page
// without events, says whether the fabric has a node that "node" fits.
json_t *event_answers_list(struct control *control, const json_t *request);

// False, with a sentence that there is no such event, and which one may be meant.
bool event_answers_refuse(const char *event, struct error *err);

// The identifier that stands for the newest event.
#define EVENT_ANSWERS_LAST "last"

// The number of the event that item "number" or "id" names; 0: the journal has no such event, or
// the request has neither item.
int64_t event_answers_find(struct journal *journal, const json_t *request);

// The number of the event with that identifier; 0: the journal has none.
int64_t event_answers_find_id(struct journal *journal, const char *id);

// A reference, the caller's; NULL: the journal does not have it, or cannot read it.
struct event *event_answers_read(struct journal *journal, int64_t number);

// The event as every output in JSON has it, with its number: a new reference.
json_t *event_answers_json(int64_t number, const struct event *event);

#endif
