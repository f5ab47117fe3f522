// What a manager sets by SNMP takes effect: names in messages, levels of gswEventTrap, trap
// recipients.
#ifndef IBTRAPD_DAEMON_SETTINGS_H
#define IBTRAPD_DAEMON_SETTINGS_H

#include "base/error.h"
#include "base/log.h"
#include "model/setting.h"
#include "model/severity.h"

#include <stdbool.h>

struct conf;
struct gateway;
struct names;
struct event_builder;

// As agent/agent.h asks for it; `ctx` is the gateway. When it returns, the changes and an event for
// each are in the journal, and names and levels are as wanted; recipients get what follows,
// although the main thread begins and ends them a little later. Not in the pipeline's thread.
bool settings_change(void *ctx, const struct setting *changes, size_t n, const char *who,
                     struct error *err);

// Of a switch, or the configuration's. Pipeline's thread.
enum event_level settings_trap_level(void *ctx, uint64_t switch_guid);

// Reads the configuration's node-name-map into `out`: a reference, the caller's, or NULL if there
// is none. False with a sentence: it cannot be read.
bool settings_load_map(const struct conf *conf, struct log *log, struct names **out,
                       struct error *err);

// The names of the node-name-map and those set by SNMP, from now on. Pipeline's thread, or before
// it runs.
bool settings_rename(struct gateway *gateway, struct event_builder *builder, struct error *err);

// Main thread. Everything as it is set now: after what was set is read late, or a new
// configuration.
void settings_apply(void *ctx);

#endif
