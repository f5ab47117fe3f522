// SPDX-License-Identifier: BSD-2-Clause
// The SA key of the SA client: to which subnet manager it may go, and whether it goes with every
// request. For the client's thread.
#ifndef IBTRAPD_IB_SA_KEY_H
#define IBTRAPD_IB_SA_KEY_H

#include "ib/sa_state.h"

// Whether the master SM, or where it redirected requests, may get it. If only some may, it has to
// be known first who is master.
bool sa_key_may_go(const struct sa_client *a);

// Whether the key goes with every request to the SA from now on, or with the subscriptions that
// need it only.
void sa_key_use(struct sa_client *a, bool use);

// Holds back the requests that need the key while it is not known who is master, unless the SM
// does not answer who it is. Logs once that a master does not get the key.
void sa_key_check(struct sa_client *a);

// The SM took a request with the key, so that it takes all. It may answer more from now on.
void sa_key_accept(struct sa_client *a, int64_t now);

#endif
