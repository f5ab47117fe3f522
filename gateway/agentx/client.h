// SPDX-License-Identifier: BSD-2-Clause
// A session with a master agent (RFC 2741), for instance net-snmp's snmpd: connects, opens the
// session, registers regions, answers requests, sends notifications, and begins again when the
// master was restarted. No function waits: the caller polls the descriptor and passes a clock.
// Decides: When does the subagent connect to the master agent again?
#pragma once

#include "agentx/options.h"
#include "base/error.h"

#include <poll.h>

struct agentx_client;

// Copies the options; strings, regions, clock, random and log outlive the client. Sends nothing
// yet. Returns NULL with a sentence if there are more than AGENTX_REGIONS_MAX regions, or if the
// address of the master is not valid.
struct agentx_client *agentx_client_new(const struct agentx_options *options, struct error *err);
void agentx_client_free(struct agentx_client *client); // closes the session first; NULL is allowed

// Adds regions: `regions` begins with the present regions, unchanged, and has AGENTX_REGIONS_MAX at
// most. `regions` takes the place of the options' regions. While a session is open, the next runs
// register the new regions.
void agentx_client_extend(struct agentx_client *client, const struct agentx_region *regions,
                          size_t count);

// Begins to give region number `region` another context: unregisters the region. The caller then
// changes the context in the array of regions before the next run, and the next runs register the
// region there. Returns false if nothing happened, because the Register is unanswered or the master
// has to read first: call this again after a run.
bool agentx_client_release(struct agentx_client *client, size_t region);

// Fills in what to poll for, and returns until when (monotonic microseconds). The descriptor is -1
// while there is no connection. Each run may replace the descriptor, even by another one of the
// same number: call this before each poll.
int64_t agentx_client_poll(const struct agentx_client *client, struct pollfd *out);

// Does the work that is possible now; `revents` is poll's result. Never waits.
void agentx_client_run(struct agentx_client *client, short revents);

enum agentx_state agentx_client_state(const struct agentx_client *client);
const char *agentx_client_problem(
    const struct agentx_client *client); // why the state is not AGENTX_UP; empty: it is

// When the master's sysUpTime was 0, in monotonic microseconds, by its responses.
int64_t agentx_client_master_started_at(const struct agentx_client *client);

// Queues a notification for the next runs. The first varbind is snmpTrapOID.0; the master adds its
// own sysUpTime.0. `context` may be empty. False with a sentence: the session is not up,
// AGENTX_IN_FLIGHT_MAX notifications wait for their responses already, or too many octets wait to
// be sent.
bool agentx_client_notify(struct agentx_client *client, const char *context,
                          const struct agentx_varbind *varbinds, size_t n, struct error *err);
