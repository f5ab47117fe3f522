// SPDX-License-Identifier: BSD-2-Clause
// The answer of the command about SNMP contexts.
#ifndef IBTRAPD_CONTROL_CONTEXT_ANSWERS_H
#define IBTRAPD_CONTROL_CONTEXT_ANSWERS_H

#include "control/control.h"

#include <jansson.h>

// A page of the end ports that have a context (agent/contexts.h), by port GUID.
json_t *context_answers_list(struct control *c, const json_t *request);

#endif
