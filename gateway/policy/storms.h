// SPDX-License-Identifier: BSD-2-Clause
// Storms: more events of one kind than the configured rate. Suppresses and counts them, and reports
// summaries.
#ifndef IBTRAPD_POLICY_STORMS_H
#define IBTRAPD_POLICY_STORMS_H

#include "base/text.h"
#include "model/catalogue.h"
#include "model/event.h"

enum {
    STORMS_GATHER_S = 2, // from the first suppressed event to the first summary
    STORMS_QUIET_S = 10, // a storm is over after so many seconds below the rate
};

// The summary of one storm.
struct storm_account {
    const struct catalogue_entry *kind;
    uint64_t suppressed; // events since the last summary, at least 1
    int64_t since_us;    // UTC, of the first of them
    enum severity worst; // of them
    enum category category;
    bool over;
    const struct top_nodes *nodes; // that these events are about
};

struct storms_options {
    uint32_t rate;     // events of one kind in a second that are still sent; 0: all are
    int64_t period_us; // between two summaries
};

struct storms;

struct storms *storms_new(void);
void storms_free(struct storms *storms); // NULL is allowed

// Counts an event that would be sent otherwise. True: the caller suppresses it.
bool storms_suppress(struct storms *storms, const struct storms_options *options,
                     const struct event *event, int64_t now_us);

// When the storm of that kind is checked next; 0: there is no storm of that kind.
int64_t storms_of(const struct storms *storms, const struct catalogue_entry *kind);

void storms_tick(struct storms *storms, const struct storms_options *options, int64_t now_us,
                 void (*report)(void *ctx, const struct storm_account *account), void *ctx);
int64_t storms_due(const struct storms *storms); // INT64_MAX: no check is due

// Ends every storm and reports its last summary.
void storms_end(struct storms *storms,
                void (*report)(void *ctx, const struct storm_account *account), void *ctx);

// The nodes that most events of a storm are about, counted in a fixed amount of memory.

enum { TOP_NODES_NODES_MAX = 32, TOP_NODES_NAMED_MAX = 5, TOP_NODES_NAME_SIZE = 41 };

// Space-Saving (Metwally, Agrawal, El Abbadi, 2005): when all places are taken, a new node replaces
// the one with the smallest count and inherits that count as its error.
struct top_nodes {
    struct top_node {
        uint64_t guid; // or the LID where no GUID is known
        uint64_t count, error;
        char name[TOP_NODES_NAME_SIZE]; // may be cut
    } nodes[TOP_NODES_NODES_MAX];
    size_t used;
    uint64_t total;
    bool spilled; // there were more nodes than places
};

void top_nodes_clear(struct top_nodes *top);
void top_nodes_add(struct top_nodes *top, const struct event *event);

// Adds "leaf1 (412), leaf2 (388) and others": the largest counts first, each less its error. False,
// with nothing added: no node is known.
bool top_nodes_describe(const struct top_nodes *top, struct text *t);

#endif
