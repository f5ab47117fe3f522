// SPDX-License-Identifier: BSD-2-Clause
// The keys of the alarms about the gateway itself. Each begins with the word "gateway" and the
// gateway's name, so that those of two gateways differ at one manager: "gateway gw1 journal".
#ifndef IBTRAPD_DAEMON_OWN_ALARMS_H
#define IBTRAPD_DAEMON_OWN_ALARMS_H

#include "conf/conf.h"
#include "event/event_builder.h"
#include "journal/journal.h"

#include <stdbool.h>

struct gateway;

// The end of a key: what the alarm is about. Of a receiver, OWN_ALARMS_RECEIVER and its name.
#define OWN_ALARMS_SUBSCRIPTIONS "subscriptions"
#define OWN_ALARMS_SM            "sm-reachable"
#define OWN_ALARMS_JOURNAL       "journal"
#define OWN_ALARMS_SWEEP         "sweep"
#define OWN_ALARMS_DROPPING      "journal-dropping"
#define OWN_ALARMS_RECEIVER      "receiver "

// The gateway's name: that of the configuration; otherwise `host`, the host's name, and behind a
// slash the adapter and port of the configuration, which an instance has: "gw1/mlx5_0-1". Of a host
// with a long name it has the beginning.
void own_alarms_name(const struct conf *conf, const char *host, char out[CONF_GATEWAY_NAME_SIZE]);

// The key of this gateway's alarm about that.
void own_alarms_key(const struct gateway *gateway, const char *what, char out[EVENT_KEY_SIZE]);

// Whether this gateway's alarm about that is active.
bool own_alarms_is_active(struct gateway *gateway, const char *what);

// Whether a key in this gateway's journal is that of an alarm about a gateway, and not of this
// one: it was raised under the gateway's former name, or by version 0.1.0, whose keys had none.
// Nothing will clear it. Also true for the "flapping" alarm of such a key.
bool own_alarms_is_former(const struct gateway *gateway, const char *key);

// Whether the last run ended without a word: it was killed, or could not write to the journal at
// its end. Call it before the pipeline runs.
bool own_alarms_is_cut_short(struct journal *journal);

// The event that ends the alarm about the journal after such a run, which may have sent it and not
// written it.
struct event *own_alarms_end_of_journal(const struct gateway *gateway,
                                        const struct event_builder *builder);

// Ends these alarms, so that receivers do not keep them. Main thread, once the pipeline runs.
void own_alarms_end_former(struct gateway *gateway);

#endif
