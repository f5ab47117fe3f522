// SPDX-License-Identifier: BSD-2-Clause
// The alarms about the gateway itself: their keys, and their ends across restarts and reloads. Each
// key begins with the word "gateway" and the gateway's name: "gateway gw1 journal". A manager can
// tell the alarms of two gateways apart.
// Decides: Which name does a gateway have, and which name does its fabric have without one?
// Decides: What ends an alarm about the gateway itself after a restart, a reload or a new name?
#pragma once

#include "conf/conf.h"
#include "event/event_builder.h"

#include <stdbool.h>

struct gateway;

// The end of a key: the subject of the alarm. For a receiver, OWN_ALARMS_RECEIVER and its name.
#define OWN_ALARMS_SUBSCRIPTIONS "subscriptions"
#define OWN_ALARMS_SM            "sm-reachable"
#define OWN_ALARMS_JOURNAL       "journal"
#define OWN_ALARMS_SWEEP         "sweep"
#define OWN_ALARMS_DROPPING      "journal-dropping"
#define OWN_ALARMS_RECEIVER      "receiver "

// Writes the gateway's name. The configuration may have a name. Without a name there, an instance
// is called HOST/ADAPTER-PORT, such as "gw1/mlx5_0-1", and the only gateway is called HOST. A long
// host name loses its end.
void own_alarms_name(const struct conf *conf, const char *host, char out[CONF_GATEWAY_NAME_SIZE]);

// Writes the name of the fabric: the name in the configuration, or else the gateway's name, with
// '.' for each character that a topic of Kafka cannot have.
void own_alarms_name_fabric(const struct conf *conf, const char *gateway,
                            char out[EVENT_FABRIC_SIZE]);

// Writes the key of this gateway's alarm about `what`.
void own_alarms_key(const struct gateway *gateway, const char *what, char out[EVENT_KEY_SIZE]);
void own_alarms_receiver_key(const struct gateway *gateway, const char *receiver,
                             char out[EVENT_KEY_SIZE]);

// Whether this gateway's alarm about `what`, or about a failing receiver, is active.
bool own_alarms_is_active(struct gateway *gateway, const char *what);
bool own_alarms_receiver_is_active(struct gateway *gateway, const char *receiver);

// Whether a key in this gateway's journal is the key of an alarm about a gateway with another name:
// this gateway had that name before, or version 0.1.0 raised the alarm and its keys had no name.
// Nothing else will clear the alarm. Also true for the "flapping" alarm of such a key.
bool own_alarms_is_former(const struct gateway *gateway, const char *key);

// Whether receivers may have the alarm about the journal from the last run, although the journal
// does not have the alarm. A note beside the control socket, which the journal's disk cannot keep
// from being written, tells. Without the note, as after a boot: the run ended without a word. Call
// it before the pipeline runs.
bool own_alarms_may_stand(const struct gateway *gateway);

// Notes that receivers have no alarm that is not in the journal's file, if the file has the event
// with the number `last`. Below 0: notes that receivers may have one.
void own_alarms_note_journal(const struct gateway *gateway, int64_t last);

// Returns the event that ends the alarm for which own_alarms_may_stand returned true. The last run
// may have sent the alarm and not written the alarm.
struct event *own_alarms_end_of_journal(const struct gateway *gateway,
                                        const struct event_builder *builder);

// Ends the alarms for which own_alarms_is_former is true: receivers would keep them for ever. Main
// thread, once the pipeline runs.
void own_alarms_end_former(struct gateway *gateway);
