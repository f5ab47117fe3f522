// SPDX-License-Identifier: BSD-2-Clause
// The SA client's port, and its share for MAD clients: the sweeper, and the reads on demand. MAD
// clients have no ports of their own, because the simulator allows one user of a management class
// in a process, and because a port that is opened once has one state for all.
//
// The SA client's thread opens, receives and closes. The TransactionID of a response names the MAD
// client that gets the response (enum mad_user).
//
// The debug log has a line for each MAD sent or received, with peer, method, attribute and
// TransactionID and, for an answer, its status and duration. No line has an M_Key or an SA key.
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "ib/mad.h"
#include "ib/mad_io.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SHARED_PORT_SENT_MAX = 512 };

struct mad_client;

// The place of a MAD client.
struct shared_port_place {
    const struct mad_client *attached; // NULL: none; to change it, hold both locks
    struct mad_listener listener;      // under listener_lock; `take` is NULL while none listens
};

struct shared_port {
    pthread_mutex_t lock; // over the members up to listener_lock
    struct mad_io io;     // io.self is NULL while no port is open
    bool admits;          // MAD clients may attach
    uint64_t sa_key;      // goes with requests to the SA at `key_lid`; 0: none
    uint16_t key_lid;
    struct log *log;
    const struct clock *clock;
    struct log_limit send_limit;

    // When the last few hundred requests were sent. Filled in only while the folder's level is
    // debug.
    struct {
        _Atomic uint32_t tid;
        _Atomic int64_t at; // monotonic microseconds; 0: none
    } sent[SHARED_PORT_SENT_MAX];

    // Held while a listener is called. Locked before `lock`, since a listener sends.
    pthread_mutex_t listener_lock;
    struct shared_port_place places[MAD_USER_COUNT];
};

// Begins without an open port. Log and clock outlive it.
void shared_port_init(struct shared_port *port, struct log *log, const struct clock *clock);
void shared_port_destroy(struct shared_port *port); // it must be closed

// For the SA client's thread, or after its end.

// Takes over the open port `io`, and admits MAD clients from now on.
void shared_port_open(struct shared_port *port, const struct mad_io *io);
bool shared_port_is_open(const struct shared_port *port);

// As mad_io's `receive`, while the port is open.
int shared_port_receive(struct shared_port *port, struct mad_received *out, int timeout_ms,
                        struct error *err);

// Like mad_io's functions of the same name, while the port is open. Return NULL, or false with a
// sentence, if the port does not have the function.
const char *shared_port_smp_refusal(struct shared_port *port, uint64_t mkey); // any thread
bool shared_port_read_port(struct shared_port *port, struct mad_port *out, struct error *err);
const char *shared_port_refresh(struct shared_port *port);

// Passes a response that belongs to a MAD client to its listener, or drops it if there is none.
// Drops requests in classes in which only MAD clients send requests. False: the MAD is for the SA
// client.
bool shared_port_route(struct shared_port *port, const struct mad_header *header,
                       const struct mad_received *in);

// Reports to the MAD clients that the port is gone, detaches them, and admits none until
// shared_port_open.
void shared_port_dismiss(struct shared_port *port, const char *reason);

// Dismisses the MAD clients and closes the port, if one is open.
void shared_port_close(struct shared_port *port);

// Puts the SA key into every request to the SA at `lid` from now on, also into requests of MAD
// clients, except for requests marked as keyless. No other MAD gets the key. A key of 0 ends this.
void shared_port_set_sa_key(struct shared_port *port, uint16_t lid, uint64_t sa_key);

// For any thread.

// Sends for the SA client, as mad_io's `send`. False: no port is open, or the kernel refused, which
// the log says.
bool shared_port_send(struct shared_port *port, const struct mad_address *to, const uint8_t *octets,
                      int response_timeout_ms);

// Attaches a MAD client until the client calls `out->close`. The client has to do so before
// shared_port_destroy. The SA client's thread calls the listener of `out->listen`; in that thread,
// only `out->send` may be called. Once the port was closed, `out->listen` and `out->send` fail,
// even if the port is opened again. Returns false with a sentence if no port is open, or if such a
// MAD client is attached already.
bool shared_port_attach(struct shared_port *port, enum mad_user user, struct mad_io *out,
                        struct error *err);
