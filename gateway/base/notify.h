// SPDX-License-Identifier: BSD-2-Clause
// Notifies the service manager by the protocol of sd_notify(3): lines, for instance "READY=1", in
// one datagram to the socket in $NOTIFY_SOCKET. systemd guarantees this protocol, and this code is
// smaller than the dependency on libsystemd.
#pragma once

#include "base/error.h"

struct notify {
    int fd; // -1: there is no service manager
};

// `socket`: a path, or '@' and an abstract name; NULL or empty: there is no service manager. False
// with a sentence: there is no such socket; notify_send then does nothing.
bool notify_open(struct notify *notify, const char *socket, struct error *err);
void notify_close(struct notify *notify);

// Sends the lines, at most 1023 octets. Cuts a longer text between two characters: systemd drops a
// status that is not UTF-8. Never waits; lines that cannot be sent are lost. Any thread.
void notify_send(const struct notify *notify, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

// Waits until the service manager has handled the messages so far, at most five seconds: the
// service manager ignores a message if the sender has ended before the manager reads the message.
// Without a service manager, returns at once.
void notify_wait(const struct notify *notify);
