// More events of one kind than anybody reads: suppressed, counted, and told in summaries.
#ifndef IBTRAPD_POLICY_STORMS_H
#define IBTRAPD_POLICY_STORMS_H

#include "model/catalogue.h"
#include "policy/top_nodes.h"

enum {
    STORMS_GATHER_S = 2, // from the first held event to the first summary
    STORMS_QUIET_S = 10, // it is over when no second within was over the rate
};

// What is to be told of one storm.
struct storm_account {
    const struct catalogue_entry *kind;
    uint64_t suppressed; // since the last account, at least 1
    int64_t since_us;    // UTC, of the first of them
    enum severity worst; // of them
    enum category category;
    bool over;
    const struct top_nodes *nodes; // of these events
};

struct storms_options {
    uint32_t rate;     // events of one kind in a second that still pass; 0: all pass
    int64_t period_us; // between two accounts
};

struct storms;

struct storms *storms_new(void);         // NULL: out of memory
void storms_free(struct storms *storms); // NULL is allowed

// Counts an event that would pass otherwise. True: it is held.
bool storms_suppress(struct storms *storms, const struct storms_options *options,
                     const struct event *event, int64_t now_us);

// When the storm of that kind is looked at again; 0: there is none.
int64_t storms_of(const struct storms *storms, const struct catalogue_entry *kind);

void storms_tick(struct storms *storms, const struct storms_options *options, int64_t now_us,
                 void (*tell)(void *ctx, const struct storm_account *account), void *ctx);
int64_t storms_due(const struct storms *storms); // INT64_MAX: nothing is

// No storm is on any more; an account of what was held so far is told.
void storms_end(struct storms *storms, void (*tell)(void *ctx, const struct storm_account *account),
                void *ctx);

#endif
