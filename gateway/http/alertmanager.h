// SPDX-License-Identifier: BSD-2-Clause
// The kind `alertmanager`: keeps the alerts of one or several Alertmanagers (API v2) equal to the
// alarm list.
//
// It posts all active alarms in rounds, each change at once, and the end of an alarm for some
// rounds (alert_list.h). It does not know what an Alertmanager has, and remembers nothing across a
// restart.
//
// Events only say that the alarm list changed. An event is confirmed when every Alertmanager that
// answers has taken the list after the event.
//
// Decides: When do the Alertmanagers have an event?
#pragma once

#include "http/transfer.h"
#include "model/filter.h"
#include "sink/module.h"

enum { ALERTMANAGER_IN_FLIGHT_MAX = 512, ALERTMANAGER_PEERS_MAX = 8 };

// The daemon fills in the options, and the module reads them.
struct alertmanager_options {
    struct transfer_options to; // `url`, `scheme` and `answer_max` are alert_peer.c's
    const char *urls;           // 1 to ALERTMANAGER_PEERS_MAX, with commas between them
    const char *source;         // the label; letters, digits and "._-" only; empty: the gateway
    unsigned expire_s; // after which an Alertmanager ends an alert that is not posted again
    const struct filter *filter;
};

// As struct module's `make` and `check`.
bool alertmanager_make(struct sink *out, const char *name,
                       const struct alertmanager_options *options, const struct module_host *host,
                       struct error *err);
bool alertmanager_check(const struct alertmanager_options *options, struct error *err);
