// SPDX-License-Identifier: BSD-2-Clause
// One Alertmanager: posts the alerts that are due there. Of an answer only the status,
// the header Date and, for a sentence, the beginning of the body are read. No call waits for an
// answer, but the look-up of a name may take RESOLVE_PATIENCE_US. One thread.
#pragma once

#include "http/alert_list.h"
#include "http/transfer.h"

enum {
    ALERT_PEER_URL_SIZE = 256,
    ALERT_PEER_ANSWER_MAX = 4096,  // octets kept of an answer's body
    ALERT_PEER_TIMEOUT_MS = 10000, // for an exchange
};

// What is the same for all peers of a receiver. The strings outlive the peers.
struct alert_peers {
    struct alert_list *list;
    int64_t expire_us;
    const char *name; // of the receiver
    struct log *log;  // NULL: none
};

struct alert_peer {
    const struct alert_peers *all;
    char url[ALERT_PEER_URL_SIZE];
    char path[ALERT_PEER_URL_SIZE + 32];
    struct transfer_options to;
    struct transfer *transfer;      // NULL: not open
    struct log_limit renew_limit;   // for transfers that could not be opened anew
    char *body;                     // of the post under way; NULL: none
    size_t posted, batch_max;       // alerts: of the post under way; of the next post at most
    struct alert_place place, next; // now; once the post under way is taken
    int64_t date_us, at_us;         // the header Date (UTC), and when it came (monotonic); 0: never
    bool is_greeted;  // it took a post without alerts since it was opened or failed: its answer
                      // says its clock, before an alert gets an end
    unsigned refused; // alerts in a row, each refused alone
    int64_t refused_until; // monotonic: until when that is told
    struct error refusal;
    unsigned failures; // in a row
    unsigned failed;   // posts; the owner sets it back
    int64_t retry_at;
    bool fails;
    struct error problem; // why; meaningful if it fails
};

// `url` is one of http or https without a query, as the configuration's check lets pass. `all`
// outlives the peer. Returns false with a sentence if libcurl does not read the URL.
bool alert_peer_init(struct alert_peer *peer, const struct alert_peers *all, const char *url,
                     size_t length, const struct transfer_options *to, struct error *err);

// Goes on with the post under way, waiting for `timeout_ms` at most, and begins a post if one is
// due. Between two posts the transfer is opened anew once it is old; if that fails, the old
// transfer goes on. `may_look_up`: whether a name may be looked up; becomes false if that was done.
void alert_peer_step(struct alert_peer *peer, int timeout_ms, bool *may_look_up);

// Whether the Alertmanager fails, and took nothing since.
static inline bool alert_peer_is_away(const struct alert_peer *peer)
{
    return peer->fails && !peer->is_greeted;
}

// Whether the Alertmanager took every change of the list and, after a failure, a whole round.
bool alert_peer_is_settled(const struct alert_peer *peer);

// Breaks off what is under way. All alerts are posted again later.
void alert_peer_close(struct alert_peer *peer);
