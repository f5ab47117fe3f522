// SPDX-License-Identifier: BSD-2-Clause
// Reads on demand (model/attribute.h): SMPs, GMPs and queries to the SA, through the SA client's
// port. An answer is kept for a minute. The lack of an answer is kept for a minute, too, except for
// the SA. All askers together cause at most so many MADs a second. Askers of the same read share
// one MAD.
// Decides: Which node may be asked on demand, and for how long is a silent node left alone?
//
// Before a port is asked, and again every few seconds, ibtrapd reads the port's NodeInfo, because
// another port may have the LID until the next sweep. If another port answers, or a port that does
// not say who it is, there is no answer. If a port does not answer NodeInfo, ibtrapd asks it
// nothing for a minute. If the port does not answer another attribute, ibtrapd does not ask for
// this attribute for a minute; if the attribute is a register of NVIDIA's devices, or if the
// device refuses the register, for a day. Performance management is asked even if the port does not
// answer NodeInfo.
//
// A Set (model/attribute.h) goes before all reads of nodes, to a port that was recognized just
// before. The answer to a Set is the attribute after the Set, and is given once; earlier answers
// are read again.
//
// The functions are for one thread, and never wait. The SA client's thread brings the answers and
// sends the next reads.
#pragma once

#include "base/log.h"
#include "base/random.h"
#include "ib/mkeys.h"
#include "ib/read_cache.h"
#include "ib/requests.h"
#include "model/attribute.h"

enum {
    READS_IN_FLIGHT = 8,         // SMPs and GMPs under way, without the overdue ones
    READS_SLOTS = 64,            // the same, with the overdue ones
    READS_PORT_SLOTS = 8,        // the same, of one port
    READS_SA_IN_FLIGHT = 2,      // queries to the SA
    READS_ANSWER_MAX = 32 << 20, // octets of an answer of the SA; to a larger one, DEMAND_AWAY
    READS_WAITING_MAX = 2048,    // reads that wait to be sent; for a further one, ask again later
};

struct sa_client;

struct reads_options {
    unsigned rate;      // MADs a second, 1 at least
    unsigned attempts;  // of each SMP and GMP, 1 at least
    int64_t timeout_us; // of each attempt
    uint64_t mkey;      // of ports without their own; 0: none
    struct mkeys *mkeys;
    bool registers;           // those of NVIDIA's devices are read
    uint64_t vskey;           // of these devices; 0: none
    struct sa_client *client; // whose port is shared; outlives the reads
    const struct clock *clock;
    const struct random *random;
    struct log *log; // NULL: none
};

struct reads;

// Returns NULL with a sentence if the system gives no eventfd.
struct reads *reads_new(const struct reads_options *options, struct error *err);
void reads_free(struct reads *d); // NULL is allowed

// DEMAND_HERE: `answer` is a reference, the caller's. DEMAND_LATER: `ticket` is set.
enum demand_state reads_ask(struct reads *d, const struct demand_key *key,
                            struct demand_answer **answer, int64_t *ticket);

// False: reads_ask would return DEMAND_NONE for each key with the same attribute of the same port,
// or for each key of the SA. Only class, GUID, LID and attribute of the key count.
bool reads_can_ask(struct reads *d, const struct demand_key *key);

// Forgets a Set and its answer: a waiting Set is not sent any more.
void reads_drop(struct reads *d, const struct demand_key *key);

// Whether to ask again for what had this ticket.
bool reads_is_ready(struct reads *d, int64_t ticket);

// An eventfd that is written when answers have come; the caller reads it.
int reads_fd(const struct reads *d);

// Does what is due. Returns when to call it again at the latest, in monotonic microseconds;
// INT64_MAX: not before the next reads_ask.
int64_t reads_run(struct reads *d);

struct reads_counters {
    uint64_t sent;     // MADs
    uint64_t answered; // reads
    uint64_t silent;   // reads without an answer
};
void reads_get_counters(struct reads *d, struct reads_counters *out); // any thread
