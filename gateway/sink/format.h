// SPDX-License-Identifier: BSD-2-Clause
// Formats an event in one line of text, in each of the formats that receivers read.
//
// Decides: Which fields does a line leave out if the line is too long?
// Decides: How is a syslog header written?
// Decides: By which key do events belong together at a receiver?
//
// Pure: the same origin and event give the same octets. Each line is valid UTF-8 without control
// characters, except LEEF's tab. A line fits the buffer of at least FORMAT_SIZE_MIN octets and
// stays well-formed, because whole fields are left out, the least important first. No line is
// empty, and no line takes memory.
#pragma once

#include "base/text.h"
#include "model/choices.h"
#include "model/event.h"
#include "model/field.h"
#include "model/severity.h"

#include <stdbool.h>

enum {
    FORMAT_FACILITY_DAEMON = 3,
    FORMAT_SIZE = 8192 + 1,                 // a buffer that holds every line whole
    FORMAT_SIZE_MIN = 2048 + 1,             // a datagram that receivers should accept (RFC 5426)
    FORMAT_SIZE_RFC3164 = 1024 + 1,         // a datagram of RFC 3164 over the network
    FORMAT_SIZE_JOURNALD = FORMAT_SIZE * 3, // a buffer that holds every entry whole
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

// Fills in `out` for messages of this process: facility daemon, all severities unchanged. The
// strings of `out` are those of `process`, which outlives `out`.
void format_origin_own(struct format_origin *out, struct format_process *process);

// The severity to be sent, 0 to 7.
static inline enum severity format_severity(const struct format_origin *origin,
                                            const struct event *event)
{
    return origin->severity_map[event->severity];
}

// SeverityNumber: OpenTelemetry's number for a severity of syslog.
static inline unsigned format_severity_number(enum severity severity)
{
    static const unsigned NUMBERS[FORMAT_SEVERITIES] = {21, 19, 18, 17, 13, 10, 9, 5};
    return NUMBERS[severity];
}

// PRI of RFC 5424 and RFC 3164: facility and severity in one number.
static inline unsigned format_priority(const struct format_origin *origin,
                                       const struct event *event)
{
    return origin->facility * 8 + format_severity(origin, event);
}

// The fields of an event that are not empty, by name and as text, the most important first. All
// formats use this list.

enum {
    FORMAT_VALUE_SIZE = 1024, // the longest value with its NUL
    FORMAT_NODES_MAX = 7,
};

// Gets one field. A number is a decimal integer; a flag is "true" or "false".
typedef void format_take(void *ctx, const char *name, const char *value, enum field_kind kind);

// Calls `take` once for each field but the time and the sentence. Names consist of letters and
// digits.
void format_fields(const struct event *event, format_take *take, void *ctx);

// Likewise for each field that an event of this kind may have, for the JSON schemas.
void format_possible_fields(const struct event *event, format_take *take, void *ctx);

// Fills `out` with the different names of the nodes that the event is about or that report the
// event, and of the systems that the event is about. Returns the number of names. The names stay
// the event's.
size_t format_node_names(const struct event *event, const char *out[FORMAT_NODES_MAX]);

// Adds a value with a backslash before each of the special characters.
void format_escape(struct text *t, const char *value, const char *special);

// Whether events of this kind have the field.
bool format_has_field(const struct event *event, enum field field);

// The key of an event: receivers keep events with the same key in order.

enum { FORMAT_KEY_SIZE = EVENT_FABRIC_SIZE + EVENT_KEY_SIZE };

// Writes the name of the fabric, a blank, and the key of the alarm that the event raises or clears.
// Other events have the GUID of their port or node, or of the reporting node, as 0x and 16 digits,
// behind the blank. Without a GUID, it is "lid" and the LID. Returns the length; 0 if the event
// belongs to nothing, such as an occurrence of the gateway.
size_t format_key(const struct event *event, char out[FORMAT_KEY_SIZE]);

// Receivers of the same format share the text of an event: the first receiver makes the text, and
// the event keeps the text for the other receivers (model/event.h). Every receiver gets the octets
// that the receiver would make alone, for any size of buffer.

enum { FORMAT_PAIR_SIZE = FORMAT_VALUE_SIZE * 2 + 64 }; // the longest field with its name, escaped

// Adds to the text. Pure.
typedef void format_part(struct text *t, const struct format_origin *origin,
                         const struct event *event);

// Everything beside the event that a text depends on: facility, severity, host name, process. A
// text does not depend on the address, the sequence and the kind of receiver.
uint64_t format_shared_variant(const struct format_origin *origin, const struct event *event);

// Adds the text of `make`. The text in a large buffer, if short enough, equals the text in a
// smaller buffer, because `make` leaves out whole fields: the first fields of a list until the rest
// fits, or each field of at most FORMAT_PAIR_SIZE octets that does not fit.
void format_shared_add(struct text *t, enum event_text_place place, uint64_t variant,
                       format_part *make, const struct format_origin *origin,
                       const struct event *event);

// The lines.

// Adds the message for a syslog receiver: the line with a syslog header. CEF and LEEF get the
// header of RFC 3164, JSON and ECS that of RFC 5424 without structured data.
void format_message(struct text *t, enum format format, const struct format_origin *origin,
                    const struct event *event);

// Adds the line without a header, for a file.
void format_line(struct text *t, enum format format, const struct format_origin *origin,
                 const struct event *event);

// One function for each format.
void format_rfc5424(struct text *t, const struct format_origin *origin, const struct event *event);
void format_rfc3164(struct text *t, const struct format_origin *origin, const struct event *event);
void format_ecs(struct text *t, const struct format_origin *origin, const struct event *event);
void format_cef(struct text *t, const struct format_origin *origin, const struct event *event);
void format_leef(struct text *t, const struct format_origin *origin, const struct event *event);
void format_json(struct text *t, const struct format_origin *origin, const struct event *event);
void format_cloudevents(struct text *t, const struct format_origin *origin,
                        const struct event *event);

// What follows the tag of RFC 3164 (5.3): the sentence, then name=value.
void format_rfc3164_content(struct text *t, const struct event *event);

// The headers, each with its final space.
void format_rfc5424_header(struct text *t, const struct format_origin *origin,
                           const struct event *event);
void format_rfc3164_header(struct text *t, const struct format_origin *origin,
                           const struct event *event);

// Adds an entry of systemd's journal to a text of FORMAT_SIZE_JOURNALD. MESSAGE is the line for a
// local syslog daemon, because journald may forward MESSAGE to a syslog daemon. Each field is there
// as IBTRAPD_ and the field's name in capitals, such as IBTRAPD_SUBJECT_NAME; IBTRAPD_NODE is there
// once for each node that the event names.
void format_journald(struct text *t, const struct format_origin *origin, const struct event *event);

// The MESSAGE_ID of an event type, 32 hexadecimal digits, made from the type's identifier, and so
// the same for ever. Returns false if OpenSSL has no SHA-256.
enum { FORMAT_JOURNALD_ID_SIZE = 33 };
bool format_journald_id(const char *event_name, char out[FORMAT_JOURNALD_ID_SIZE]);

// Fills `out` with the socket of the journal's own protocol, if the journal owns the syslog socket
// at `path`, as on most machines with systemd. Returns false if another logger reads `path`.
bool format_journald_socket(const char *path, char *out, size_t size);
