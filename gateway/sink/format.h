// Formats an event as one line of text, in each of the formats that receivers read.
//
// Pure: the same origin and event give the same octets. Each line is valid UTF-8 without control
// characters, except LEEF's tab. It fits the buffer of at least FORMAT_SIZE_MIN octets: whole
// fields are left out, the least important first, so that the line stays well-formed. JSON and ECS
// allocate memory; the text is empty if that fails.
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

bool format_find(const char *name, enum format *out); // "rfc5424"

// Adds the message for a syslog receiver: the line with a syslog header. CEF and LEEF get the
// header of RFC 3164, JSON and ECS that of RFC 5424 without structured data.
void format_message(struct text *t, enum format format, const struct format_origin *origin,
                    const struct event *event);

// Adds the line without a header, for a file.
void format_line(struct text *t, enum format format, const struct format_origin *origin,
                 const struct event *event);

// The formats.
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

// The severity to be sent, 0..7, and the priority: facility and severity in one number.
enum severity format_severity(const struct format_origin *origin, const struct event *event);
unsigned format_priority(const struct format_origin *origin, const struct event *event);

#endif
