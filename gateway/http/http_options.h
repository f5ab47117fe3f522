// SPDX-License-Identifier: BSD-2-Clause
// The options of the kind `http`. Its module (http.c) sends events to an HTTP server in batches
// (libcurl).
//
// An event is confirmed when the server has answered its request with a status of 2xx, and, for a
// format whose answer says more, when the answer accepts this event. One request at a time is under
// way: the order of the events holds. After a failure the events that are not confirmed are
// sent again: the server may get an event twice, with the same identifier.
//
// Decides: When does an HTTP server have an event?
//
// The daemon fills in the options, and the module reads them. Nothing else of this folder is in the
// daemon.
#pragma once

#include "http/transfer.h"
#include "model/choices.h"

enum { HTTP_IN_FLIGHT_MAX = 1024, HTTP_BATCH_MAX = HTTP_IN_FLIGHT_MAX / 2 };

struct http_options {
    struct transfer_options to; // `scheme`, `headers` of the format and `answer_max` are http.c's
    enum http_format format;
    unsigned batch;    // events of a request, 1..HTTP_BATCH_MAX
    size_t batch_size; // octets of a request's body before compression
    unsigned timeout;  // seconds for a request and its answer
    bool gzip;
    const char *index;        // Splunk's and Elasticsearch's; empty: the server decides
    unsigned interval;        // seconds between two posts of metrics
    const char *state_index;  // http/state_index.h; NULL: none
    unsigned state_refresh_s; // until all alarms are written anew
    bool ack;                 // Splunk's: the indexer's acknowledgement confirms an event
};
