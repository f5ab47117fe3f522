// Answers `ibtrapctl test`: sends a sample through the whole path.
#ifndef IBTRAPD_CONTROL_TEST_ANSWERS_H
#define IBTRAPD_CONTROL_TEST_ANSWERS_H

#include "control/receiver_answers.h"
#include "event/test_event.h"

// What the request asks for. Items "event" (an identifier), "node" (a name or a GUID of the fabric;
// missing: one that does not exist), "receiver" (the only one that gets it; missing: all). `fabric`
// is as known now; NULL: not yet. `names` may be NULL. False with a sentence when there is no such
// thing.
bool test_answers_read(const json_t *request, const struct receiver_answers *receivers,
                       const struct fabric *fabric, const struct names *names,
                       struct test_event *out, struct error *err);

#endif
