// SPDX-License-Identifier: BSD-2-Clause
// Reads on demand (model/demand.h): SMPs, GMPs and queries to the SA, through the SA client's port.
// An answer is kept for a minute, and so is that there is none, unless the SA is silent. All askers
// together cause so many MADs a second at most; what one of them waits for is not asked again for
// another.
//
// Before a port is asked, and again every few seconds, its NodeInfo says whether it is the one that
// is meant: another one may have its LID until the next sweep. That one is not asked, there is no
// answer then. (PMAs are asked all the same where SMPs are not answered.) A port that does not
// answer to that is not asked for anything within a minute, one that does not answer to an
// attribute not for that attribute.
//
// A Set (model/demand.h) goes before all reads of nodes, to a port that was recognized just before.
// Its answer, which is the attribute as it is then, is given once, and what was read before is read
// again.
//
// The functions are for one thread, which never waits in them; the SA client's thread brings the
// answers and sends the next reads.
#ifndef IBTRAPD_IB_DEMAND_H
#define IBTRAPD_IB_DEMAND_H

#include "base/log.h"
#include "base/random.h"
#include "ib/demand_cache.h"
#include "ib/mkeys.h"
#include "model/demand.h"

enum {
    DEMAND_IN_FLIGHT = 8,         // SMPs and GMPs under way; those that are overdue do not count,
    DEMAND_SLOTS = 64,            // but are so many at most,
    DEMAND_PORT_SLOTS = 8,        // and so many of one port
    DEMAND_SA_IN_FLIGHT = 2,      // queries to the SA
    DEMAND_ANSWER_MAX = 32 << 20, // octets of an answer of the SA; to a larger one, DEMAND_AWAY
    DEMAND_WAITING_MAX = 2048,    // reads that wait to be sent; for a further one, ask again later
};

struct sa_client;

struct demand_options {
    unsigned rate;      // MADs a second, 1 at least
    unsigned attempts;  // of each SMP and GMP, 1 at least
    int64_t timeout_us; // of each attempt
    uint64_t mkey;      // of ports without their own; 0: none
    struct mkeys *mkeys;
    struct sa_client *client; // whose port is shared; outlives the reads
    const struct clock *clock;
    const struct random *random;
    struct log *log; // NULL: none
};

struct demand;

// Returns NULL with a sentence if the system gives no eventfd.
struct demand *demand_new(const struct demand_options *options, struct error *err);
void demand_free(struct demand *demand); // NULL is allowed

// DEMAND_HERE: `answer` is a reference, the caller's. DEMAND_LATER: `ticket` is set.
enum demand_state demand_ask(struct demand *demand, const struct demand_key *key,
                             struct demand_answer **answer, int64_t *ticket);

// False: demand_ask would be DEMAND_NONE for whatever else it is asked of that attribute of that
// port, or of the SA.
// Only class, GUID, LID and attribute of the key count.
bool demand_can_ask(struct demand *demand, const struct demand_key *key);

// Forgets a Set and its answer: it is not sent any more if it waits yet.
void demand_drop(struct demand *demand, const struct demand_key *key);

// Whether to ask again for what had this ticket.
bool demand_is_ready(struct demand *demand, int64_t ticket);

// An eventfd that is written when answers have come; the caller reads it.
int demand_fd(const struct demand *demand);

// Does what is due. Returns when to call it again at the latest, in monotonic microseconds;
// INT64_MAX: not before the next demand_ask.
int64_t demand_run(struct demand *demand);

struct demand_counters {
    uint64_t sent;     // MADs
    uint64_t answered; // reads
    uint64_t silent;   // reads without an answer
};
void demand_get_counters(struct demand *demand, struct demand_counters *out); // any thread

#endif
