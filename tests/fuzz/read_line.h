// SPDX-License-Identifier: BSD-2-Clause
// Parses lines of the formats by the formats' specifications alone, independently of the code that
// wrote the lines. Aborts if a line violates the specification.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { READ_LINE_PAIRS = 160, READ_LINE_NAME_SIZE = 64, READ_LINE_VALUE_SIZE = 8192 };

struct read_pair {
    char element[READ_LINE_NAME_SIZE]; // name of the element of structured data, or of the
                                       // enclosing JSON object
    char name[READ_LINE_NAME_SIZE];
    char value[READ_LINE_VALUE_SIZE]; // without escapes
};

struct read_line {
    unsigned priority;
    char msgid[33];               // RFC 5424
    char event[64], severity[16]; // the header of CEF and LEEF
    const char *message; // points into the line: after the structured data (RFC 5424), or after the
                         // tag (RFC 3164)
    struct read_pair pairs[READ_LINE_PAIRS];
    size_t count;
};

// RFC 5424 6; with structured data or without.
void read_rfc5424(const char *line, struct read_line *out);

// RFC 3164 4.1: the header, and the tag "ibtrapd[PID]: " or nothing. Then `message` begins.
void read_rfc3164(const char *line, bool has_host, bool has_tag, struct read_line *out);

// name=value or name="value" from `p` to the end, each after a blank.
void read_words(const char *p, struct read_line *out);

// ArcSight Common Event Format, version 0; QRadar Log Event Extended Format, version 2.0.
void read_cef(const char *line, struct read_line *out);
void read_leef(const char *line, struct read_line *out);

// A JSON object (RFC 8259). Numbers and truth values become text. Members of inner objects get the
// names of the enclosing objects, separated by dots, as their element. Lists are skipped.
void read_json(const char *line, struct read_line *out);

// The value; NULL: none. Each name may occur once only.
const char *read_line_find(const struct read_line *line, const char *element, const char *name);
