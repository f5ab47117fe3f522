// SPDX-License-Identifier: BSD-2-Clause
// The state of the SA client, for the files of the client: sa_client.c, sa_port.c and
// sa_requests.c. The functions are for the client's thread, unless a comment says otherwise.
#ifndef IBTRAPD_IB_SA_STATE_H
#define IBTRAPD_IB_SA_STATE_H

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

enum sa_redirection {
    SA_REDIRECT_FOLLOW, // send the request to `to`
    SA_REDIRECT_REFUSE, // `reason` says why it is not followed; the answer is a refusal
};

// Takes an answer with the status of a redirection, from the address with that LID. Follows a few
// until the SA answers from one address for ten seconds; if redirections lead round in a circle or
// on without end, follows none for a minute. `prefix`: of the own port's GID. `reason`: part of a
// sentence.
enum sa_redirection sa_redirect_take(struct sa_redirect *r, const struct mad_received *in,
                                     uint64_t prefix, int64_t now, struct error *reason);

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

// Where requests to the SA go: to the SM, or to the address to which the SM redirected requests.
struct mad_address sa_state_sa(const struct sa_client *a);

// Puts a text into the status. Returns whether the text is new.
bool sa_state_set_text(struct sa_client *a, char *to, size_t size, const char *text);

// Puts a problem into the status, and logs a new problem. An empty problem means that all is well.
void sa_state_set_problem(struct sa_client *a, const char *problem);

// Increments a counter of the status. Any thread.
void sa_state_count(struct sa_client *a, uint64_t *counter);

// Sentences.

// "the subnet manager at LID 7 (its node's description)".
void sa_words_sm(const struct mad_node *sm, uint16_t lid, char *out, size_t size);

// "port 1 of mlx5_0 is not ready (state down, LID 0, SM LID 0)".
void sa_words_port_not_ready(const struct mad_port_id *id, const struct mad_port *port, char *out,
                             size_t size);

// Describes the change of a port, which is up, if the client has to subscribe again. Returns false
// if there is no reason to.
bool sa_words_port_change(const struct mad_port *old, const struct mad_port *port, char *out,
                          size_t size);

// All values of a port, old and new, for the debug log. False: none changed.
bool sa_words_port_reading(const struct mad_port *old, const struct mad_port *port, char *out,
                           size_t size);

// Changes.

// `reason` is part of a sentence, without a full stop.
void sa_changes_emit(struct sa_client *a, enum sa_change change, const char *reason);

// Discards all answers of the SM and asks again. Reports the loss of subscriptions that were held.
void sa_changes_subscribe_again(struct sa_client *a, int64_t now, const char *reason);

// Reports that the subscriptions are held again, or that all attempts failed for too long.
void sa_changes_check_settled(struct sa_client *a, int64_t now);

#endif
