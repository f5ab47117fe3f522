// SPDX-License-Identifier: BSD-2-Clause
// A configuration wanted by the test, its text, and its consequences. Shares no code with the
// gateway.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WANTED_RECEIVERS = 6, // by place: files, then syslog by UDP, then a receiver without a listener
    WANTED_FILES = 3,
    WANTED_UDP = 2,
    WANTED_LIMITS = 2,
    WANTED_TEXT_SIZE = 8192,
    WANTED_NAME_SIZE = 16,
    WANTED_MISTAKES = 10,
};

// The counters with a threshold that the test changes, by their numbers in model/counter.h.
extern const struct wanted_counter {
    const char *name;
    unsigned counter;
} WANTED_COUNTERS[WANTED_LIMITS];

struct wanted_receiver {
    bool there;
    bool other_name;  // a second name that this place has
    bool other_item;  // an item without effect on the receiver's events
    bool only_severe; // its filter: warnings and worse
    bool only_probes; // its filter: no other events
};

struct wanted {
    struct wanted_receiver receivers[WANTED_RECEIVERS];
    bool sends_probes;  // a policy disables them otherwise
    unsigned severity;  // of probes, from a policy; RFC 5424's numbers
    bool sends_repeats; // there is no window in which equal events are duplicates
    uint64_t limits[WANTED_LIMITS];
    bool sweeps, reads_counters;
    unsigned settle_ms, in_flight, flap_changes, heartbeat_s;
    bool holds_consequences, logs_debug;
    unsigned verify_s; // waits for a restart
};

// Where the parts of the test are.
struct wanted_places {
    const char *directory; // of the journal, the control socket, and the files of receivers
    uint16_t ports[WANTED_UDP];
    uint16_t closed_port;
};

// All receivers, all probes.
void wanted_begin(struct wanted *wanted);

// Changes some of it. There is always a receiver left.
void wanted_change(struct wanted *wanted, uint64_t *seed);

void wanted_write(const struct wanted *wanted, const struct wanted_places *places,
                  char out[WANTED_TEXT_SIZE]);

// Two mistakes that only the test can make: a line about the missing file, and the name of a
// receiver that cannot be made.
#define WANTED_FILE_GONE "# The file is gone."
#define WANTED_UNMADE    "unmade"

// Adds something that the gateway has to refuse.
void wanted_spoil(char text[WANTED_TEXT_SIZE], unsigned mistake);

void wanted_name(const struct wanted *wanted, size_t place, char out[WANTED_NAME_SIZE]);

// Whether the receiver gets a probe of that severity.
bool wanted_passes(const struct wanted *wanted, size_t place, unsigned severity);

// A random number below `limit`.
unsigned wanted_chance(uint64_t *seed, unsigned limit);
