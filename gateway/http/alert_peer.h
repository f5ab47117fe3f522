// SPDX-License-Identifier: BSD-2-Clause
// One Alertmanager: asks which alerts it has, and posts what the list of alerts owes it. No call
// waits for an answer, and a long answer is heard part by part, but the look-up of a name may take
// RESOLVE_PATIENCE_US. One thread.
#ifndef IBTRAPD_HTTP_ALERT_PEER_H
#define IBTRAPD_HTTP_ALERT_PEER_H

#include "http/alert.h"
#include "http/alert_list.h"
#include "http/transfer.h"

enum {
    ALERT_PEER_URL_SIZE = 256,
    ALERT_PEER_ANSWER_SOME = 1 << 20, // octets of an answer of any peer: about 1,000 alerts
    ALERT_PEER_ANSWER_MAX = 32 << 20, // of the peer whose turn it is: about 30,000 alerts
    ALERT_PEER_TIMEOUT_MS = 10000,    // for an exchange
};

// What is the same for all peers of a receiver. The strings outlive the peers.
struct alert_peers {
    struct alert_list *list;
    struct alert_origin origin;
    int64_t expire_us;
    uint32_t version; // of the list: grows with each change; not 0
    bool is_whole;    // the list has every alarm: what a peer has beyond it has ended
    bool is_standby;  // the list has only alarms about the gateway itself
    unsigned turn;    // the number of the only peer whose answer may be long, as it is in memory
    const char *name; // of the receiver
    struct log *log;  // NULL: none
};

enum alert_peer_task { ALERT_PEER_IDLE, ALERT_PEER_ASKS, ALERT_PEER_HEARS, ALERT_PEER_POSTS };

struct alert_peer {
    unsigned number; // in the list
    char url[ALERT_PEER_URL_SIZE];
    char post_path[ALERT_PEER_URL_SIZE + 32], ask_path[ALERT_PEER_URL_SIZE + 512];
    struct transfer_options to;
    struct transfer *transfer;    // NULL: not open
    struct log_limit renew_limit; // for transfers that could not be opened anew
    enum alert_peer_task task;
    char *body;                    // of the post under way
    struct transfer_answer answer; // that it hears: its body is the transfer's
    size_t hear_at, heard;         // where the alert after the last one heard begins; how many were
    int64_t ask_at;                // monotonic: when it is asked again; 0: as soon as may be
    bool is_long;                  // its answer is beyond ALERT_PEER_ANSWER_SOME: it takes turns
    bool posts_first;              // before it is asked, as its answer was long or failed
    int64_t date_us, at_us;        // its clock (UTC), and when it said so (monotonic); 0: never
    uint32_t has;                  // the version of the list that it has
    int64_t look_at;               // monotonic: when to look again for what is due in that version
    size_t posted, batch_max;      // alerts: of the post under way; of the next one at most
    unsigned refused;              // alerts that it refused one by one, in a row
    int64_t refused_until;         // monotonic: until when that is told
    struct error refusal;
    bool answers;      // it gave a good answer since it failed last
    unsigned failures; // in a row
    int64_t retry_at;
    bool fails;
    struct error problem; // why; meaningful if it fails
};

// `url` has no comma. False with a sentence: no memory, or the URL is none of http or https.
bool alert_peer_init(struct alert_peer *peer, unsigned number, const char *url, size_t length,
                     const struct transfer_options *to, const struct alert_origin *origin,
                     struct error *err);

// Goes on with what is under way, waiting for `timeout_ms` at most, and begins what is due.
// Between two exchanges the transfer is opened anew once it is old; if that fails, the old one goes
// on. `may_look_up`: whether a name may be looked up; becomes false if that was done.
void alert_peer_step(struct alert_peer *peer, const struct alert_peers *all, int timeout_ms,
                     bool *may_look_up);

// Gives the turn to the next peer that waits for it, unless the one that has it still uses it: an
// exchange and the hearing of its answer, so that no peer waits for ever. `peers` are all of them.
void alert_peers_hand_on(struct alert_peers *all, const struct alert_peer *peers, unsigned count);

// Whether it can do nothing until it has the turn.
bool alert_peer_waits(const struct alert_peer *peer, const struct alert_peers *all);

// Whether it fails, and did not even answer since.
bool alert_peer_is_away(const struct alert_peer *peer);

// Whether it has the list, for all that is known.
bool alert_peer_is_settled(const struct alert_peer *peer, const struct alert_peers *all);

// Breaks off what is under way. It is asked again what it has.
void alert_peer_close(struct alert_peer *peer, const struct alert_peers *all);

#endif
