// Sending and receiving MADs through one port. libibumad is one implementation; tests and
// benchmarks bring their own, and the code from here on is the same.
#ifndef IBTRAPD_IB_MAD_IO_H
#define IBTRAPD_IB_MAD_IO_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// Who sends, by management class; the answers are for the same.
enum mad_agent {
    MAD_AGENT_SA,
    MAD_AGENT_SMP,     // by directed route
    MAD_AGENT_SMP_LID, // by LID
    MAD_AGENT_PERF,
    MAD_AGENT_DM, // device management
    MAD_AGENT_COUNT,
};

// Where a MAD came from or goes to.
struct mad_address {
    uint16_t lid;
    uint32_t qpn;
    uint8_t sl;
    uint16_t pkey_index;
};

struct mad_received {
    struct mad_address from;
    const uint8_t *octets; // valid until the next receive
    size_t size;
};

// A port has two users: the SA agent, and batches of requests (ib/batch.h). This bit of the
// TransactionID tells whose a response is: it is clear in the agent's, set in a batch's.
#define MAD_TID_BATCH UINT32_C(0x80000000)

// Who is told of what another thread receives. Both are called from that thread, one at a time, and
// must not wait; `take` may send.
struct mad_listener {
    void (*take)(void *ctx, const struct mad_received *in);

    // The port is gone; `reason` is a sentence. Nothing more comes.
    void (*lost)(void *ctx, const char *reason);
    void *ctx;
};

// A port has either `receive` or `listen`; the other is NULL.
struct mad_io {
    // Waits up to `timeout_ms` for a MAD of any agent. 1: received; 0: nothing in time, or only a
    // local time-out of a request; -1: the port is gone (`err` says how), close and open again.
    // One thread.
    int (*receive)(void *self, struct mad_received *out, int timeout_ms, struct error *err);

    // Another thread receives, and hands over what arrives from now on; with NULL nothing more, and
    // no call is under way any longer. False when the port is gone. Not from the thread that
    // receives.
    bool (*listen)(void *self, const struct mad_listener *listener, struct error *err);

    // Sends the 256 octets of a MAD. `response_timeout_ms` is 0 for what expects no answer. False
    // when the kernel refuses it; the port may still work. Any thread.
    bool (*send)(void *self, enum mad_agent agent, const struct mad_address *to,
                 const uint8_t *octets, int response_timeout_ms, struct error *err);

    // Frees `self`. No other call may be under way.
    void (*close)(void *self);
    void *self;
};

// Who provides a port, and which one it gave.
struct mad_port_id {
    char device[64];
    unsigned port;
    uint64_t guid; // of the port
    bool active;   // as it was when opened
};

struct mad_opener {
    // Opens the port that `ctx` stands for. False with a sentence that says what to do.
    bool (*open)(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err);

    // Whether another port than `id` would be opened now, because `id` was only a guess.
    bool (*better)(void *ctx, const struct mad_port_id *id);
    void *ctx;
};

#endif
