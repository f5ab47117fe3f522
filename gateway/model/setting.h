// SPDX-License-Identifier: BSD-2-Clause
// Settings: the values of IBSWITCH-MIB's writable objects that SNMP managers have set. They survive
// restarts.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SETTING_VALUE_MAX = 256,
    SETTING_NAME_MAX = 127, // octets of a switch's name: as many as fit messages
    SETTINGS_MAX = 16384,
    SETTING_ROWS_MAX = 6,       // communities of a switch
    SETTING_COMMUNITY_MAX = 16, // octets
    SETTING_SERIAL_MAX = 128,   // octets of a serial number
};

// The journal's file has these numbers: add a new kind at the end.
enum setting_kind {
    SETTING_NONE,
    SETTING_SWITCH_NAME,      // gswSwitchName: valid UTF-8, not padded
    SETTING_SAN_NAME,         // gswSwitchSANName: valid UTF-8, not padded
    SETTING_FABRIC_NAME,      // gswSwitchFabricName: valid UTF-8, not padded
    SETTING_EVENT_TRAP_LEVEL, // gswEventTrapLevel: one octet, GswEventSeverity
    SETTING_COMMUNITY,        // gswAgtCmtyStr of the row `number`
    SETTING_TRAP_RECIPIENT,   // gswAgtTrapRcp of the row `number`: four octets
    SETTING_SERIAL_NUMBER,    // gswSsn
    SETTING_SM_LOG,           // no object: the place in the subnet manager's log (smlog/sm_log.h)
};

struct setting {
    enum setting_kind kind;
    uint64_t guid;  // of the switch
    uint8_t number; // of the community, 1 to SETTING_ROWS_MAX; 0 for the other kinds
    uint16_t size;  // 0: unset
    uint8_t value[SETTING_VALUE_MAX];
};

// All settings at one time; immutable, counted.
struct settings;

// A copy of `old`, which may be NULL, with `changes` applied; one reference, the caller's. Returns
// NULL if there are more than SETTINGS_MAX.
struct settings *settings_with(const struct settings *old, const struct setting *changes, size_t n);
struct settings *settings_ref(struct settings *settings);
void settings_unref(struct settings *settings); // NULL is allowed

// The setting, valid while `settings` is; `settings` may be NULL. NULL: not set. Any thread.
const struct setting *settings_find(const struct settings *settings, enum setting_kind kind,
                                    uint64_t guid, uint8_t number);

// Ascending by kind, GUID and number.
size_t settings_count(const struct settings *settings);
const struct setting *settings_at(const struct settings *settings, size_t at);

// Whether the setting, or its removal, is valid:
// - a name is valid UTF-8 without control characters; a switch's has SETTING_NAME_MAX octets at
// most
// - a level is 0 to 5
// - a community has SETTING_COMMUNITY_MAX printable ASCII characters at most, a serial number
//   SETTING_SERIAL_MAX
// - a trap recipient is a unicast address
// - the kind exists and has that number
bool setting_is_valid(const struct setting *setting);

// "gswSwitchName" and so on.
const char *setting_object(enum setting_kind kind);
