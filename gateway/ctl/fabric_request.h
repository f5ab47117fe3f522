// SPDX-License-Identifier: BSD-2-Clause
// Requests a snapshot of the fabric from the daemon. The daemon sends the record of the snapshot
// (control/handlers.h).
#ifndef IBTRAPD_CTL_FABRIC_REQUEST_H
#define IBTRAPD_CTL_FABRIC_REQUEST_H

#include "base/error.h"
#include "model/fabric.h"
#include "model/names.h"

struct fabric_request {
    struct fabric *fabric;
    struct names *names; // of nodes and ports, from the daemon
    int64_t number;      // of the snapshot in the journal; 0: the fabric as it is now
};

// Requests the snapshot with that number. Returns false with a sentence if no answer came, or if
// the answer has another shape. Call fabric_request_end in either case.
bool fabric_request_begin(struct fabric_request *request, const char *socket, int64_t number,
                          struct error *err);
void fabric_request_end(struct fabric_request *request);

#endif
