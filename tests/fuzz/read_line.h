// Takes lines of the formats apart, by the formats' specifications alone: nothing in here knows how
// the lines were made. What breaks a specification aborts.
#ifndef IBTRAPD_TESTS_READ_LINE_H
#define IBTRAPD_TESTS_READ_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { READ_LINE_PAIRS = 160, READ_LINE_NAME_SIZE = 64, READ_LINE_VALUE_SIZE = 8192 };

struct read_pair {
    char element[READ_LINE_NAME_SIZE]; // of structured data, or of JSON: the object around it
    char name[READ_LINE_NAME_SIZE];
    char value[READ_LINE_VALUE_SIZE]; // without escapes
};

struct read_line {
    unsigned priority;
    char msgid[33];               // RFC 5424
    char event[64], severity[16]; // the header of CEF and LEEF
    const char *message;          // within the line: of RFC 5424 behind the structured data, of
                                  // RFC 3164 behind the tag
    struct read_pair pairs[READ_LINE_PAIRS];
    size_t count;
};

// RFC 5424 6; with structured data or without.
void read_rfc5424(const char *line, struct read_line *out);

// RFC 3164 4.1: the header, and the tag "ibtrapd[PID]: " or nothing. Then `message` begins.
void read_rfc3164(const char *line, bool has_host, bool has_tag, struct read_line *out);

// name=value or name="value" from `p` to the end, each behind a blank.
void read_words(const char *p, struct read_line *out);

// ArcSight Common Event Format, version 0; QRadar Log Event Extended Format, version 2.0.
void read_cef(const char *line, struct read_line *out);
void read_leef(const char *line, struct read_line *out);

// A JSON object (RFC 8259). Numbers and truth values become text, members of inner objects get the
// names of the objects around them, with dots between, as their element; lists are left out.
void read_json(const char *line, struct read_line *out);

// The value, or NULL. Each name stands once.
const char *read_line_find(const struct read_line *line, const char *element, const char *name);

#endif
