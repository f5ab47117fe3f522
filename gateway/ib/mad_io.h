// SPDX-License-Identifier: BSD-2-Clause
// Sends and receives MADs through one port. ib/umad.h implements it with libibumad; tests and
// benchmarks have implementations of their own.
#pragma once

#include "base/error.h"
#include "ib/mad.h"

#include <stddef.h>
#include <stdint.h>

// The agent that sends a request, by management class, and gets its answer.
enum mad_agent {
    MAD_AGENT_SA,
    MAD_AGENT_SMP,     // by directed route
    MAD_AGENT_SMP_LID, // by LID
    MAD_AGENT_PERF,
    MAD_AGENT_DM,     // device management
    MAD_AGENT_VENDOR, // registers of NVIDIA's devices
    MAD_AGENT_COUNT,
};

static inline enum mad_agent mad_agent_of(uint8_t mgmt_class)
{
    switch (mgmt_class) {
    case MAD_CLASS_SMP_DIRECT:
        return MAD_AGENT_SMP;
    case MAD_CLASS_SMP_LID:
        return MAD_AGENT_SMP_LID;
    case MAD_CLASS_PERF:
        return MAD_AGENT_PERF;
    case MAD_CLASS_DM:
        return MAD_AGENT_DM;
    case MAD_CLASS_VENDOR:
        return MAD_AGENT_VENDOR;
    default:
        return MAD_AGENT_SA;
    }
}

// The global routing header of a MAD (IBA 8.3): the header of a received MAD, turned round for the
// answer.
struct mad_grh {
    uint8_t gid[ADDRESS_GID_SIZE];
    uint32_t flow_label;
    uint8_t traffic_class, hop_limit, gid_index;
};

// The sender or the destination of a MAD.
struct mad_address {
    uint16_t lid;
    uint16_t
        pkey_index; // of a received MAD, and of its answer; a request has that of its partition
    uint8_t sl;
    uint32_t qpn;
    uint16_t pkey; // of a request to a redirected SA; 0: that of the port
    uint32_t qkey; // the same; 0: that of QP1
    bool keyless;  // of a request to the SA: without the SA key
    uint64_t guid; // of the port that a request goes to, if known: some ports require a GRH
    const struct mad_grh *grh; // of a received MAD, and of its answer; NULL: none
};

// Where requests to the SA go: to `redirected` or, if its LID is 0, to the SM of the port.
static inline struct mad_address mad_sa_address(const struct mad_address *redirected,
                                                const struct mad_port *port)
{
    return redirected->lid != 0
               ? *redirected
               : (struct mad_address){.lid = port->sm_lid, .qpn = 1, .sl = port->sm_sl};
}

struct mad_received {
    struct mad_address from;
    const uint8_t *octets; // valid until the next receive, like `from.grh`
    size_t size;
};

// A port has three users: the SA client, batches of requests (ib/requests.h), and reads on demand
// (ib/reads.h). The top bits of a response's TransactionID say to whom it belongs: the first is
// set, only the second is set, or neither is, for the SA client.
#define MAD_TID_SWEEPER UINT32_C(0x80000000)
#define MAD_TID_READS   UINT32_C(0x40000000)

// The users that attach to the SA client's port (ib/shared_port.h).
enum mad_user { MAD_USER_SWEEPER, MAD_USER_READS, MAD_USER_COUNT };

static inline enum mad_user mad_user_of(uint32_t tid)
{
    if (tid & MAD_TID_SWEEPER)
        return MAD_USER_SWEEPER;
    return (tid & MAD_TID_READS) ? MAD_USER_READS : MAD_USER_COUNT;
}

// Handles the MADs that another thread receives. The receiving thread calls both functions, one at
// a time. They must not wait; `take` may send.
struct mad_listener {
    void (*take)(void *ctx, const struct mad_received *in);

    // The port is gone; `reason` is a sentence. No further call follows.
    void (*lost)(void *ctx, const char *reason);
    void *ctx;
};

// A port has either `receive` or `listen`; the other is NULL.
struct mad_io {
    // Waits up to `timeout_ms` for a MAD of any agent. 1: received; 0: no MAD in time, or only the
    // kernel's time-out of a request; -1 with a sentence: the port is gone: close the port and open
    // it again. One thread.
    int (*receive)(void *self, struct mad_received *out, int timeout_ms, struct error *err);

    // Makes the thread that receives pass MADs to `listener` from now on. NULL: to no listener; on
    // return, no call of the old one is under way. False with a sentence: the port is gone. Not
    // from the thread that receives.
    bool (*listen)(void *self, const struct mad_listener *listener, struct error *err);

    // Sends the 256 octets of a MAD. `response_timeout_ms` is 0 for a MAD that expects no answer.
    // False with a sentence: the kernel refused it; the port may still work. Any thread.
    bool (*send)(void *self, enum mad_agent agent, const struct mad_address *to,
                 const uint8_t *octets, int response_timeout_ms, struct error *err);

    // Frees `self`. No other call may be under way.
    void (*close)(void *self);
    void *self;

    // The remaining functions may be NULL. Only the thread that receives calls them.

    // Returns part of a sentence that says why this host may send no SMPs with M_Key `mkey`.
    // Returns NULL if this host may, or if the next SMP has to show whether this host may.
    const char *(*smp_refusal)(void *self, uint64_t mkey);

    // Reads what the kernel knows of the own port: all but `client_reregister`. Returns false with
    // a sentence if the port cannot be read.
    bool (*read_port)(void *self, struct mad_port *out, struct error *err);

    // Reads again what may have changed: the port's P_Keys and its GID prefix. Returns NULL, or a
    // sentence about a P_Key that is missing.
    const char *(*refresh)(void *self);
};

// Names an open port.
struct mad_port_id {
    char device[64];
    unsigned port;
    uint64_t guid; // of the port
    bool active;   // when it was opened
    bool refused;  // the kernel refused the use of the port; each further try is a line in the
                   // kernel's log
};

struct mad_opener {
    // Opens the port that `ctx` names. Returns false with a sentence, which tells the user what to
    // do; `id->refused` then says whether to wait before the next try.
    bool (*open)(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err);

    // Whether `open` would now choose another port than `id`. Port `id` was not active at its
    // opening.
    bool (*better)(void *ctx, const struct mad_port_id *id);
    void *ctx;
};
