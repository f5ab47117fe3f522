// SPDX-License-Identifier: BSD-2-Clause
#include "model/systems.h"

#include "base/memory.h"
#include "base/text.h"
#include "model/node_name.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// A node on the way to its system.
struct place {
    const char *name; // the whole name; "" if the node has none
    const char *host; // the host part of the name; not NUL-terminated
    size_t length;    // octets of the host part; 0: none
    uint32_t root;    // the first node of the system
    bool is_of_box, has_device;
    bool now; // the node answers, and has the name now
};

struct making {
    const struct fabric *fabric;
    const struct systems_names *names;
    struct place *places; // by node
    uint32_t *sorted;     // nodes, in the order of the present step
    uint32_t too_large;
    struct text first; // of those too large
};

static const char *const DEFAULTS[] = {"MF0;%h:%d", "%h %d"};

// Names.

static const char *systems_pattern(const struct filter_list *patterns, size_t i)
{
    if (!patterns || patterns->count == 0)
        return i < sizeof DEFAULTS / sizeof *DEFAULTS ? DEFAULTS[i] : NULL;
    return i < patterns->count ? patterns->patterns[i] : NULL;
}

static void systems_split_name(const struct making *m, uint8_t type, struct place *p)
{
    struct node_name found = {0};
    const char *pattern;
    for (size_t i = 0; found.length == 0 && (pattern = systems_pattern(m->names->patterns, i));
         i++) {
        if (!fabric_is_element(type) || !strchr(pattern, ' '))
            found = node_name_read(pattern, p->name);
    }
    p->host = found.length > 0 ? found.host : p->name;
    p->length = found.length > 0 ? found.length : strlen(p->name);
    p->has_device = found.has_device;
}

static void systems_name_node(const struct making *m, uint32_t node)
{
    const struct fabric_node *n = &m->fabric->nodes[node];
    struct place *p = &m->places[node];
    p->root = node;
    p->now = true;
    p->name = m->names->find ? m->names->find(m->names->ctx, n, &p->now) : n->description;
    p->now = p->now && !n->silent;
    if (node_name_is_of_factory(p->name))
        p->name = "";
    systems_split_name(m, n->type, p);
}

static bool systems_same_host(const struct place *a, const struct place *b)
{
    return a->length == b->length && memcmp(a->host, b->host, a->length) == 0;
}

// Groups. Each has the nodes sorted[first] to sorted[end - 1], ascending.

static void systems_note_too_large(struct making *m, const char *name, size_t length, uint64_t guid)
{
    if (m->too_large++ > 0)
        return;
    if (length > 0)
        text_add_n(&m->first, name, length < m->first.size ? length : m->first.size - 1);
    else
        text_addf(&m->first, "0x%016" PRIx64, guid);
}

static void systems_join(struct making *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        m->places[m->sorted[i]].root = m->sorted[first];
}

static uint64_t systems_guid_of(const struct making *m, uint32_t node)
{
    const struct fabric_node *n = &m->fabric->nodes[node];
    return n->system_guid != 0 ? n->system_guid : n->guid;
}

static int systems_compare_guids(const void *a, const void *b, void *ctx)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const uint64_t x = systems_guid_of(ctx, i), y = systems_guid_of(ctx, j);
    if (x != y)
        return x < y ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void systems_make_box(struct making *m, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        m->places[m->sorted[i]].is_of_box = true;
    if (end - first <= SYSTEMS_BOX_NODES_MAX)
        systems_join(m, first, end);
    else
        systems_note_too_large(m, NULL, 0, systems_guid_of(m, m->sorted[first]));
}

// Gives the CAs without a name the host part of the others with their SystemImageGUID. Without any
// name the CAs are a host without a name. On a card of several hosts the hosts have names.
static void systems_make_card(struct making *m, uint32_t first, uint32_t end)
{
    const struct place *named = NULL;
    if (end - first > SYSTEMS_HOST_NODES_MAX) {
        systems_note_too_large(m, NULL, 0, systems_guid_of(m, m->sorted[first]));
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        const struct place *p = &m->places[m->sorted[i]];
        if (p->length > 0 && named && !systems_same_host(p, named))
            return;
        named = p->length > 0 ? p : named;
    }
    for (uint32_t i = first; named && i < end; i++) {
        struct place *p = &m->places[m->sorted[i]];
        p->host = named->host;
        p->length = named->length;
    }
    if (!named)
        systems_join(m, first, end);
}

static void systems_group_by_guid(struct making *m)
{
    const uint32_t count = m->fabric->node_count;
    qsort_r(m->sorted, count, sizeof *m->sorted, systems_compare_guids, m);
    for (uint32_t first = 0, end; first < count; first = end) {
        const uint64_t guid = systems_guid_of(m, m->sorted[first]);
        bool has_switch = false;
        for (end = first; end < count && systems_guid_of(m, m->sorted[end]) == guid; end++)
            has_switch |= fabric_is_element(m->fabric->nodes[m->sorted[end]].type);
        if (has_switch)
            systems_make_box(m, first, end);
        else
            systems_make_card(m, first, end);
    }
}

// By host part, then by the whole name: nodes with the same name follow each other.
static int systems_compare_names(const void *a, const void *b, void *ctx)
{
    const struct making *m = ctx;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct place *p = &m->places[i], *q = &m->places[j];
    const size_t least = p->length < q->length ? p->length : q->length;
    int order = least > 0 ? memcmp(p->host, q->host, least) : 0;
    if (order == 0 && p->length != q->length)
        order = p->length < q->length ? -1 : 1;
    order = order != 0 ? order : strcmp(p->name, q->name);
    return order != 0 ? order : i < j ? -1 : i > j;
}

static int systems_compare_nodes(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return i < j ? -1 : i > j;
}

// Whether two nodes of the group show that several machines have the name.
static bool systems_is_ambiguous(const struct making *m, uint32_t first, uint32_t end)
{
    const struct place *last = NULL;
    for (uint32_t i = first; i < end; i++) {
        const struct place *p = &m->places[m->sorted[i]];
        if (!p->now || !p->has_device)
            continue;
        if (last && strcmp(last->name, p->name) == 0)
            return true;
        last = p;
    }
    return false;
}

static void systems_make_host(struct making *m, uint32_t first, uint32_t end)
{
    const struct place *p = &m->places[m->sorted[first]];
    if (end - first > SYSTEMS_HOST_NODES_MAX) {
        systems_note_too_large(m, p->host, p->length, 0);
    } else if (!systems_is_ambiguous(m, first, end)) {
        qsort(m->sorted + first, end - first, sizeof *m->sorted, systems_compare_nodes);
        systems_join(m, first, end);
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        struct place *alone = &m->places[m->sorted[i]];
        alone->host = alone->name;
        alone->length = strlen(alone->name);
    }
}

static void systems_group_by_name(struct making *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->fabric->node_count; i++) {
        if (!m->places[i].is_of_box && m->places[i].length > 0)
            m->sorted[count++] = i;
    }
    qsort_r(m->sorted, count, sizeof *m->sorted, systems_compare_names, m);
    for (uint32_t first = 0, end; first < count; first = end) {
        const struct place *p = &m->places[m->sorted[first]];
        for (end = first + 1; end < count && systems_same_host(p, &m->places[m->sorted[end]]);)
            end++;
        systems_make_host(m, first, end);
    }
}

// The result.

static void systems_count_parts(const struct making *m, struct systems *out, struct system *all,
                                uint32_t *of)
{
    for (uint32_t i = 0; i < m->fabric->node_count; i++) {
        const uint32_t root = m->places[i].root;
        if (root == i) {
            of[i] = out->count++;
            all[of[i]] = (struct system){.is_box = m->places[i].is_of_box,
                                         .guid = m->places[i].is_of_box ? systems_guid_of(m, i)
                                                                        : m->fabric->nodes[i].guid};
        }
        of[i] = of[root];
        all[of[i]].count++;
    }
}

// Fills in the parts, and for each system the part with the name.
static void systems_fill_parts(const struct making *m, struct systems *out, struct system *all,
                               uint32_t *parts, uint32_t *named)
{
    for (uint32_t s = 0, first = 0; s < out->count; s++) {
        all[s].first = first;
        first += all[s].count;
        all[s].count = 0;
        named[s] = FABRIC_NONE;
    }
    for (uint32_t i = 0; i < m->fabric->node_count; i++) {
        struct system *s = &all[out->of[i]];
        parts[s->first + s->count++] = i;
        const bool names =
            m->places[i].length > 0 && (!s->is_box || fabric_is_element(m->fabric->nodes[i].type));
        if (names && named[out->of[i]] == FABRIC_NONE)
            named[out->of[i]] = i;
    }
}

static void systems_fill_names(const struct making *m, struct systems *out, struct system *all,
                               char *name, const uint32_t *named)
{
    for (uint32_t s = 0; s < out->count; s++) {
        const struct place *p = named[s] != FABRIC_NONE ? &m->places[named[s]] : NULL;
        all[s].name = name;
        all[s].has_devices = p && p->has_device && !all[s].is_box;
        if (p)
            memcpy(name, p->host, p->length);
        name += p ? p->length : 0;
        *name++ = '\0';
    }
}

// One block of memory has the struct, the arrays and the names.
static struct systems *systems_finish(const struct making *m, struct fabric *fabric)
{
    const uint32_t count = fabric->node_count;
    size_t octets = 0;
    for (uint32_t i = 0; i < count; i++)
        octets += m->places[i].root == i || m->places[i].is_of_box ? m->places[i].length + 1 : 0;
    struct systems *out = memory_get(sizeof *out + count * sizeof(struct system) +
                                     (size_t)count * 2 * sizeof(uint32_t) + octets);
    struct system *all = (struct system *)(out + 1);
    uint32_t *of = (uint32_t *)(all + count), *parts = of + count;
    *out = (struct systems){.fabric = fabric_ref(fabric),
                            .all = all,
                            .of = of,
                            .parts = parts,
                            .too_large = m->too_large};
    atomic_init(&out->references, 1);
    memcpy(out->too_large_first, m->first.buf, m->first.len + 1);
    systems_count_parts(m, out, all, of);
    systems_fill_parts(m, out, all, parts, m->sorted);
    systems_fill_names(m, out, all, (char *)(parts + count), m->sorted);
    return out;
}

struct systems *systems_make(struct fabric *fabric, const struct systems_names *names)
{
    const uint32_t count = fabric->node_count;
    char first[sizeof((struct systems *)NULL)->too_large_first];
    struct making m = {.fabric = fabric,
                       .names = names,
                       .places = memory_zeroed((size_t)count + 1, sizeof *m.places),
                       .sorted = memory_get(((size_t)count + 1) * sizeof *m.sorted),
                       .first = text_in(first, sizeof first)};
    for (uint32_t i = 0; i < count; i++) {
        systems_name_node(&m, i);
        m.sorted[i] = i;
    }
    systems_group_by_guid(&m);
    systems_group_by_name(&m);
    struct systems *out = systems_finish(&m, fabric);
    free(m.places);
    free(m.sorted);
    return out;
}

struct systems *systems_ref(struct systems *systems)
{
    if (systems)
        atomic_fetch_add_explicit(&systems->references, 1, memory_order_relaxed);
    return systems;
}

void systems_unref(struct systems *systems)
{
    if (!systems || atomic_fetch_sub_explicit(&systems->references, 1, memory_order_acq_rel) != 1)
        return;
    fabric_unref(systems->fabric);
    free(systems);
}
