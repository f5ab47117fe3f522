// SPDX-License-Identifier: BSD-2-Clause
// Receiver modules: kinds of receivers that need a large library are shared objects. The daemon
// loads a module when a receiver of its kind first opens, and keeps the module until the daemon
// ends.
//
// Decides: When is a receiver module refused?
//
// A module has a `struct module` by the name of MODULE_SYMBOL. The module calls functions of the
// daemon, which the build exports for that, and comes from the same build: a module of another
// version is refused. A module that is missing or refused fails its receivers like an absent peer:
// the receivers say why, their events wait in the journal, and delivery goes on once the module is
// there.
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "model/alarm.h"
#include "model/filter.h"
#include "sink/sink.h"

#include <stddef.h>

#define MODULE_SYMBOL "ibtrapd_module"

// Raise this number with each change of this file, sink.h, tickets.h, or model/receiver_conf.h.
enum { MODULE_INTERFACE = 13 };

struct module_alarms_state {
    bool is_standby;  // another gateway notifies receivers, or nobody knows yet which one: only
                      // alarms about this gateway itself are told
    bool is_whole;    // false: the journal's file was not read yet, and may have further alarms
    uint64_t changes; // of a whole list. With the same number the list is the same
};

// The list of active alarms, for kinds that keep a state. Any thread; no call waits for more than
// the list's lock or a read of the journal.
struct module_alarms {
    struct module_alarms_state (*state)(void *ctx);

    // Reads the next page.
    void (*page)(void *ctx, struct alarm_page *page);

    // Whether receivers may hear of the alarm now, judged by the alarm alone: the alarm is not
    // shelved, the filter's conditions on severity, category and kind let the alarm pass, and the
    // alarm is about the gateway itself if another gateway notifies receivers.
    bool (*may_pass)(void *ctx, const struct alarm *alarm, const struct filter *filter);

    // The event that raised the alarm last: a reference, the caller's. Its number is 0 if the
    // journal no longer has the event, or cannot be read now; then the event has the alarm's data.
    // `*refused`: a receiver with this filter must not have the alarm, judged by the event.
    struct event *(*event)(void *ctx, const struct alarm *alarm, const struct filter *filter,
                           bool *refused);
    // The metrics in the text format of Prometheus, for kinds that post metrics: ask, and take the
    // answer later. The text is the caller's; NULL: the metrics are not ready. Neither waits.
    void (*ask_metrics)(void *ctx);
    char *(*take_metrics)(void *ctx);
    int64_t started_us; // UTC: the begin of all counts

    // The next two return JSON, which the caller frees: the alarm as ibtrapctl --json alarms has
    // it; the state of the gateway, NULL if it is not known yet.
    char *(*document)(void *ctx, const struct alarm *alarm);
    char *(*heartbeat)(void *ctx);

    // Takes the heartbeat of a gateway with this fabric's name and the name `gateway`. Returns
    // whether the receiver should be read again soon.
    bool (*heard)(void *ctx, const char *gateway, const char *heartbeat, size_t size);

    const char *gateway;     // its name, as in the alarms about itself
    const char *fabric;      // the name of the fabric in the configuration; empty: none
    const char *fabric_name; // the same; without one there, the name in all outputs
    void *ctx;
};

// What a module gets from the daemon.
struct module_host {
    struct log *log;                    // NULL: none
    const struct module_alarms *alarms; // NULL: for a check only
};

// The first three members are the same in all versions.
struct module {
    unsigned interface;  // MODULE_INTERFACE
    const char *version; // INSTALL_VERSION
    size_t event_size;   // sizeof(struct event)

    // Makes the sink of a receiver (sink.h). `kind` is a kind of the module; `options` are the
    // struct conf_receiver. `name`, `options` and `host` outlive the sink. `out->in_flight_max` and
    // the presence of `keep` are those of the use. `close` is not NULL, and nobody uses `reopen`,
    // name, kind and address. A sink that only keeps a state has neither `send` nor `wait`. Returns
    // false with a sentence; may be called again.
    bool (*make)(struct sink *out, const char *kind, const char *name, const void *options,
                 const struct module_host *host, struct error *err);

    // Whether a receiver with these options could be made, without network. False with a sentence.
    bool (*check)(const char *kind, const void *options, struct error *err);

    // Waits for `patience_us` at most until nothing runs any longer that sinks, which are freed by
    // then, have left behind. False: something does, and needs the module and its libraries. NULL:
    // sinks leave nothing behind.
    bool (*settle)(int64_t patience_us);
};

// A module's own. The daemon has none.
extern __attribute__((visibility("default"))) const struct module ibtrapd_module;

// A receiver of a module's kind.
struct module_use {
    const char *kind;    // "kafka"
    const char *file;    // of the module, without directory and ".so"
    const char *package; // that brings it
    const void *options; // for the module: the struct conf_receiver
    unsigned in_flight_max;
    bool keeps_state; // sinks of the kind have `keep`
    struct module_host host;
};

// Where modules are, instead of the place where the build installs modules. The string stays the
// caller's. Call this before the first receiver starts.
void module_set_directory(const char *directory);

// Fills `out` with a sink that loads the module at its first opening. Does not fill `address`.
// Options and strings of the use stay the caller's and outlive the sink.
void module_sink(struct sink *out, const char *name, const struct module_use *use);

// Loads the module and asks whether the module accepts the options. Returns false with a sentence,
// which names the package if the module is not there. Any thread.
bool module_check(const struct module_use *use, struct error *err);

// Waits until nothing runs any longer that the receivers' modules have left behind, for
// `patience_us` at most for each module. False: something does; then end the process by _exit(2),
// which takes no library down under it. Call it after the last receiver's end.
bool module_settle(int64_t patience_us);
