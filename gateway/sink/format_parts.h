// SPDX-License-Identifier: BSD-2-Clause
// The parts that all formats share: the size of a line, and its sender.
#ifndef IBTRAPD_SINK_FORMAT_PARTS_H
#define IBTRAPD_SINK_FORMAT_PARTS_H

#include "base/text.h"
#include "model/event.h"
#include "model/field.h"
#include "model/severity.h"

#include <stdbool.h>

enum {
    FORMAT_FACILITY_DAEMON = 3,
    FORMAT_SIZE = 8192 + 1,         // a buffer that holds every line whole
    FORMAT_SIZE_MIN = 2048 + 1,     // a datagram that receivers should accept (RFC 5426)
    FORMAT_SIZE_RFC3164 = 1024 + 1, // a datagram of RFC 3164 over the network
    FORMAT_SEVERITIES = SEVERITY_DEBUG + 1,
};

// The sender of the messages. The strings stay the caller's.
struct format_origin {
    unsigned facility;                             // 0..23
    enum severity severity_map[FORMAT_SEVERITIES]; // the severity sent for each severity
    const char *hostname;                          // "-" when unknown
    const char *process_id;
    bool local;            // the receiver is the machine's logger: RFC 3164 without host name
    const char *ip;        // our address towards the receiver; NULL: unknown
    const char *engine_id; // of our SNMP engine, in hexadecimal; NULL: unknown
    int64_t started_us;    // UTC; 0: unknown
    uint32_t sequence;     // of the message, from 1; 0: not counted
};

// What the process says of itself in each message.
struct format_process {
    char hostname[256]; // "-" when unknown
    char id[16];
};

// Fills in `out` for messages of this process: facility daemon, each severity sent as it is. Its
// strings are those of `process`, which has to outlive it.
void format_origin_own(struct format_origin *out, struct format_process *process);

// The severity to be sent, 0 to 7.
static inline enum severity format_severity(const struct format_origin *origin,
                                            const struct event *event)
{
    return origin->severity_map[event->severity];
}

// PRI of RFC 5424 and RFC 3164: facility and severity in one number.
static inline unsigned format_priority(const struct format_origin *origin,
                                       const struct event *event)
{
    return origin->facility * 8 + format_severity(origin, event);
}

// Lists the fields of an event that are not empty, by name and as text, the most important first.
// Every format uses it.

enum {
    FORMAT_VALUE_SIZE = 1024, // the longest value with its NUL
    FORMAT_NODES_MAX = 5,
};

// Gets one field. A number is a decimal integer; a flag is "true" or "false".
typedef void format_take(void *ctx, const char *name, const char *value, enum field_kind kind);

// Calls `take` once for each field but the time and the sentence. Names consist of letters and
// digits.
void format_fields(const struct event *event, format_take *take, void *ctx);

// Fills `out` with the different names of the nodes that the event is about or that report it.
// Returns how many. They stay the event's.
size_t format_node_names(const struct event *event, const char *out[FORMAT_NODES_MAX]);

// Whether events of this kind have that field.
bool format_has_field(const struct event *event, enum field field);

// By what an event belongs together with others, whose order matters.

enum { FORMAT_KEY_SIZE = EVENT_KEY_SIZE };

// Writes the key of the alarm that the event raises or clears, or else the GUID of the port or node
// that it is about, or that reported it, as 0x and 16 digits, or where no GUID is known "lid" and
// the LID. Returns its length; 0: it belongs to nothing, as the gateway's own occurrences.
size_t format_key(const struct event *event, char out[FORMAT_KEY_SIZE]);

// Lets the receivers of a format share what they would make of an event alike: the first makes it,
// and the event keeps it for the others (model/event.h). Every receiver gets the octets that
// it would make itself, of whatever room its buffer has.

enum { FORMAT_PAIR_SIZE = FORMAT_VALUE_SIZE * 2 + 64 }; // the longest field with its name, escaped

// Adds to the text. Pure.
typedef void format_part(struct text *t, const struct format_origin *origin,
                         const struct event *event);

// What texts depend on beside the event: facility, severity sent, host name, process. They do not
// depend on the address, the sequence and whether the receiver is local.
uint64_t format_shared_variant(const struct format_origin *origin, const struct event *event);

// Adds what `make` would add. What it adds in a larger buffer, if that fits a smaller one, is what
// it adds there: it leaves out the first of a list of fields until the rest fits, or every field of
// at most FORMAT_PAIR_SIZE octets that does not fit.
void format_shared_add(struct text *t, enum event_text_place place, uint64_t variant,
                       format_part *make, const struct format_origin *origin,
                       const struct event *event);

#endif
