// The names that people gave to nodes: a node-name-map as infiniband-diags reads it, and over it
// the names of switches that were set by SNMP.
#ifndef IBTRAPD_MODEL_NAMES_H
#define IBTRAPD_MODEL_NAMES_H

#include "base/error.h"
#include "model/setting.h"

#include <stddef.h>
#include <stdint.h>

enum {
    NAMES_NAME_SIZE = 128,      // octets of a name, its NUL included; longer ones are cut
    NAMES_ENTRIES_MAX = 200000, // of one map
};

struct names;

// Reads lines of `GUID "name"`, the quotes optional; what follows is ignored, as are empty lines
// and comments (#). The GUID is hexadecimal, with or without 0x. A malformed line is an error that
// names file and line. Names come out as valid UTF-8 without control characters. NULL on error.
struct names *names_load(const char *path, struct error *err);

// The same from memory; `origin` stands for the file in errors.
struct names *names_parse(const char *origin, const char *content, size_t size, struct error *err);

// `map`, with the gswSwitchName of those switches for which one was set in the place of its names.
// Both may be NULL; `out` gets a reference, the caller's, or NULL when there are no names at all.
// False: out of memory.
bool names_with(struct names *map, const struct settings *settings, struct names **out);

// Immutable, counted. Any thread. NULL is allowed, and names_ref returns its argument.
struct names *names_ref(struct names *names);
void names_unref(struct names *names); // drops a reference

// The name of a node or port GUID, or NULL. `names` may be NULL. Any thread.
const char *names_find(const struct names *names, uint64_t guid);

size_t names_count(const struct names *names); // a name in the place of another counts, too

#endif
