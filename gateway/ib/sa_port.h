// SPDX-License-Identifier: BSD-2-Clause
// The own port of the SA client: opens and closes the port, and asks for its state. For the
// client's thread.
#ifndef IBTRAPD_IB_SA_PORT_H
#define IBTRAPD_IB_SA_PORT_H

#include "ib/sa_state.h"

// Opens the port. False: it cannot be opened; `reopen_at` says when to try again.
bool sa_port_open(struct sa_client *a, int64_t now);

// Closes the port, subscribes to everything anew and opens a port again at once.
void sa_port_lose(struct sa_client *a, const char *reason, int64_t now);

// Queries the own port by SMP or, where this host may send none, reads what the kernel knows.
void sa_port_ask(struct sa_client *a, int64_t now);

// Asks for the state of the port soon, after a hint that anyone can send.
void sa_port_look(struct sa_client *a, int64_t now);

// Whether `tid` is the TransactionID of the query under way. The query is then over.
bool sa_port_answers(struct sa_client *a, uint32_t tid);

// Whether another port would be chosen now, because this port is not up. Looks every five seconds.
bool sa_port_has_better(struct sa_client *a, int64_t now);

// Takes over how the port is.
void sa_port_handle(struct sa_client *a, const struct mad_port *port, int64_t now);

// Reads again what the kernel may have changed about the port.
void sa_port_refresh(struct sa_client *a, int64_t now);

#endif
