// SPDX-License-Identifier: BSD-2-Clause
// Answers the command "test": sends a test event through pipeline and journal to the receivers.
#ifndef IBTRAPD_CONTROL_TEST_ANSWERS_H
#define IBTRAPD_CONTROL_TEST_ANSWERS_H

#include "control/control.h"
#include "event/test_event.h"

// Items: "event" (an identifier), "node" (a name or a GUID of the fabric; missing: a node that does
// not exist), "receiver" (the only one that gets the event; missing: all). Item "last" of the
// answer is the number of the journal's newest event before the test.
json_t *test_answers_send(struct control *control, const json_t *request);

// Reads the items of "test". Uses the receivers, the fabric and the names of `control`. False with
// a sentence when there is no such event, node or receiver.
bool test_answers_read(const struct control *control, const json_t *request, struct test_event *out,
                       struct error *err);

#endif
