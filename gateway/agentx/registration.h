// SPDX-License-Identifier: BSD-2-Clause
// Registers the regions of a session (RFC 2741 6.2.3), REGISTERS_MAX at a time.
#ifndef IBTRAPD_AGENTX_REGISTRATION_H
#define IBTRAPD_AGENTX_REGISTRATION_H

#include "agentx/state.h"

// Sends the Registers of regions that were not tried yet.
void agentx_registration_continue(struct agentx_client *c);

// Takes the response to a Register. False with a sentence: the session cannot go on without it.
bool agentx_registration_read(struct agentx_client *c, size_t region, unsigned error,
                              struct error *err);

// Sends the Registers of regions that another subagent had, and that are due.
void agentx_registration_retry(struct agentx_client *c, int64_t now);

// As agentx_client_release.
bool agentx_registration_release(struct agentx_client *c, size_t region);

#endif
