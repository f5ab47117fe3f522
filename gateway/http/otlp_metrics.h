// SPDX-License-Identifier: BSD-2-Clause
// The format `otlp-metrics` of the kind `http`: posts the metrics of the gateway and the ports to a
// collector of OpenTelemetry, every `interval` seconds (OTLP 1: ExportMetricsServiceRequest in
// JSON). Sends no events. Metrics that could not be posted are left out: the next post has newer
// ones.
// Decides: Which name does a metric have at OpenTelemetry?
#pragma once

#include "base/text.h"
#include "http/in_flight.h"
#include "http/transfer.h"
#include "sink/module.h"

enum {
    OTLP_METRICS_LINE_MAX = 8192, // octets that a sample adds to a request at most
    OTLP_METRICS_BUCKETS_MAX = 64,
};

// A request, made of the text format of Prometheus.
struct otlp_metrics_writer {
    const char *at;              // the next line; NULL: there is none
    const char *instance;        // the name of the gateway
    const char *fabric;          // the name of the fabric
    int64_t time_us, started_us; // UTC: of the samples; of the begin of their sums
    char type[16];               // of the family
    const char *open;            // the name of the open metric; NULL: none
    // Of the histogram that is being read: its buckets so far.
    struct {
        double limits[OTLP_METRICS_BUCKETS_MAX], sum;
        uint64_t through[OTLP_METRICS_BUCKETS_MAX]; // samples up to the limit
        size_t count;
    } buckets;
};

// Adds a line, and further lines until `size_max` octets are used; the text has
// OTLP_METRICS_LINE_MAX octets more. The line of a histogram's count adds the histogram.
void otlp_metrics_write(struct otlp_metrics_writer *writer, struct text *out, size_t size_max);

// As struct module's `make`, for a receiver with that format.
void otlp_metrics_make(struct sink *out, const struct conf_receiver *receiver,
                       const struct module_host *host);
