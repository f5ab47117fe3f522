// SPDX-License-Identifier: BSD-2-Clause
// What the SA client takes and tells: its options, its listener, its status.
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "ib/mad.h"
#include "ib/mad_io.h"
#include "ib/mkeys.h"
#include "ib/subscriptions.h"

// A Report of the master SM, or a malformed MAD from it.
struct sa_report {
    struct mad_address from; // without `grh`
    bool has_grh;
    struct mad_grh grh;
    uint64_t subnet_prefix;
    int64_t arrived_at; // monotonic microseconds; repeats are recognised by it
    bool malformed;
    char reason[128]; // when malformed
    uint8_t mad[MAD_SIZE];
    size_t size; // octets of `mad` that arrived
};

enum sa_change {
    SA_SUBSCRIPTIONS_LOST,
    SA_SUBSCRIPTIONS_RESTORED,
    SA_SM_UNREACHABLE, // while the port is up
    SA_SM_BACK,
    SA_REPORTS_MISSED, // Reports got lost
};

// The client's thread calls both functions. They must not wait.
struct sa_listener {
    // Takes over a report; free it with free(3). False: there is no room. The report then stays the
    // client's. The client does not answer the report, and the SM sends it again.
    bool (*report)(void *ctx, struct sa_report *report);

    // `reason` is part of a sentence, without a full stop.
    void (*change)(void *ctx, enum sa_change change, uint64_t subnet_prefix, const char *reason);
    void *ctx;
};

enum { SA_KEY_GUIDS_MAX = 8 };

struct sa_options {
    int64_t verify_us;  // between two queries for the subscriptions
    int64_t refresh_us; // from a subscription to its renewal
    bool has_sa_key;
    uint64_t sa_key;
    // The port GUIDs of the SMs that may get the SA key; none: whichever is master.
    uint64_t key_guids[SA_KEY_GUIDS_MAX];
    size_t key_guid_count;
    bool all_traps;      // subscribe to all generic traps at once, where the SM takes that
    uint64_t mkey;       // M_Key for queries to the own port; 0: none
    struct mkeys *mkeys; // where a port has its own M_Key; NULL: none does
    // At the last stop, the subscriptions were lost or the SM was unreachable, and the listener
    // knew: the client then reports the end of that, too.
    bool was_lost, was_unreachable;
    struct mad_opener opener;
    struct sa_listener listener;
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

struct sa_counters {
    uint64_t reports;      // from the master SM, repeats included
    uint64_t acknowledged; // ReportResps sent
    uint64_t foreign;      // from other LIDs, ignored
    uint64_t malformed;    // from the master SM
    uint64_t no_room;      // not accepted: the gateway was too busy
    uint64_t missed;       // lost before the client could read them, if the client can know
};

// For `ibtrapctl status`.
struct sa_status {
    bool open;         // a port is open
    char problem[512]; // why no port is open, or why no Report can arrive now; empty: all is well
    struct mad_port_id id;
    struct mad_port port;
    // Why this host may send no SMPs, as part of a sentence; empty: it may. Without SMPs, `port` is
    // the kernel's knowledge, and only the SA knows the fabric.
    char smp_refusal[128];
    struct mad_address sa; // where requests to the SA go, if they were redirected; LID 0: to the SM
    bool sm_answers;
    char unanswered[64]; // the kinds of queries that the SM does not answer; empty: nothing
    struct mad_node sm;
    bool has_sa_key;
    struct subscription subscriptions[SUBSCRIPTIONS_COUNT];
    struct sa_counters counters;
    int64_t now; // monotonic: the time of this status
};
