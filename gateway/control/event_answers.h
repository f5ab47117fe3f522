// Answers what `ibtrapctl events` and `ibtrapctl explain` ask, from the journal.
#ifndef IBTRAPD_CONTROL_EVENT_ANSWERS_H
#define IBTRAPD_CONTROL_EVENT_ANSWERS_H

#include "journal/journal.h"

#include <jansson.h>

enum {
    EVENT_ANSWERS_SCAN = 2000, // events that one request looks at
    EVENT_ANSWERS_PAGE = 200,  // that its answer has
};

// The answer to "events": events with their numbers, the newest first, from the end or before item
// "before", or, with item "after", the oldest first behind that number. Items that choose:
// "since_us", "until_us", "severity" (this and worse), "node" (a glob of a name or GUID), "event"
// (a glob); "limit" is how many are wanted. "more" in the answer has what to ask with to go on;
// without it there is none. "last" is the number of the newest event of all, "place" that of the
// last one looked at, "ended" that there is nothing behind it.
json_t *event_answers_list(struct journal *journal, const json_t *request);

// The number of an event: as it stands in "number", or of that "id". 0: there is no such event, or
// neither is given.
int64_t event_answers_find(struct journal *journal, const json_t *request);

// The number of the event with that identifier; 0: the journal has none.
int64_t event_answers_find_id(struct journal *journal, const char *id);

// A reference, the caller's; NULL: the journal has it not, or cannot read it.
struct event *event_answers_read(struct journal *journal, int64_t number);

// The event as every output in JSON has it, with its number: a new reference.
json_t *event_answers_json(int64_t number, const struct event *event);

#endif
