// SPDX-License-Identifier: BSD-2-Clause
// The kind `alertmanager`: keeps the alerts of one or several Alertmanagers (API v2) equal to the
// alarm list.
//
// It posts the alarms of the list, posts them again before they expire, and posts the end of each
// when the list has it no longer. Of each Alertmanager it asks which of these alerts it has, when
// it comes to it first, after each failure, and from time to time: those that the list does not
// have end, whatever happened meanwhile. So nothing has to be remembered across a restart.
//
// Events only say that the list changed. One is confirmed once every Alertmanager that answers has
// the list as it was after the event.
#ifndef IBTRAPD_HTTP_ALERTMANAGER_H
#define IBTRAPD_HTTP_ALERTMANAGER_H

#include "http/alertmanager_options.h"
#include "sink/module.h"

// As struct module's `make` and `check`.
bool alertmanager_make(struct sink *out, const char *name,
                       const struct alertmanager_options *options, const struct module_host *host,
                       struct error *err);
bool alertmanager_check(const struct alertmanager_options *options, struct error *err);

#endif
