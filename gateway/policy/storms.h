// SPDX-License-Identifier: BSD-2-Clause
// Storms: more events of one kind than the configured rate. Suppresses and counts the events of a
// storm, and reports summaries.
// Decides: When does a storm begin and end?
#pragma once

#include "base/text.h"
#include "model/catalogue.h"
#include "model/event.h"
#include "policy/policy_types.h"

enum {
    STORMS_GATHER_S = 2, // from the first suppressed event to the first summary
    STORMS_QUIET_S = 10, // a storm is over after so many seconds below the rate
};

// The summary of one storm.
struct storm_account {
    const struct catalogue_entry *kind;
    uint64_t suppressed; // events since the last summary, at least 1
    int64_t since_us;    // UTC, of the first of these events
    enum severity worst; // of these events
    enum category category;
    bool over;
    const struct top_nodes *nodes; // that these events are about
};

struct storms;

// Uses storm_rate and storm_period_us of the options, which may change and outlive the storms. The
// functions below call `report` with each summary.
struct storms *storms_new(const struct policy_options *options,
                          void (*report)(void *ctx, const struct storm_account *account),
                          void *ctx);
void storms_free(struct storms *storms); // NULL is allowed

// Counts an event that no other reason suppresses. Returns whether the caller suppresses the event.
bool storms_suppress(struct storms *storms, const struct event *event, int64_t now_us);

// When the storm of that kind is checked next; 0: there is no storm of that kind.
int64_t storms_of(const struct storms *storms, const struct catalogue_entry *kind);

void storms_tick(struct storms *storms, int64_t now_us);
int64_t storms_due(const struct storms *storms); // INT64_MAX: no check is due

// Ends every storm and reports its last summary.
void storms_end(struct storms *storms);

// Adds the hosts and boxes that the events of the storm are about, as many as there is room for, or
// the first five of masses: "leaf1 (412), leaf2 and others", the largest counts first, each less
// its error, and none of 1. Returns false, and adds nothing, if no node is known.
bool top_nodes_describe(const struct top_nodes *top, struct text *t);
