// SPDX-License-Identifier: BSD-2-Clause
// An alarm: an event raised the alarm. Either no event has cleared the alarm yet, or receivers were
// not told yet of its end.
#pragma once

#include "model/catalogue.h"
#include "model/event.h"
#include "model/severity.h"

enum { ALARM_TYPE_SIZE = 64, ALARM_NOTE_SIZE = 256, ALARM_WHO_SIZE = 64 };

// Whether the alarm is raised for receivers.
enum alarm_notified {
    ALARM_NOT_NOTIFIED,
    ALARM_NOTIFIED,           // this gateway sent a raising event
    ALARM_NOTIFIED_ELSEWHERE, // the gateway that was active then sent the event
    ALARM_END_ELSEWHERE,      // no: the other gateway was to tell receivers of the end
};

struct alarm {
    char key[EVENT_KEY_SIZE];
    // The first raising event.
    int64_t event_sequence; // its number in the journal
    char event_id[EVENT_ID_SIZE];
    int64_t raised_us; // UTC
    // The last raising event.
    char last_id[EVENT_ID_SIZE]; // empty: not known, or `event_id`
    char type[ALARM_TYPE_SIZE];  // its catalogue row's name
    enum severity severity;
    enum category category;
    char cause_id[EVENT_ID_SIZE]; // of its root cause; empty: none
    uint64_t node_guid;           // 0: none
    char text[EVENT_TEXT_SIZE];
    int64_t last_us; // UTC
    uint64_t count;  // how often raised since the alarm became active
    enum alarm_notified notified;
    char notified_id[EVENT_ID_SIZE]; // the event that notified receivers; empty unless
                                     // ALARM_NOTIFIED
    // Why receivers get no event about the alarm, a word as in event->suppressed; empty: they do.
    char suppressed[EVENT_SUPPRESSED_SIZE];
    // The alarm is cleared, and kept for one of three reasons: receivers were not told yet, another
    // gateway was to tell receivers, or the alarm is shelved.
    bool over;
    int64_t last_sequence; // of the last event about it
    // Of the last event that told receivers of the alarm, some or all, since they were told of an
    // end; 0: none.
    int64_t told_sequence;
    // Changes by operators. Who acknowledged or shelved the alarm: "alice (uid 1000)"; empty:
    // nobody.
    int64_t acknowledged_us; // UTC; 0: not acknowledged
    char acknowledged_by[ALARM_WHO_SIZE];
    char note[ALARM_NOTE_SIZE];
    int64_t shelved_until_us; // UTC; 0: not shelved
    int64_t shelved_for_us;   // from then on, in all; 0: not known
    char shelved_by[ALARM_WHO_SIZE];
    // How many active alarms have this alarm's event as their root cause. The journal counts
    // these alarms, and its file has no column for the number.
    uint32_t consequences;
};

// The alarm that the event raises; its number in the journal is `sequence`. alarm_note_raise fills
// the rest.
struct alarm alarm_of_event(const struct event *event, int64_t sequence);
// Begins the alarm anew after a clear. If receivers were not told of the clear, the alarm is the
// same for receivers, and keeps its number.
struct alarm alarm_begin_again(const struct alarm *before, const struct event *event,
                               int64_t sequence);
void alarm_note_raise(struct alarm *alarm, const struct event *event, int64_t sequence);
// Notes the knowledge of receivers after the event that clears the alarm, and whether to keep the
// alarm. If another gateway is to send the end, the alarm stays for a while: the other gateway may
// fail. A shelved alarm stays shelved when raised again.
void alarm_note_end(struct alarm *alarm, const struct event *event);
// Whether policy sends the event as a late notification of an active alarm.
bool alarm_is_notified_late(const struct alarm *alarm, const struct event *event);

// Whether an operator has put the alarm aside: acknowledged or shelved it, disabled it by a policy,
// or begun a maintenance of its nodes.
bool alarm_is_aside(const struct alarm *alarm);

// Whether somebody should look at an active alarm, and if not, why. The first that fits.
enum alarm_standing {
    ALARM_IN_MAINTENANCE, // a maintenance window holds the alarm back
    ALARM_FOLLOWS,        // from another alarm, its root cause
    // The alarm is about the gateway: the verdict on the gateway has it. A silent subnet manager is
    // the fabric's.
    ALARM_OF_GATEWAY,
    ALARM_HANDLED, // somebody acknowledged or shelved the alarm, or a policy disables it
    ALARM_OPEN,
    ALARM_STANDINGS,
};

// `type`: the row of alarm->type; NULL: there is none.
enum alarm_standing alarm_standing(const struct alarm *alarm, const struct catalogue_entry *type);
const char *alarm_standing_word(enum alarm_standing standing); // "open", "follows", ...

// A page of a list of alarms, in the order of raising.
struct alarm_page {
    struct alarm *all; // the caller's, with room for `room`
    size_t room, count;
    int64_t after; // the number of the last alarm read: the next page begins behind this alarm
    bool more;     // the list goes on behind the page
};

// A digest (base/hash.h) of all that an answer says of the alarm.
uint64_t alarm_digest(const struct alarm *alarm);

// How many alarms are active, by the last raising event and its severity. The row behind the last
// event counts alarms of events that this version does not know.
struct alarm_counts {
    uint32_t of[CATALOGUE_COUNT + 1][SEVERITY_DEBUG + 1];
    uint32_t open_of[CATALOGUE_COUNT + 1][SEVERITY_DEBUG + 1]; // of ALARM_OPEN
    uint32_t by_standing[ALARM_STANDINGS];
    uint32_t open[SEVERITY_DEBUG + 1]; // ALARM_OPEN, by severity
};
