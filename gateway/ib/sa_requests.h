// SPDX-License-Identifier: BSD-2-Clause
// The requests of the SA client to the own port, to the SM and for its subscriptions, and the SA
// key that goes with them. For the client's thread, unless a comment says otherwise.
// Decides: When does ibtrapd send the SA key, and to whom?
#ifndef IBTRAPD_IB_SA_REQUESTS_H
#define IBTRAPD_IB_SA_REQUESTS_H

#include "ib/sa_state.h"

// The SA key.

// Whether the SA key may go to the master SM, or to the SA to which requests were redirected. If
// the configuration names the SMs that may get the key, the master has to be known first.
bool sa_key_may_go(const struct sa_client *a);

// Whether the key goes with every request to the SA from now on, or with the subscriptions that
// need it only.
void sa_key_use(struct sa_client *a, bool use);

// Holds back the requests that need the key while the master is not known, unless the SM does not
// answer the queries about its name. Logs once that a master does not get the key.
void sa_key_check(struct sa_client *a);

// The SM took a request with the key. From now on the key goes with every request, and the SM may
// answer more queries.
void sa_key_accept(struct sa_client *a, int64_t now);

// Requests.

uint32_t sa_requests_new_tid(struct sa_client *a); // any thread

// The M_Key of the own port; 0: none. Any thread.
uint64_t sa_requests_own_mkey(const struct sa_client *a);

// Sends Get(PortInfo) to the own port. False: this host may send no SMPs. Any thread.
bool sa_requests_query_port(struct sa_client *a, uint32_t tid);

// Begins a round of queries to the SM, and renews subscriptions if they alone do not show whether
// it lives.
void sa_requests_ask_sm(struct sa_client *a, int64_t now);

// Subscribes or unsubscribes, without keeping that the request is under way.
void sa_requests_send_subscription(struct sa_client *a, struct subscription *one, bool subscribe,
                                   uint32_t tid);

// Requests the subscriptions that are due.
void sa_requests_ask_subscriptions(struct sa_client *a, int64_t now);

#endif
