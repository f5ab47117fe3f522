// SPDX-License-Identifier: BSD-2-Clause
// Events for systemd's journal by the journal's own protocol: every field of an event is a field of
// the entry, and `journalctl IBTRAPD_NODE=leaf1` finds all events about a node
// (systemd.journal-fields(7), "Journal Native Protocol").
#ifndef IBTRAPD_SINK_JOURNALD_H
#define IBTRAPD_SINK_JOURNALD_H

#include "base/text.h"
#include "sink/format.h"

enum {
    JOURNALD_ID_SIZE = 33,
    JOURNALD_SIZE = FORMAT_SIZE * 3, // a buffer that holds every entry whole
};

// Fills `out` with the socket of the journal's own protocol, if the journal owns the syslog socket
// at `path`, as on most machines with systemd. Returns false if another logger reads `path`.
bool journald_socket(const char *path, char *out, size_t size);

// The MESSAGE_ID of an event type, 32 hexadecimal digits, made from the type's identifier, and so
// the same for ever. Returns false if OpenSSL has no SHA-256.
bool journald_message_id(const char *event_name, char out[JOURNALD_ID_SIZE]);

// Adds an entry to a text of JOURNALD_SIZE. MESSAGE is the line for a local syslog daemon, because
// journald may forward MESSAGE to a syslog daemon. Each field is there as IBTRAPD_ and the field's
// name in capitals, such as IBTRAPD_SUBJECT_NAME; IBTRAPD_NODE is there once for each node that the
// event names.
void journald_entry(struct text *t, const struct format_origin *origin, const struct event *event);

#endif
