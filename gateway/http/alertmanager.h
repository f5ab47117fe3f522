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

enum { ALERTMANAGER_IN_FLIGHT_MAX = 512 };

// As struct module's `make` and `check`.
bool alertmanager_make(struct sink *out, const char *name, const struct conf_receiver *receiver,
                       const struct module_host *host, struct error *err);
bool alertmanager_check(const struct conf_receiver *receiver, struct error *err);
