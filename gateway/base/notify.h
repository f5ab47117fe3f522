// What the service manager is told, by the protocol of sd_notify(3): lines such as "READY=1" in one
// datagram to the socket that $NOTIFY_SOCKET names. Of our own, as the protocol is a promise of
// systemd's and smaller than what linking libsystemd would take.
#ifndef IBTRAPD_BASE_NOTIFY_H
#define IBTRAPD_BASE_NOTIFY_H

#include "base/error.h"

struct notify {
    int fd; // -1: nobody listens
};

// `socket`: a path, or '@' and an abstract name; NULL or empty: nobody listens. False with a
// sentence when there is no such socket; the notify is good for use then, too, and tells nobody.
bool notify_open(struct notify *notify, const char *socket, struct error *err);
void notify_close(struct notify *notify);

// Sends the lines, at most 1023 octets. Never waits; what cannot be sent is lost. Any thread.
void notify_send(const struct notify *notify, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
