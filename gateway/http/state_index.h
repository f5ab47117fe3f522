// SPDX-License-Identifier: BSD-2-Clause
// The sink of a receiver of the kind `http` with a state index: Elasticsearch or OpenSearch has a
// document for each active alarm (sink/kept_state.h), written and deleted by the bulk API. The
// receiver gets no events.
//
// Decides: Which documents of an index are those of alarms that are over?
//
// The index is not read. Each document has the time of the writing and a digest of the gateway or
// the fabric to which the document belongs. When all documents have been written anew, a query
// deletes the older ones.
#pragma once

#include "http/in_flight.h"
#include "sink/module.h"

// All outlive the sink.
void state_index_make(struct sink *out, const char *name, const struct conf_receiver *receiver,
                      const struct module_host *host);
