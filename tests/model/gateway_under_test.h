// SPDX-License-Identifier: BSD-2-Clause
// One gateway without its port and its sinks: topology, policy, pipeline and a journal in a scratch
// directory. The only file of this folder that calls the gateway's code, but for the values of
// model/. Aborts if something fails. One thread.
#pragma once

#include "support_clock.h"

#include "model/event.h"
#include "model/fabric.h"

enum { GATEWAY_RULES_MAX = 2 };

// As the configuration has it. Times are in microseconds.
struct gateway_options {
    int64_t repeat_window, flap_within, flap_quiet, storm_period;
    unsigned flap_changes, storm_rate;
    bool suppress_consequences;
    bool has_partner; // there is a second gateway
    struct {
        const char *events; // a pattern; NULL: the rule is not there
        int64_t hold_down;
    } rules[GATEWAY_RULES_MAX];
};

enum gateway_role { GATEWAY_ACTIVE, GATEWAY_STANDBY, GATEWAY_UNKNOWN };

struct gateway_under_test;

// It is stopped. `time` and `directory` outlive it; `seed` decides its event identifiers; `name` is
// unique in the directory.
struct gateway_under_test *gateway_new(const char *directory, const char *name,
                                       struct support_time *time, uint64_t seed);
void gateway_free(struct gateway_under_test *g); // and its journal; stops it

void gateway_start(struct gateway_under_test *g, const struct gateway_options *options);
// Orderly. `each` gets the events that the stop made.
void gateway_stop(struct gateway_under_test *g, void (*each)(void *ctx, struct event *event),
                  void *ctx);
void gateway_crash(
    struct gateway_under_test *g); // the journal stays unchanged after gateway_settle
bool gateway_runs(const struct gateway_under_test *g);

// Until the gateway settles, their work may be unfinished.
void gateway_put_sweep(struct gateway_under_test *g, struct fabric *seen); // takes over `seen`
void gateway_set_role(struct gateway_under_test *g, enum gateway_role role);
void gateway_change_options(struct gateway_under_test *g, const struct gateway_options *options);
// GUID 0: all nodes. With a name, the window has the name instead of the GUID. A time in the past
// ends the window.
void gateway_maintain(struct gateway_under_test *g, const char *window, uint64_t node_guid,
                      const char *node_name, int64_t utc_us);
void gateway_shelve(struct gateway_under_test *g, const char *key, int64_t utc_us);

// Waits until the gateway has nothing to do at this time, and everything is committed. Returns when
// it has something to do next (monotonic; INT64_MAX: never).
int64_t gateway_settle(struct gateway_under_test *g);

// Calls `each` for the events since the last call, in order, with those that are suppressed.
void gateway_read(struct gateway_under_test *g, void (*each)(void *ctx, struct event *event),
                  void *ctx);
void gateway_each_alarm(struct gateway_under_test *g, void (*each)(void *ctx, const char *key),
                        void *ctx); // as 'ibtrapctl alarms' lists them

// The items of a receiver's section that filter. NULL: there is no such item.
struct gateway_filter {
    enum severity severity;
    const char *events, *node; // patterns
};

// The event that a receiver with the filter gets: a reference. NULL: it does not get the event.
struct event *gateway_deliver(struct gateway_under_test *g, const struct gateway_filter *filter,
                              struct event *event);
