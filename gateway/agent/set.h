// SPDX-License-Identifier: BSD-2-Clause
// Carries out a Set in the phases of RFC 2741 7.2.4: checks all varbinds first, then changes all or
// none.
// Decides: Which objects may an SNMP Set change, and what does a failed Set undo?
#pragma once

#include "agent/leds.h"
#include "agent/table.h"
#include "agentx/client.h"

struct set_options {
    const struct table_list *tables;
    struct paths *paths; // rows that Sets make; NULL: none
    bool writable;       // false: every Set is refused
    // As in agent/agent.h.
    bool (*change)(void *ctx, const struct setting *changes, size_t n, const char *who,
                   struct error *err);
    void (*switched)(void *ctx, uint64_t node_guid, bool on, const char *who); // NULL: nobody
    void *ctx;
    const char *who;                      // as in agent/agent.h
    const struct snapshot_demand *demand; // by which LEDs are switched
    struct log *log;
};

// The Set that is under way: a session has one at a time.
struct set {
    struct set_options options;
    struct setting changes[AGENTX_SET_MAX], before[AGENTX_SET_MAX]; // in the order of the request
    size_t count;
    struct leds leds;
    int64_t ticket;  // of the LED that the last call waits for: see `pending` of agentx/options.h
    bool makes_rows; // the Set is about rows of options.paths, too
    bool committed;
    bool undo_failed; // the settings could not be changed back
};

// Copies the options; the objects behind their pointers outlive the set.
void set_init(struct set *set, const struct set_options *options);

// The handlers of agentx/options.h. The look has a fresh snapshot; set_test ends the look.
enum agentx_error set_test(struct set *set, struct look *look, const char *context,
                           const struct agentx_varbind *varbinds, size_t n, size_t *failed);
enum agentx_error set_commit(struct set *set);
enum agentx_error set_undo(struct set *set);
void set_cleanup(struct set *set);

// Checks type, length, range and characters of a value for an object of the row's switch, and makes
// a setting (model/setting.h) of it. A name may be padded with NULs, to 256 octets at most. 0.0.0.0
// clears a trap recipient. AGENTX_NO_ERROR, or why the value is refused.
enum agentx_error set_check(const struct look *look, enum setting_kind kind,
                            const struct agentx_value *value, struct setting *out);
