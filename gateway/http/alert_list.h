// SPDX-License-Identifier: BSD-2-Clause
// What Alertmanagers are to know: the alerts that are active, those that ended and that some
// Alertmanager has not been told, and when each has to be told of each. Pure: no network, and the
// time is passed in. One thread.
//
// Each Alertmanager, a peer here, is judged on its own: it is posted what it has not taken yet. A
// batch goes to a peer (alert_list_take) and comes back taken or not (alert_list_taken); alerts
// that change meanwhile are posted once more.
#ifndef IBTRAPD_HTTP_ALERT_LIST_H
#define IBTRAPD_HTTP_ALERT_LIST_H

#include "base/random.h"
#include "base/text.h"
#include "model/alarm.h"

enum {
    ALERT_LIST_PEERS_MAX = 8,
    ALERT_LIST_MAX = 131072, // alarms; further ones are counted and not posted
    ALERT_LIST_TESTS_MAX = 512,
    ALERT_LIST_BATCH_MAX = 500,
    ALERT_LIST_LABELS_MAX = 8192,     // octets; ours are fewer
    ALERT_LIST_BODY_SIZE = 512 << 10, // octets of a batch: a proxy may have a limit of 1 MiB
};

struct alert_list;

struct alert_list *alert_list_new(unsigned peers, const struct random *random); // NULL: no memory
void alert_list_free(struct alert_list *list);                                  // NULL is allowed
void alert_list_clear(struct alert_list *list); // forgets all alerts

// A scan of the alarm list: begin, see or put each alarm that is to be posted, end. An alarm of
// which neither was called has ended.

void alert_list_begin(struct alert_list *list);

// True: the alarm is known as it is now. False: call alert_list_put; of an alarm of which it was
// guessed also after 1, 2, 4 ... scans, and then every 1,024, as they may be known by now.
bool alert_list_see(struct alert_list *list, const struct alarm *alarm);

// True: there is no room for an alarm that is not known yet. Counts it; do not put it.
bool alert_list_lacks_room(struct alert_list *list, const struct alarm *alarm);

// Takes `labels` and `annotations`, which were made with malloc. NULL labels: the receiver does not
// get this alarm. `guessed`: not all that the labels should have, or that decides whether it gets
// it, was known; then it needs annotations in any case. Other labels than before end the alert that
// had those; but what is guessed does not change what is known of the same event. False: there is
// no room or memory for it.
bool alert_list_put(struct alert_list *list, const struct alarm *alarm, char *labels,
                    char *annotations, bool guessed);

// `whole`: every alarm that is active was seen or put; otherwise none ends. `ended_us`: now, UTC.
void alert_list_end(struct alert_list *list, bool whole, int64_t ended_us);

// Posts an alert to all peers that ends by itself; one of the same labels that waits gets the
// times. Takes the strings. Of more than ALERT_LIST_TESTS_MAX that wait the oldest is forgotten.
// False: no memory.
bool alert_list_add_test(struct alert_list *list, char *labels, char *annotations,
                         int64_t starts_us, int64_t ends_us);

// What a peer says that it has, as active alerts: between ask and told, one call for each. The peer
// is told of the end of those that are not in the list; alerts that it lacks, or that it ends
// before long, are posted at once. An alert whose labels were guessed takes those that the peer
// has. `key`: the label; `labels`: as alert_labels writes them; both stay the caller's. `lasts`:
// the peer does not end it before it is posted again.
enum alert_hearing {
    ALERT_HEARD,
    ALERT_PASSED_OVER, // labels too long to be ours, or too many of one key: it expires
    ALERT_NO_MEMORY,
};
void alert_list_ask(struct alert_list *list, unsigned peer);
enum alert_hearing alert_list_hear(struct alert_list *list, unsigned peer, const char *key,
                                   const char *labels, bool lasts);
void alert_list_heard(struct alert_list *list, unsigned peer);

struct alert_list_times {
    int64_t now_us;      // monotonic
    int64_t peer_utc_us; // the peer's clock now, at the latest
    int64_t expire_us;   // after which the peer ends an alert that is not posted again
};

// Writes what is due for the peer as a JSON array: ends first, `max` alerts at most, and no more
// than ALERT_LIST_BATCH_MAX. `was_asked`: the list has heard what the peer has; otherwise alerts
// whose labels were guessed wait for that. Returns how many; 0: nothing is due. No batch may be
// under way for this peer.
size_t alert_list_take(struct alert_list *list, unsigned peer, const struct alert_list_times *times,
                       size_t max, bool was_asked, struct text *body);

// The peer took the batch, or it did not. Those taken are due again after a quarter of `expire_us`
// or somewhat less, so that not all are due at once.
void alert_list_taken(struct alert_list *list, unsigned peer, bool taken,
                      const struct alert_list_times *times);

// Alarms of the last scan that ended for which there was no room.
size_t alert_list_beyond(const struct alert_list *list);

#endif
