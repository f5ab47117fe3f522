// What happened, identified, named and explained: the value that every output is made from.
#ifndef IBTRAPD_MODEL_EVENT_H
#define IBTRAPD_MODEL_EVENT_H

#include "model/names.h"
#include "model/notice.h"
#include "model/severity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EVENT_ID_SIZE = 37,  // a UUID as text and its NUL
    EVENT_RAW_MAX = 256, // octets: a whole MAD
    EVENT_TEXT_SIZE = 1024,
    EVENT_REASON_SIZE = 256,
    EVENT_KEY_SIZE = 128,
    EVENT_SUPPRESSED_SIZE = 64,
    EVENT_RULE_SIZE = 64,
};

#define EVENT_STANDBY "standby" // held because another gateway tells receivers of it

// A node or port that an event speaks of, as far as it is known.
struct endpoint {
    uint64_t
        guid; // of the port; of the node for a switch, or where only the node is meant; 0: unknown
    uint64_t node_guid; // 0: unknown
    uint16_t lid;       // 0: unknown
    uint8_t type;       // enum fabric_type; 0: unknown
    uint8_t port;       // number; 0: unknown, none, or the port 0 of a switch
    uint8_t gid[ADDRESS_GID_SIZE];
    char name[NAMES_NAME_SIZE]; // empty: unknown
};

struct catalogue_entry;

// Immutable once it is handed on. Counted: whoever keeps one holds a reference.
struct event {
    _Atomic unsigned references;
    const struct catalogue_entry *type;
    enum severity severity; // the type's, unless the site wants another
    enum category category; // likewise
    char id[EVENT_ID_SIZE]; // the same in every output
    int64_t time_us;        // UTC, microseconds since 1970
    uint64_t subnet_prefix;
    struct endpoint issuer, subject;     // who reported it; whom it is about
    struct endpoint source, destination; // of an offending packet (traps 256 to 259)
    uint64_t switch_guid; // of the switch that reported it itself, or that a topology change is
                          // about or hangs on; 0: none
    struct endpoint peer; // the other end of the subject's link; what it hangs or hung on; an I/O
                          // controller; the former master
    struct notice notice; // all zero when no notice caused the event
    uint8_t raw[EVENT_RAW_MAX];
    size_t raw_size; // octets of the notice, or of the malformed MAD, as they arrived
    char reason[EVENT_REASON_SIZE];
    char receiver[65]; // whose failing or recovery the event tells; empty otherwise
    uint64_t lost;     // events that were lost, where the event tells of that
    uint64_t affected; // nodes that went with the subject, where the event tells of that
    uint64_t sm_guid;  // of the subnet manager that the event is about
    uint8_t counter;   // enum counter, where the event is about one
    uint64_t counter_old, counter_new;
    bool found_late;                // it happened while the gateway was away
    bool derived;                   // the notice was never sent: counters or a sweep tell
    char related_id[EVENT_ID_SIZE]; // of the event that this one explains; empty: none
    char cause_id[EVENT_ID_SIZE];   // of the event whose consequence this is; empty: none
    char clears_id[EVENT_ID_SIZE];  // of the event that raised the alarm that this one clears;
                                    // empty: none
    int64_t number;                 // in the journal, which gives it; 0: it has none yet
    bool event_trap;                // as severe as gswEventTrapLevel of its switch asks for
    bool test;                      // it never happened: somebody tests the way to the receivers
    char only_receiver[65];         // of a test: the one that gets it; empty: all
    char suppressed[EVENT_SUPPRESSED_SIZE]; // why receivers do not get it; empty: they do
    char
        rule[EVENT_RULE_SIZE]; // of the configuration, that decided something about it; empty: none
    const struct catalogue_entry
        *summarised;       // the kind of events that this one sums up; NULL: none
    uint64_t repeat_count; // events that were suppressed instead and that this one stands for
    int64_t since_us;      // UTC; when the first of them happened; 0: there is none
    char alarm_key[EVENT_KEY_SIZE]; // empty unless the event raises or clears an alarm
    char text[EVENT_TEXT_SIZE];     // one English sentence
};

// An event of zeroes with one reference, the caller's, and the type's severity and category; `type`
// may be NULL. NULL when memory is short.
struct event *event_make(const struct catalogue_entry *type);

// An equal event with one reference, the caller's; NULL when memory is short. Any thread.
struct event *event_copy(const struct event *event);

// gswEventIndex, 1 to 2147483647: the number in the journal, or where that is more, its last 31
// bits.
uint32_t event_index(const struct event *event);

// gswEventRepeatCount, 1 to 2147483647: how many times it has happened.
uint32_t event_times(const struct event *event);

// Any thread.
struct event *event_ref(struct event *event); // returns `event`
void event_unref(struct event *event);        // NULL is allowed

#endif
