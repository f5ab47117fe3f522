// The SA client's port, and the MAD client that may share it. The simulator gives a management
// class to one user of a process only, and a port that is opened once has one state for all: so the
// sweeper sends and listens through the SA client's port.
//
// The SA client's thread opens, receives and closes. What it receives goes to the MAD client if the
// TransactionID has MAD_TID_BATCH.
#ifndef IBTRAPD_IB_SHARED_PORT_H
#define IBTRAPD_IB_SHARED_PORT_H

#include "base/log.h"
#include "ib/mad.h"
#include "ib/mad_io.h"
#include "ib/mad_log.h"

#include <pthread.h>

struct mad_client;

struct shared_port {
    pthread_mutex_t lock; // over what follows
    struct mad_io io;     // io.self is NULL while no port is open
    bool admits;          // a MAD client
    struct log *log;
    struct mad_log mad_log; // of all that goes out and comes in
    struct log_limit send_limit;
    const struct mad_client *attached; // NULL: none; changed with both locks

    // Held while the listener is called. `lock` is within it: a listener sends.
    pthread_mutex_t listener_lock;
    struct mad_listener listener; // the MAD client's; `take` is NULL while it does not listen
};

// No port is open at first. Log and clock outlive it.
void shared_port_init(struct shared_port *port, struct log *log, const struct clock *clock);
void shared_port_destroy(struct shared_port *port); // closed

// The SA client's thread, or after its end.

// Takes over the open port `io`, and admits a MAD client from now on.
void shared_port_open(struct shared_port *port, const struct mad_io *io);
bool shared_port_is_open(const struct shared_port *port);

// As in mad_io, while it is open.
int shared_port_receive(struct shared_port *port, struct mad_received *out, int timeout_ms,
                        struct error *err);

// True: it is not for the SA client. An answer for the MAD client is handed over, or dropped if
// none listens; a request is dropped in a class in which the MAD client asks, and nobody has to ask
// us.
bool shared_port_route(struct shared_port *port, const struct mad_header *header,
                       const struct mad_received *in);

// Tells the MAD client that the port is gone for it, and admits none until the next opening.
void shared_port_dismiss(struct shared_port *port, const char *reason);

// Dismisses the MAD client and closes the port, if one is open.
void shared_port_close(struct shared_port *port);

// Any thread.

// Sends for the SA client, as in mad_io. False when no port is open, or, and the log says so, the
// kernel refuses.
bool shared_port_send(struct shared_port *port, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *octets, int response_timeout_ms);

// Attaches a MAD client, one at a time, until `out->close`, which comes before the port is freed.
// `out->listen` hands out what shared_port_route takes, from the SA client's thread; from that
// thread, only `out->send` may be called. When the port was closed since, even if it was opened
// again, both fail. False with a sentence when no port is open, there is a MAD client already, or
// memory is short.
bool shared_port_attach(struct shared_port *port, struct mad_io *out, struct error *err);

#endif
