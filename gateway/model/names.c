// SPDX-License-Identifier: BSD-2-Clause
#include "model/names.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/search.h"
#include "base/text.h"
#include "base/wire.h"
#include "model/address.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)SETTING_NAME_MAX == (int)NAMES_NAME_SIZE - 1, "a name that was set fits");

struct entry {
    uint64_t guid;
    size_t order; // of the line: of two lines for a GUID, the later line is valid
    char name[NAMES_NAME_SIZE];
};

struct names {
    _Atomic unsigned references;
    struct names *below;   // for GUIDs without an entry here; a reference, or NULL
    struct entry *entries; // ascending by GUID; those of GUID 0 are patterns, see names_refuse
    size_t count, capacity;
};

enum { FILE_SIZE_MAX = 64 << 20 };

static const char *names_skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

// Reads up to 16 hexadecimal digits and returns the place behind the digits. NULL: there are no
// digits, too many digits, or other characters directly behind the digits.
static const char *names_read_guid(const char *p, const char *end, uint64_t *guid)
{
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        p += 2;
    const bool ok = address_take_hex(&p, end, guid);
    return ok && (p == end || *p == ' ' || *p == '\t') ? p : NULL;
}

static bool names_add(struct names *names, uint64_t guid, const char *name, size_t length,
                      struct error *err)
{
    if (names->count == NAMES_ENTRIES_MAX)
        return error_set(err, "more than %d names", (int)NAMES_ENTRIES_MAX);
    MEMORY_MAKE_ROOM(names->entries, names->count, names->capacity);
    struct entry *e = &names->entries[names->count];
    e->guid = guid;
    e->order = names->count++;
    text_clean(name, length, e->name, sizeof e->name);
    return true;
}

static bool names_add_trimmed(struct names *names, uint64_t guid, const char *p, const char *end,
                              struct error *err)
{
    while (end > p && names_skip_blanks(end - 1, end) == end)
        end--;
    if (p == end)
        return error_set(err, "the GUID must be followed by a name");
    return names_add(names, guid, p, (size_t)(end - p), err);
}

static bool names_add_quoted(struct names *names, uint64_t guid, const char *p, const char *end,
                             struct error *err)
{
    const char *close = memchr(p, '"', (size_t)(end - p));
    if (!close)
        return error_set(err, "the name's closing double quote is missing");
    return names_add_trimmed(names, guid, p, close, err);
}

static bool names_read_line(struct names *names, const char *p, const char *end, struct error *err)
{
    p = names_skip_blanks(p, end);
    if (p == end || *p == '#')
        return true;
    uint64_t guid;
    p = names_read_guid(p, end, &guid);
    if (!p)
        return error_set(err, "a line must begin with a GUID such as 0x0002c90200001234");
    p = names_skip_blanks(p, end);
    if (guid == 0)
        return true;
    if (p < end && *p == '"')
        return names_add_quoted(names, guid, p + 1, end, err);
    const char *comment = memchr(p, '#', (size_t)(end - p));
    return names_add_trimmed(names, guid, p, comment ? comment : end, err);
}

static int names_compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void names_sort_and_merge(struct names *names)
{
    if (names->count == 0)
        return;
    qsort(names->entries, names->count, sizeof *names->entries, names_compare);
    size_t kept = 0;
    for (size_t i = 1; i < names->count; i++) {
        if (names->entries[i].guid != names->entries[kept].guid || names->entries[i].guid == 0)
            kept++;
        names->entries[kept] = names->entries[i];
    }
    names->count = kept + 1;
}

static struct names *names_new(void)
{
    struct names *names = memory_zeroed(1, sizeof *names);
    atomic_init(&names->references, 1);
    return names;
}

struct names *names_parse(const char *origin, const char *content, size_t size, struct error *err)
{
    struct names *names = names_new();
    const char *p = content, *end = content + size;
    for (unsigned line = 1; p < end; line++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *line_end = newline ? newline : end;
        if (!names_read_line(names, p, line_end, err)) {
            error_prefix(err, "%s:%u", origin, line);
            names_unref(names);
            return NULL;
        }
        p = newline ? newline + 1 : end;
    }
    names_sort_and_merge(names);
    return names;
}

// Of two names for a GUID, names_unpack keeps the later name.
// NOLINTNEXTLINE(misc-no-recursion): the layers are few
void names_pack(const struct names *names, FILE *out)
{
    if (!names)
        return;
    names_pack(names->below, out);
    for (size_t i = 0; i < names->count; i++) {
        uint8_t guid[8];
        wire_put(guid, sizeof guid, names->entries[i].guid);
        fwrite(guid, sizeof guid, 1, out);
        fwrite(names->entries[i].name, strlen(names->entries[i].name) + 1, 1, out);
    }
}

struct names *names_unpack(const uint8_t *octets, size_t size)
{
    struct error err;
    struct names *names = names_new();
    const uint8_t *end = octets + size, *nul;
    bool ok = true;
    for (; ok && octets < end; octets = nul + 1) {
        nul = end - octets > 8 ? memchr(octets + 8, '\0', (size_t)(end - octets - 8)) : NULL;
        ok = nul && names_add(names, wire_get64(octets), (const char *)octets + 8,
                              (size_t)(nul - octets - 8), &err);
    }
    names_sort_and_merge(names);
    if (ok)
        return names;
    names_unref(names);
    return NULL;
}

struct names *names_load(const char *path, struct error *err)
{
    size_t size;
    char *content = regular_file_read(path, FILE_SIZE_MAX, &size, err);
    if (!content) {
        error_prefix(err, "node-name-map");
        return NULL;
    }
    struct names *names = names_parse(path, content, size, err);
    free(content);
    return names;
}

static_assert((int)SETTINGS_MAX + (int)NAMES_REFUSED_MAX <= (int)NAMES_ENTRIES_MAX,
              "all names that are set fit");

// The settings ascend by GUID, and entries have to ascend.
struct names *names_with(struct names *map, const struct settings *settings,
                         const char refused[][NAMES_NAME_SIZE], size_t refused_count)
{
    struct error err;
    struct names *names = names_new();
    for (size_t i = 0; i < refused_count; i++)
        names_add(names, 0, refused[i], strlen(refused[i]), &err);
    for (size_t i = 0; i < settings_count(settings); i++) {
        const struct setting *s = settings_at(settings, i);
        if (s->kind == SETTING_SWITCH_NAME)
            names_add(names, s->guid, (const char *)s->value, s->size, &err);
    }
    if (names->count > 0) {
        names->below = names_ref(map);
        return names;
    }
    names_unref(names);
    return names_ref(map);
}

struct names *names_ref(struct names *names)
{
    if (names)
        atomic_fetch_add_explicit(&names->references, 1, memory_order_relaxed);
    return names;
}

void names_unref(struct names *names)
{
    while (names && atomic_fetch_sub_explicit(&names->references, 1, memory_order_acq_rel) == 1) {
        struct names *below = names->below;
        free(names->entries);
        free(names);
        names = below;
    }
}

static const char *names_find_own(const struct names *names, uint64_t guid)
{
    size_t at;
    SEARCH_FIRST(at, 0, names->count, names->entries[at].guid < guid);
    bool found = at < names->count && names->entries[at].guid == guid;
    return found ? names->entries[at].name : NULL;
}

const char *names_find(const struct names *names, uint64_t guid)
{
    const char *name = NULL;
    for (; names && !name; names = names->below)
        name = names_find_own(names, guid);
    return name;
}

const char *names_find_port(const struct names *names, uint64_t node_guid, uint64_t port_guid)
{
    const char *name = node_guid != 0 ? names_find(names, node_guid) : NULL;
    return name || port_guid == 0 ? name : names_find(names, port_guid);
}

bool names_refuse(const struct names *names, const struct fabric_node *node)
{
    for (; names && !node->nameless; names = names->below) {
        for (size_t i = 0; i < names->count && names->entries[i].guid == 0; i++) {
            if (text_fits(node->description, names->entries[i].name))
                return true;
        }
    }
    return node->nameless;
}

const char *names_of_node(const struct names *names, const struct fabric_node *node,
                          uint64_t port_guid)
{
    const char *name = names_find_port(names, node->guid, port_guid);
    return name || node->namesake || names_refuse(names, node) ? name : node->description;
}

size_t names_count(const struct names *names)
{
    size_t count = 0;
    for (; names; names = names->below)
        count += names->count;
    return count;
}
