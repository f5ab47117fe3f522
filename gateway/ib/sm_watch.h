// SPDX-License-Identifier: BSD-2-Clause
// Watches which queries the subnet manager answers: the SA client's queries in rounds, and the
// meaning of silence. A hardened SM drops some kinds of queries in silence and answers others. Any
// answer of the SA, also the answer to a subscription, shows that the SA lives. Silence to one kind
// of query meanwhile is a finding about this kind. Pure: the caller passes the time, and sends.
// Decides: When does the subnet manager count as silent?
#pragma once

#include "base/text.h"

#include <stdint.h>

// The kinds; at most one query of each is under way.
enum sm_watch_kind {
    SM_WATCH_NODE, // NodeRecord: who is master
    SM_WATCH_LIST, // InformInfoRecord: whether the SM holds the subscriptions
    SM_WATCH_INFO, // SMInfo, if NodeRecord does not bring the master: who is master, and whether it
                   // restarted
    SM_WATCH_KINDS,
};

struct sm_watch_query {
    uint32_t tid;
    int64_t asked_at;  // monotonic microseconds
    int64_t answer_by; // 0: none is under way
    int64_t retry_at;  // while mute: when to ask next
    unsigned silences; // in a row, while the SA answered other requests
    bool mute;         // the SM does not answer this kind
    bool refused;      // its latest answer did not bring what was asked for
};

struct sm_watch {
    struct sm_watch_query queries[SM_WATCH_KINDS];
    bool identify;       // ask for SMInfo, too, to learn who is master
    int64_t round_at;    // when the next round begins
    int64_t began_at;    // when the latest round began
    int64_t round_ends;  // when it is judged; 0: it was judged
    int64_t answered_at; // when the SA last answered any request; 0: never
    unsigned silences;   // rounds in a row in which the SA answered nothing, until now
};

// Forgets all, because another SM is master. A round is due now.
void sm_watch_init(struct sm_watch *w, int64_t now);

// Gives up the queries under way. A round is due now.
void sm_watch_ask_now(struct sm_watch *w, int64_t now);

// The SM may answer more queries from now on: what was unanswered is due now.
void sm_watch_forgive(struct sm_watch *w, int64_t now);

// Whether a round is due, and none is under way.
bool sm_watch_is_due(const struct sm_watch *w, int64_t now);

// Begins a round, which is judged after `timeout_us`. The next round is due `interval_us` later.
void sm_watch_begin(struct sm_watch *w, int64_t now, int64_t timeout_us, int64_t interval_us);

// Whether this round has a query of that kind.
bool sm_watch_wants(const struct sm_watch *w, enum sm_watch_kind kind);

// Whether an answer may yet say who is master. `smps`: SMInfo can be asked for.
bool sm_watch_may_identify(const struct sm_watch *w, bool smps);

// Whether this round also has to request a subscription again, since queries alone do not show
// whether the SA lives.
bool sm_watch_wants_probe(const struct sm_watch *w);

// A query of that kind was sent in this round.
void sm_watch_asked(struct sm_watch *w, enum sm_watch_kind kind, uint32_t tid, int64_t retry_us);

// Whether `tid` belongs to the query of this kind under way. The query is then over.
bool sm_watch_answers(struct sm_watch *w, enum sm_watch_kind kind, uint32_t tid);

// The last answer did not bring the wanted record.
void sm_watch_refused(struct sm_watch *w, enum sm_watch_kind kind);

// The SA answered a request of any kind.
void sm_watch_heard(struct sm_watch *w, int64_t now);

// Ends the queries that got no answer, and judges the round. True: the SA answered nothing in it.
bool sm_watch_expire(struct sm_watch *w, int64_t now);

// Whether a query is under way, or the round may still turn out silent.
bool sm_watch_is_busy(const struct sm_watch *w);

// Adds the needed kinds without answers, for instance "NodeRecord, SMInfo"; nothing if there is
// none.
void sm_watch_add_mute(const struct sm_watch *w, struct text *t);
