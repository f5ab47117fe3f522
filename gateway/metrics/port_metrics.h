// SPDX-License-Identifier: BSD-2-Clause
// Writes the metrics of the ports in the text format of Prometheus, in pieces: the metrics of a
// large fabric have a hundred megabytes. Pure.
// Decides: Which metrics does a port have?
#pragma once

#include "base/text.h"
#include "model/names.h"
#include "model/systems.h"
#include "topology/devices.h"
#include "topology/measured_errors.h"

enum {
    PORT_METRICS_LABEL_MAX = 256, // octets of a value; escaping doubles the number at most
    PORT_METRICS_LINE_MAX = 1536, // octets of a sample, or of the two lines before the first sample
    // Octets of the samples of a port in one family, at most: the two windows of each error
    // counter.
    PORT_METRICS_ROOM = (ERROR_WINDOWS * COUNTER_ERRORS + 1) * PORT_METRICS_LINE_MAX,
    PORT_METRICS_PORTS_MAX = 4096, // looked at for one piece
};

// Adds `before` and the escaped value of a label, without the quotation mark at the end. A longer
// value than PORT_METRICS_LABEL_MAX is cut.
void port_metrics_add_label(struct text *out, const char *before, const char *value);

// The source of one scrape. The ports of `fabric` have samples, with these exceptions:
// - port 0 of a switch has samples of the switch itself alone: its temperature, for instance;
// - a port that no sweep could read has no samples;
// - a port has no samples of counters that were never read.
struct port_metrics_source {
    struct systems *systems;                  // of the fabric; NULL: no port has samples
    struct names *names;                      // may be NULL
    struct accumulated_counters *accumulated; // NULL: there was no reading
    struct measured_errors *errors;           // NULL: the same
    struct devices *devices;                  // the caller's; NULL: none
    bool traffic;                             // write the traffic counters and the waiting, too
};

// Where the writing is.
struct port_metrics {
    struct port_metrics_source source;
    const struct fabric *fabric; // of the source's systems, or NULL
    unsigned family;
    bool begun;          // the family has its first two lines
    uint32_t node, port; // index of the node; number of the next port among the node's
    struct accumulated_walk walk;
    struct counter_sample sums;
    bool has_sums;
    size_t error; // place among `source.errors`
};

// Takes over the references of the source.
void port_metrics_begin(struct port_metrics *metrics, const struct port_metrics_source *source);
void port_metrics_end(struct port_metrics *metrics); // drops the references

// Adds samples until less than PORT_METRICS_ROOM of the text is free, or PORT_METRICS_PORTS_MAX
// ports were looked at. May add nothing. Returns false after the last sample.
bool port_metrics_write(struct port_metrics *metrics, struct text *out);
