// What happened, identified, named and explained: the value that every output is made from.
#ifndef IBTRAPD_MODEL_EVENT_H
#define IBTRAPD_MODEL_EVENT_H

#include "model/names.h"
#include "model/notice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EVENT_ID_SIZE = 37,     // a UUID as text and its NUL
    EVENT_RAW_MAX = 256,    // octets: a whole MAD
    EVENT_TEXT_SIZE = 1024,
    EVENT_REASON_SIZE = 256,
    EVENT_KEY_SIZE = 128,
};

// A node or port that an event speaks of, as far as it is known.
struct endpoint {
    uint64_t guid; // 0: unknown
    uint16_t lid;  // 0: unknown
    uint8_t gid[ADDRESS_GID_SIZE];
    char name[NAMES_NAME_SIZE]; // empty: unknown
};

struct catalogue_entry;

// Immutable once it is handed on. Counted: whoever keeps one holds a reference.
struct event {
    _Atomic unsigned references;
    const struct catalogue_entry *type;
    char id[EVENT_ID_SIZE]; // the same in every output
    int64_t time_us;        // UTC, microseconds since 1970
    uint64_t subnet_prefix;
    struct endpoint issuer, subject; // who reported it; whom it is about
    struct endpoint source, destination; // of an offending packet (traps 256 to 259)
    uint64_t switch_guid;   // of the switch that reported it itself; 0: none did
    struct notice notice;   // all zero when no notice caused the event
    uint8_t raw[EVENT_RAW_MAX];
    size_t raw_size;        // octets of the notice, or of the malformed MAD, as they arrived
    char reason[EVENT_REASON_SIZE];
    char receiver[65];      // whose failing or recovery the event tells; empty otherwise
    uint64_t lost;          // events that were lost, where the event tells of that
    char alarm_key[EVENT_KEY_SIZE]; // empty unless the event raises or clears an alarm
    char text[EVENT_TEXT_SIZE];     // one English sentence
};

// An event of zeroes with one reference, the caller's; NULL when memory is short.
struct event *event_make(const struct catalogue_entry *type);

// Any thread.
struct event *event_keep(struct event *event); // returns `event`
void event_release(struct event *event);       // NULL is allowed

#endif
