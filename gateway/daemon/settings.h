// SPDX-License-Identifier: BSD-2-Clause
// Puts the settings of SNMP managers in force: names of switches, levels of gswEventTrap, trap
// recipients. Not part of agent/, because settings start and stop receivers.
// Decides: When is a setting of an SNMP manager in force?
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "model/setting.h"
#include "model/severity.h"

#include <stdbool.h>

struct conf;
struct gateway;
struct names;
struct event_builder;
struct expectation;
struct notice_book;

// The function `change` of agent/agent.h; `ctx` is the gateway. After the return the changes and an
// event for each change are in the journal, and names and levels are in force. The thread of
// reloads starts and stops trap recipients a little later. Nevertheless a new recipient gets every
// event from now on, and a removed recipient gets no event. Any thread but the pipeline's.
bool settings_change(void *ctx, const struct setting *changes, size_t n, const char *who,
                     struct error *err);

// The function `switched` of agent/agent.h: makes an event of the beacon's change, like of a
// setting's.
void settings_tell_beacon(void *ctx, uint64_t node_guid, bool on, const char *who);

// Returns the level that a manager set for the switch, or the level of the configuration.
// Pipeline's thread.
enum event_level settings_trap_level(void *ctx, uint64_t switch_guid);

// Reads the configuration's node-name-map into `out`: a reference, the caller's, or NULL if there
// is no map. False with a sentence: the map cannot be read.
bool settings_load_map(const struct conf *conf, struct log *log, struct names **out,
                       struct error *err);

// The same for the file of the site's notices.
bool settings_load_book(const struct conf *conf, struct log *log, struct notice_book **out,
                        struct error *err);

// Reads the configuration's expected topology into `out`, the caller's, or NULL if there is none.
// False with a sentence: the topology cannot be read.
bool settings_load_expectation(const struct conf *conf, struct log *log, struct expectation **out,
                               struct error *err);

// Uses the names of the node-name-map and the names set by SNMP from now on. Pipeline's thread, or
// before the pipeline runs.
void settings_rename(struct gateway *gateway, struct event_builder *builder);

// Puts all settings in force. Call it after the start, after a reload, and after the journal has
// healed: the journal may have read the settings only then. Waits for the pipeline and for
// receivers that end. The thread of reloads, or the main thread before its loop runs.
void settings_apply(void *ctx);
