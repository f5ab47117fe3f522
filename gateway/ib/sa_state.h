// SPDX-License-Identifier: BSD-2-Clause
// The state of the SA client, its own port and its requests. The functions are for the client's
// thread, unless a comment says otherwise.
// Decides: When does ibtrapd send the SA key, and to whom?
#pragma once

#include "ib/mad.h"
#include "ib/mad_io.h"
#include "ib/reports.h"
#include "ib/sa_types.h"
#include "ib/shared_port.h"
#include "ib/sm_watch.h"

#include <pthread.h>
#include <stdatomic.h>

// Where the SA is, if not at the SM: an SA may answer a request with ClassPortInfo and another
// address for the request (IBA 13.4.8.1, 13.5.2). Pure.
struct sa_redirect {
    struct mad_address to; // its LID is 0: there is none
    unsigned steps;        // to another address, since the SA last stayed at one
    unsigned repeats;      // redirections to the address in force, since then
    int64_t changed_at;    // monotonic microseconds: the last step
    int64_t ignore_until;  // the same; there were too many
};

// Takes an answer with the status of a redirection, from the address with that LID. Follows a few
// redirections until the SA answers from one address for ten seconds; if redirections lead round in
// a circle or on without end, follows none for a minute. `prefix`: of the own port's GID. True:
// send the request to `to`. False with part of a sentence: the answer is a refusal.
bool sa_redirect_take(struct sa_redirect *r, const struct mad_received *in, uint64_t prefix,
                      int64_t now, struct error *reason);

// The SA answered a request otherwise.
void sa_redirect_served(struct sa_redirect *r, int64_t now);

// The next requests go to the SM again, because another SM is master, or because nobody answers at
// the address.
void sa_redirect_forget(struct sa_redirect *r);

// The state of the client.

enum { SA_REQUEST_TIMEOUT_MS = 1000 };
#define SA_REQUEST_TIMEOUT_US (SA_REQUEST_TIMEOUT_MS * CLOCK_US_PER_MS)
enum { SA_SM_SILENCES_MAX = 2 }; // after so many rounds without an answer, the SM is unreachable

// The query to the own port; at most one is under way.
struct port_query {
    uint32_t tid;
    int64_t asked_at;  // when the latest was sent
    int64_t answer_by; // 0: none under way
    int64_t ask_at;    // when to send it next
};

struct sa_client {
    struct sa_options options;
    pthread_t thread;
    bool started;
    atomic_bool stop, woken, resubscribe, reregister;
    atomic_uint next_tid;
    _Atomic uint64_t mkey, port_guid; // of the own port

    // The thread's own.
    struct subscriptions subscriptions;
    struct port_query port_query;
    struct sm_watch watch;
    struct sa_redirect redirect;
    struct report_gaps gaps;
    bool key_used;     // the SM accepted the SA key, which goes with every request
    uint64_t denied;   // the GUID of the SM of which the log said: this SM does not get the key
    bool unknown;      // the log said: the SM does not say who it is
    uint32_t activity; // of the SM's latest SMInfo; 0: none yet
    bool notified_unreachable;
    int64_t silent_since; // when the first query without answer was sent
    bool settled, notified_lost;
    int64_t unsettled_since, reopen_at, better_at, refresh_at;
    unsigned refusals;                 // of the kernel to open the port, in a row
    char port_problem[160];            // a P_Key that is missing; empty: none
    bool listed[SUBSCRIPTIONS_PLACES]; // in the answer of the SM under reading
    unsigned port_silences;            // queries to the own port in a row without answer
    int64_t behind_since;              // MADs may wait to be read since then; 0: none does
    int64_t no_room_since; // there was no room for a Report; 0: no lack since the last sweep for
                           // lost Reports
    struct log_limit foreign_limit, room_limit, redirect_limit, missed_limit;

    struct shared_port port;

    pthread_mutex_t lock; // for `status`
    struct sa_status status;
};

int64_t sa_state_now(const struct sa_client *a); // monotonic microseconds; any thread

// Puts a text into the status. Returns whether the text is new.
bool sa_state_set_text(struct sa_client *a, char *to, size_t size, const char *text);

// Puts a problem into the status, and logs a new problem. An empty problem means that all is well.
void sa_state_set_problem(struct sa_client *a, const char *problem);

// Increments a counter of the status. Any thread.
void sa_state_count(struct sa_client *a, uint64_t *counter);

// Sentences.

struct sa_words {
    char text[400];
};

// "the subnet manager at LID 7 (its node's description)".
struct sa_words sa_words_sm(const struct sa_client *a);

// Changes.

// The reason is part of a sentence, without a full stop.
void sa_changes_emit(struct sa_client *a, enum sa_change change, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// Discards all answers of the SM and asks again. Reports the loss of subscriptions that were held.
void sa_changes_subscribe_again(struct sa_client *a, int64_t now, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

// Reports that the subscriptions are held again, or that all attempts failed for too long.
void sa_changes_check_settled(struct sa_client *a, int64_t now);

// The own port: opens and closes the port, and asks for its state.

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

// The SA key.

// Whether the SA key may go to the master SM, or to the SA to which requests were redirected. If
// the configuration names the SMs that may get the key, the master has to be known first.
bool sa_key_may_go(const struct sa_client *a);

// Whether the key goes with every request to the SA from now on, or with the subscriptions that
// need it only.
void sa_key_use(struct sa_client *a, bool use);

// The SM took a request with the key. From now on the key goes with every request, and the SM may
// answer more queries.
void sa_key_accept(struct sa_client *a, int64_t now);

// Requests: to the own port, to the SM and for the subscriptions.

uint32_t sa_requests_new_tid(struct sa_client *a); // any thread

// Sends Get(PortInfo) to the own port. False: this host may send no SMPs. Any thread.
bool sa_requests_query_port(struct sa_client *a, uint32_t tid);

// Begins a round of queries to the SM, and renews subscriptions if they alone do not show whether
// it lives.
void sa_requests_ask_sm(struct sa_client *a, int64_t now);

// Subscribes or unsubscribes, without keeping that the request is under way. Returns the
// TransactionID.
uint32_t sa_requests_send_subscription(struct sa_client *a, struct subscription *one,
                                       bool subscribe);

// Requests the subscriptions that are due.
void sa_requests_ask_subscriptions(struct sa_client *a, int64_t now);
