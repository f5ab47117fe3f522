// SPDX-License-Identifier: BSD-2-Clause
// The options of the kind `alertmanager` (alertmanager.h). The daemon fills them in and the module
// reads them.
#ifndef IBTRAPD_HTTP_ALERTMANAGER_OPTIONS_H
#define IBTRAPD_HTTP_ALERTMANAGER_OPTIONS_H

#include "http/transfer.h"
#include "model/filter.h"

enum { ALERTMANAGER_IN_FLIGHT_MAX = 512, ALERTMANAGER_PEERS_MAX = 8 };

struct alertmanager_options {
    struct transfer_options to; // `url`, `scheme` and `answer_max` are alert_peer.c's
    const char *urls;           // of the Alertmanagers, with commas between them
    const char *source;         // the label; letters, digits and "._-" only; empty: the gateway
    unsigned expire_s;          // after which an Alertmanager ends what is not posted again
    const struct filter *filter;
};

#endif
