// SPDX-License-Identifier: BSD-2-Clause
// The SA client: subscribes at the SA, keeps the subscriptions alive, receives Reports and answers
// them. It has a thread of its own. IBA 13.4.11 (event forwarding), 15.2.5.12 (InformInfo).
// Decides: When does ibtrapd subscribe at the subnet manager again?
//
// It subscribes again, within ten seconds, when the port's LID or its SM changes, when the port
// comes up, when the SM asks for it (ClientReregister), and when the SM has lost a subscription:
// every `verify_us`, the client asks the SM for its subscriptions.
#pragma once

#include "ib/sa_types.h"

struct sa_client;

// Copies the options; the options' objects outlive the client.
struct sa_client *sa_client_new(const struct sa_options *options);

// Starts the thread. A port that is missing or down is no error: the thread waits for it. False
// with a sentence: no thread.
bool sa_client_start(struct sa_client *client, struct error *err);

// Unsubscribes (at most three attempts of a second each) and stops the thread. The port stays open,
// because reports passed on before may still be acknowledged.
void sa_client_stop(struct sa_client *client);

// Closes the port and frees a client that is stopped or was never started. NULL is allowed.
void sa_client_free(struct sa_client *client);

// Answers a report with a ReportResp. Any thread.
void sa_client_acknowledge(struct sa_client *client, const struct sa_report *report);

// Makes the client query port and SM now, since something may have changed. Any thread.
void sa_client_wake(struct sa_client *client);

// The adapter has an event that the SM asks for new registrations. Counts where PortInfo, which
// says the same, cannot be read. Any thread.
void sa_client_reregister(struct sa_client *client);

// Uses that M_Key for queries to the own port from now on; 0: none. Any thread.
void sa_client_change_mkey(struct sa_client *client, uint64_t mkey);

// Subscribes to everything again at once. Subscriptions that the SA has confirmed stay in force
// meanwhile. Any thread.
void sa_client_resubscribe(struct sa_client *client);

void sa_client_status(struct sa_client *client, struct sa_status *out); // any thread

// Attaches a MAD client of that kind to the port, as shared_port_attach does, until the port is
// closed or the SA client stops. False with a sentence that says why no port is open. Any thread.
bool sa_client_attach(struct sa_client *client, enum mad_user user, struct mad_io *out,
                      struct error *err);
