// What a manager has set by SNMP: values of IBSWITCH-MIB's writable objects, which survive
// restarts.
#ifndef IBTRAPD_MODEL_SETTING_H
#define IBTRAPD_MODEL_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SETTING_VALUE_MAX = 256,
    SETTINGS_MAX = 16384,
    SETTING_ROWS_MAX = 6,       // communities of a switch
    SETTING_COMMUNITY_MAX = 16, // octets
};

// The numbers are kept in the journal's file: a new kind comes at the end.
enum setting_kind {
    SETTING_NONE,
    SETTING_SWITCH_NAME,      // gswSwitchName: valid UTF-8, not padded
    SETTING_SAN_NAME,         // gswSwitchSANName: likewise
    SETTING_FABRIC_NAME,      // gswSwitchFabricName: likewise
    SETTING_EVENT_TRAP_LEVEL, // gswEventTrapLevel: one octet, GswEventSeverity
    SETTING_COMMUNITY,        // gswAgtCmtyStr of the row `number`
    SETTING_TRAP_RECIPIENT,   // gswAgtTrapRcp of the row `number`: four octets
};

struct setting {
    enum setting_kind kind;
    uint64_t guid;  // of the switch
    uint8_t number; // of the community, 1 to SETTING_ROWS_MAX; 0 for the other kinds
    uint16_t size;  // 0: as if it had never been set
    uint8_t value[SETTING_VALUE_MAX];
};

// All of them at one time: immutable, counted.
struct settings;

// An equal one with `changes` made to it, with one reference, the caller's; `old` may be NULL, and
// keeps its reference. NULL: no room, or no memory.
struct settings *settings_with(const struct settings *old, const struct setting *changes, size_t n);
struct settings *settings_ref(struct settings *settings);
void settings_unref(struct settings *settings); // NULL is allowed

// NULL: it was never set. Any thread; valid as long as the settings. `settings` may be NULL.
const struct setting *settings_find(const struct settings *settings, enum setting_kind kind,
                                    uint64_t guid, uint8_t number);

// Ascending by kind, GUID and number.
size_t settings_count(const struct settings *settings);
const struct setting *settings_at(const struct settings *settings, size_t at);

// Whether it can be set, or unset:
// - a name is valid UTF-8 without control characters; that of a switch has as many octets as fit
//   messages (NAMES_NAME_SIZE - 1).
// - a level is 0 to 5.
// - a community has SETTING_COMMUNITY_MAX printable octets of ASCII at most.
// - a trap recipient is a unicast address.
// What is no setting, such as one of an unknown kind or with a number that its kind does not have,
// is not valid.
bool setting_is_valid(const struct setting *setting);

// "gswSwitchName" and so on.
const char *setting_object(enum setting_kind kind);

#endif
