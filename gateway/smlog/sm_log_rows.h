// SPDX-License-Identifier: BSD-2-Clause
// The lines of OpenSM's log that are events: a row for each pattern. Pure.
// Decides: Which lines of the subnet manager's log are events?
#pragma once

#include "event/event_builder.h"

// The directed route in a line that an error in a later line is about. Zero-initialised.
struct sm_log_memory {
    struct event_builder_place route;
};

// Makes an occurrence of a line, NUL-terminated and without its end. False: the line is no event.
// Routes begin at the subnet manager's port, which has the LID `sm_lid`.
bool sm_log_rows_read(struct sm_log_memory *memory, const char *line, uint16_t sm_lid,
                      struct event_builder_occurrence *out);
