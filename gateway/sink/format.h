// An event as one line of text, in each of the formats that receivers read.
//
// All are pure: the same origin and event make the same octets. Each line is valid UTF-8 without
// control characters (LEEF's tab excepted) and fits the buffer, of FORMAT_SIZE_MIN octets at least:
// what does not fit is left out whole, the least important first, so that the line stays
// well-formed. Where memory is short (JSON and ECS need some) nothing is left of the text: it is
// empty.
#ifndef IBTRAPD_SINK_FORMAT_H
#define IBTRAPD_SINK_FORMAT_H

#include "base/text.h"
#include "model/event.h"
#include "model/severity.h"

enum format {
    FORMAT_RFC5424, // syslog with structured data
    FORMAT_RFC3164, // BSD syslog: the sentence, then name=value
    FORMAT_ECS,     // JSON, Elastic Common Schema 8
    FORMAT_CEF,     // ArcSight Common Event Format
    FORMAT_LEEF,    // QRadar Log Event Extended Format 2.0
    FORMAT_JSON,    // JSON, every field by its name
    FORMAT_COUNT,
};

enum {
    FORMAT_SIZE = 8192 + 1,         // of a buffer that every line fits
    FORMAT_SIZE_MIN = 2048 + 1,     // what fits the datagrams that receivers should take (RFC 5426)
    FORMAT_SIZE_RFC3164 = 1024 + 1, // of a datagram of RFC 3164 over the network
    FORMAT_SEVERITIES = SEVERITY_DEBUG + 1,
};

// Who speaks. The strings stay the caller's.
struct format_origin {
    unsigned facility;                             // 0..23
    enum severity severity_map[FORMAT_SEVERITIES]; // what is sent for each severity
    const char *hostname;                          // "-" when unknown
    const char *process_id;
    bool local;            // to the machine's own logger, whose RFC 3164 has no host name
    const char *ip;        // our address towards the receiver; NULL: unknown
    const char *engine_id; // of our SNMP engine, in hexadecimal; NULL: unknown
    int64_t started_us;    // UTC; 0: unknown
    uint32_t sequence;     // of the message, from 1; 0: not counted
};

bool format_find(const char *name, enum format *out); // "rfc5424"

// The line with a syslog header, as it goes to a syslog receiver: what has none of its own gets
// that of RFC 3164 (CEF, LEEF) or of RFC 5424 without structured data (JSON, ECS).
void format_message(struct text *t, enum format format, const struct format_origin *origin,
                    const struct event *event);

// The line by itself, as it goes to a file.
void format_line(struct text *t, enum format format, const struct format_origin *origin,
                 const struct event *event);

// What the table of formats is made of.
void format_rfc5424(struct text *t, const struct format_origin *origin, const struct event *event);
void format_rfc3164(struct text *t, const struct format_origin *origin, const struct event *event);
void format_ecs(struct text *t, const struct format_origin *origin, const struct event *event);
void format_cef(struct text *t, const struct format_origin *origin, const struct event *event);
void format_leef(struct text *t, const struct format_origin *origin, const struct event *event);
void format_json(struct text *t, const struct format_origin *origin, const struct event *event);

// The headers, each with its final space.
void format_rfc5424_header(struct text *t, const struct format_origin *origin,
                           const struct event *event);
void format_rfc3164_header(struct text *t, const struct format_origin *origin,
                           const struct event *event);

// The severity that is sent, 0..7, and the priority that it makes with the facility.
enum severity format_severity(const struct format_origin *origin, const struct event *event);
unsigned format_priority(const struct format_origin *origin, const struct event *event);

#endif
