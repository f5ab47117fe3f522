// SPDX-License-Identifier: BSD-2-Clause
// The alerts that Alertmanagers are to have: one for each active alarm, and for each alarm that
// ended less than `expire` ago. Pure: no network, and the time is passed in. One thread.
//
// The list is the same for all Alertmanagers. Each Alertmanager has a place in the list: what
// changed behind the place is posted at once, and everything is posted again in rounds, as
// Prometheus does. ibtrapd does not know the alerts of an Alertmanager.
//
// Decides: When does an alert end at Alertmanager?
#pragma once

#include "base/random.h"
#include "base/text.h"
#include "model/alarm.h"

enum {
    ALERT_LIST_MAX = 131072, // active alarms; further alarms are counted and not posted
    ALERT_LIST_TESTS_MAX = 512,
    ALERT_LIST_BATCH_MAX = 500,
    ALERT_LIST_BODY_SIZE = 512 << 10, // octets of a batch: a proxy may have a limit of 1 MiB
};

// Labels identify an alert: the labels are the same at the raise, each refresh and the end.
// Severity and event are among the labels, because routes go by severity and event. If an alarm
// changes its severity, one alert ends and another begins.

// Two gateways of one subnet may share a source: both have the alerts of the fabric, and each
// gateway has the alerts about itself.
struct alert_origin {
    const char *source, *gateway;
    const char *fabric; // in the configuration: two gateways of a fabric post the same labels
};

// The next two return a JSON object with its names in order, which the caller frees.

// `event` raised the alarm last. If the journal has dropped the event, `event` has what the alarm
// says.
char *alert_labels(const struct alarm *alarm, const struct event *event,
                   const struct alert_origin *origin);
char *alert_annotations(const struct alarm *alarm);

// The alarm that a test event would raise.
void alert_of_test(const struct event *event, struct alarm *out);

struct alert_list;

// Each round begins a quarter of `expire_us` after the round before. An alert that ended stays in
// the list for `expire_us`.
struct alert_list *alert_list_new(int64_t expire_us, const struct random *random);
void alert_list_free(struct alert_list *list);  // NULL is allowed
void alert_list_clear(struct alert_list *list); // forgets all alerts without an end

// A scan of the alarm list: begin, see or put each alarm that is to be posted, end. An alarm for
// which neither was called has ended.

void alert_list_begin(struct alert_list *list, int64_t now_us); // monotonic

// Returns false if alert_list_put is to be called: the alarm is new or changed, or the labels were
// guessed. An alarm with guessed labels is asked for after 1, 2, 4 ... scans, at last after 1,024.
bool alert_list_see(struct alert_list *list, const struct alarm *alarm);

// Returns true if a new alarm has no room, and counts the alarm; do not put it.
bool alert_list_lacks_room(struct alert_list *list, const struct alarm *alarm);

// Takes `labels` and `annotations`, which are freed with free(). `labels` are NULL if the receiver
// does not get this alarm. `guessed`: the alarm's event could not be read, so that labels may be
// missing, and the filter may have judged wrongly. Other labels than before end the old alert.
// Guessed labels do not replace known labels of the same event.
void alert_list_put(struct alert_list *list, const struct alarm *alarm, char *labels,
                    char *annotations, bool guessed);

// `whole`: every active alarm was seen or put; otherwise no alert ends. `utc_us`: now.
void alert_list_end(struct alert_list *list, bool whole, int64_t utc_us);

struct alert_list_times {
    int64_t now_us; // monotonic
    int64_t utc_us; // by the clock of the Alertmanager, for alert_list_take; else of this host
};

// Adds an alert that ends by itself after `lasts_us`, and takes the strings. Beyond
// ALERT_LIST_TESTS_MAX of them the oldest is forgotten.
void alert_list_add_test(struct alert_list *list, char *labels, char *annotations, int64_t lasts_us,
                         const struct alert_list_times *times);

// Returns how many active alarms had no room in the last scan.
size_t alert_list_beyond(const struct alert_list *list);

// How far an Alertmanager was told. All zero: nothing was posted yet.
struct alert_place {
    uint64_t told;   // the number of the last change that was posted
    bool owes_round; // a whole round is due at once
    bool in_round;   // a round goes on behind alert `at`, up to alert `last`, and then,
    bool wrapped;    // once it has begun again with the oldest alert, up to alert `stop`
    uint64_t at, last, stop;
    int64_t began_us;  // the last round; monotonic
    int64_t lasted_us; // the last whole round
};

// Writes a JSON array of up to `max` alerts, ALERT_LIST_BATCH_MAX at most, that are due at the
// place: changes first, half of them beside a round, then the round. Sets `*count`, and `*next` to
// the place once the Alertmanager has taken the array. Returns false if nothing is to be posted;
// then `*next` is the place. The array is empty if a round begins and there are no alerts.
bool alert_list_take(struct alert_list *list, const struct alert_place *place,
                     const struct alert_list_times *times, size_t max, struct text *body,
                     size_t *count, struct alert_place *next);

// Moves the place to `next`, since the Alertmanager has taken the array now.
void alert_place_move(struct alert_place *place, const struct alert_place *next, int64_t now_us);

// Makes a round begin at once, because the Alertmanager may have lost its alerts. The round begins
// where the last round ended or broke off: each alert has its turn.
void alert_place_forget(struct alert_place *place);

// Whether something is due. Takes no time.
bool alert_list_has_due(const struct alert_list *list, const struct alert_place *place,
                        int64_t now_us);

// Whether every change was posted, and a whole round since alert_place_forget.
bool alert_list_is_told(const struct alert_list *list, const struct alert_place *place);

// Returns how long a round takes if the round takes more than half of the time in which alerts
// expire, or 0. An alert waits for a round, for a pause of a quarter of that time, and for an
// answer: with shorter rounds no alert expires.
int64_t alert_list_lateness(const struct alert_list *list, const struct alert_place *place,
                            int64_t now_us);
