// SPDX-License-Identifier: BSD-2-Clause
// The requests of the SA client: to the own port, to the SM and for its subscriptions. For the
// client's thread, but for the first three functions.
#ifndef IBTRAPD_IB_SA_REQUESTS_H
#define IBTRAPD_IB_SA_REQUESTS_H

#include "ib/sa_state.h"

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
