// A second user of the SA agent's port. The simulator gives a management class to one user of a
// process only, and a port that is opened once has one state for all: so the sweeper sends and
// listens through the agent's port.
#ifndef IBTRAPD_IB_SHARE_H
#define IBTRAPD_IB_SHARE_H

#include "ib/mad_io.h"
#include "ib/sa_client.h"

// Opens the share of the agent's port. `out->listen` hands out responses whose TransactionID has
// MAD_TID_BATCH, from the agent's thread, and fails when the port was closed since, even if it was
// opened again. `out->close` ends the share, before the agent is freed. One share at a time. False
// with a sentence when no port is open or memory is short.
bool share_open(struct sa_client *client, struct mad_io *out, struct error *err);

#endif
