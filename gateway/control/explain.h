// The answer to `ibtrapctl explain`: all that is known of one event and of what became of it.
#ifndef IBTRAPD_CONTROL_EXPLAIN_H
#define IBTRAPD_CONTROL_EXPLAIN_H

#include "control/receiver_answers.h"
#include "journal/journal.h"

// The event is named by item "number" or "id". A new reference.
json_t *explain_json(struct journal *journal, const struct receiver_answers *receivers,
                     const json_t *request);

#endif
