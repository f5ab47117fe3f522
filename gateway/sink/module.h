// SPDX-License-Identifier: BSD-2-Clause
// Receiver modules: kinds of receivers that bring a large library are shared objects. The daemon
// loads one when a receiver of its kind first opens, and keeps it until it ends.
//
// A module has a `struct module` by the name of MODULE_SYMBOL. It calls functions of the daemon,
// which exports those that gateway/module.symbols lists, and is made by the same build: a module of
// another version is refused. A module that is missing or refused fails its receivers, as a peer
// that is away does: they say why, their events wait in the journal, and once the module is there
// they go on.
#ifndef IBTRAPD_SINK_MODULE_H
#define IBTRAPD_SINK_MODULE_H

#include "base/error.h"
#include "base/log.h"
#include "sink/sink.h"

#include <stddef.h>

#define MODULE_SYMBOL "ibtrapd_module"

// Raise it with each change of this file, sink.h, or the options of a module's kinds.
enum { MODULE_INTERFACE = 3 };

// What a module gets from the daemon. A kind that sends states, not events, will get the list of
// active alarms here.
struct module_host {
    struct log *log; // NULL: none
};

// The first three members stay as they are in all versions.
struct module {
    unsigned interface;  // MODULE_INTERFACE
    const char *version; // INSTALL_VERSION
    size_t event_size;   // sizeof(struct event)

    // Makes the sink of a receiver (sink.h). `kind` is one of the module's; it knows what `options`
    // are. Both and `host` outlive the sink. `out->in_flight_max` is what the use says; `reopen` is
    // not called. False with a sentence; may be called again.
    bool (*make)(struct sink *out, const char *kind, const char *name, const void *options,
                 const struct module_host *host, struct error *err);

    // Whether a receiver with these options could be made, without network. False with a sentence.
    bool (*check)(const char *kind, const void *options, struct error *err);
};

// A module's own. The daemon has none.
extern __attribute__((visibility("default"))) const struct module ibtrapd_module;

// A receiver of a module's kind.
struct module_use {
    const char *kind;    // "kafka"
    const char *file;    // of the module, without directory and ".so"
    const char *package; // that brings it
    const void *options; // for the module
    size_t options_size;
    unsigned in_flight_max;
    struct module_host host;
};

// Where modules are. The string stays the caller's. Call it before the first receiver starts;
// without it, modules are where the build installs them.
void module_set_directory(const char *directory);

// Fills `out` with a sink that loads the module when it opens. Does not fill `address`. Copies the
// options; their strings, and those of `use`, stay the caller's and outlive the sink. False with a
// sentence: out of memory.
bool module_sink(struct sink *out, const char *name, const struct module_use *use,
                 struct error *err);

// Loads the module and asks it whether it accepts the options. False with a sentence, which names
// the package if the module is not there. Any thread.
bool module_check(const struct module_use *use, struct error *err);

#endif
