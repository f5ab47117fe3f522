// SPDX-License-Identifier: BSD-2-Clause
// The names of nodes: from a node-name-map in the format of infiniband-diags, and from SNMP. A
// switch's name from SNMP takes precedence.
// Decides: Which name does a node have, and which node has none?
#pragma once

#include "base/error.h"
#include "model/fabric.h"
#include "model/setting.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    NAMES_NAME_SIZE = 128,      // octets of a name with its NUL; longer ones are truncated
    NAMES_ENTRIES_MAX = 200000, // of one map
    NAMES_REFUSED_MAX = 64,     // patterns of descriptions that are no names
};

struct names;

// Reads lines of `GUID "name"`; the quotes are optional, the GUID is hexadecimal, with or without
// 0x. Ignores the rest of a line, empty lines and comments (#). Names become valid UTF-8 without
// control characters. NULL with a sentence, with file and line if a line is malformed.
struct names *names_load(const char *path, struct error *err);

// The same from memory; `origin` is the file's name in errors.
struct names *names_parse(const char *origin, const char *content, size_t size, struct error *err);

// Writes each name as its GUID (8 octets, big-endian) and its text with a NUL; a pattern of
// descriptions that are no names, as the name of GUID 0. `names` may be NULL.
void names_pack(const struct names *names, FILE *out);

// Reads what names_pack wrote. Returns NULL if the octets are something else.
struct names *names_unpack(const uint8_t *octets, size_t size);

// Combines `map` with the gswSwitchName settings, which take precedence, and with patterns of
// descriptions that are no names, at most NAMES_REFUSED_MAX. Map and settings may be NULL. Returns
// one reference, the caller's, or NULL if there are no names and no patterns.
struct names *names_with(struct names *map, const struct settings *settings,
                         const char refused[][NAMES_NAME_SIZE], size_t refused_count);

// Immutable, counted. Any thread. NULL is allowed, and names_ref returns its argument.
struct names *names_ref(struct names *names);
void names_unref(struct names *names); // drops a reference

// The name of a node or port GUID, or NULL. `names` may be NULL. Any thread.
const char *names_find(const struct names *names, uint64_t guid);

// The name of a port's node: by the GUID of the node or, if this has no name, by the GUID of the
// port. 0: a GUID that is not known.
const char *names_find_port(const struct names *names, uint64_t node_guid, uint64_t port_guid);

// Whether the NodeDescription is no name: it is a factory's (node_name.h), or names_with got a
// pattern that fits.
bool names_refuse(const struct names *names, const struct fabric_node *node);

// The node's name of its own: by the map and SNMP, as names_find_port finds it, or else its
// NodeDescription. NULL: it has none, as the description is no name or has namesakes. The name
// lives as long as the node and the names.
const char *names_of_node(const struct names *names, const struct fabric_node *node,
                          uint64_t port_guid);

size_t names_count(const struct names *names); // with names that settings replace
