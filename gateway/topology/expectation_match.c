// SPDX-License-Identifier: BSD-2-Clause
#include "topology/expectation_match.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void expectation_match_clear(const struct fabric *expected, const struct fabric *now,
                                    uint32_t *there, uint32_t *wanted)
{
    for (uint32_t i = 0; i < expected->node_count; i++)
        there[i] = FABRIC_NONE;
    for (uint32_t j = 0; j < now->node_count; j++)
        wanted[j] = FABRIC_NONE;
}

// Matches the nodes that are not matched yet.
static void match_by_guid(const struct fabric *expected, const struct fabric *now, uint32_t *there,
                          uint32_t *wanted)
{
    uint32_t i = 0, j = 0;
    while (i < expected->node_count && j < now->node_count) {
        const uint64_t a = expected->nodes[i].guid, b = now->nodes[j].guid;
        if (a == b && there[i] == FABRIC_NONE && wanted[j] == FABRIC_NONE) {
            there[i] = j;
            wanted[j] = i;
        }
        i += a <= b;
        j += b <= a;
    }
}

// A node by its name. The digest comes first, as it sorts faster than the text; a stranger who
// chooses names of one digest makes it no slower than the texts are.
struct match_name {
    uint64_t digest;
    const char *name;
    uint32_t node;
};

static uint64_t match_digest(const char *name)
{
    return digest_add(DIGEST_OF_NOTHING, name, strlen(name));
}

static int match_compare(const void *a, const void *b)
{
    const struct match_name *m = a, *n = b;
    if (m->digest != n->digest)
        return m->digest < n->digest ? -1 : 1;
    return strcmp(m->name, n->name);
}

// The nodes that are not matched yet by their names, sorted; without empty names.
static struct match_name *match_list(const struct fabric *fabric, const struct names *names,
                                     const uint32_t *matched, size_t *count)
{
    struct match_name *list = memory_get(((size_t)fabric->node_count + 1) * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const char *name = names_find(names, fabric->nodes[i].guid);
        if (!name)
            name = fabric->nodes[i].description;
        if (name[0] != '\0' && matched[i] == FABRIC_NONE)
            list[(*count)++] = (struct match_name){match_digest(name), name, i};
    }
    qsort(list, *count, sizeof *list, match_compare);
    return list;
}

static bool match_is_unique(const struct match_name *list, size_t count, size_t at)
{
    return (at == 0 || match_compare(&list[at - 1], &list[at]) != 0) &&
           (at + 1 == count || match_compare(&list[at], &list[at + 1]) != 0);
}

// The names of `now` are those of `names`, or its descriptions where that is NULL.
static void match_by_name(const struct fabric *expected, const struct fabric *now,
                          const struct names *names, uint32_t *there, uint32_t *wanted)
{
    size_t m = 0, n = 0, i = 0, j = 0;
    struct match_name *a = match_list(expected, NULL, there, &m);
    struct match_name *b = match_list(now, names, wanted, &n);
    while (i < m && j < n) {
        const int order = match_compare(&a[i], &b[j]);
        if (order == 0 && match_is_unique(a, m, i) && match_is_unique(b, n, j) &&
            expected->nodes[a[i].node].type == now->nodes[b[j].node].type) {
            there[a[i].node] = b[j].node;
            wanted[b[j].node] = a[i].node;
        }
        i += order <= 0;
        j += order >= 0;
    }
    free(a);
    free(b);
}

// ibnetdiscover takes names of switches from a node-name-map, and those of hosts from the hosts.
void expectation_match(bool by_name, const struct fabric *expected, const struct fabric *now,
                       const struct names *names, uint32_t *there, uint32_t *wanted)
{
    expectation_match_clear(expected, now, there, wanted);
    if (by_name && names)
        match_by_name(expected, now, names, there, wanted);
    if (by_name)
        match_by_name(expected, now, NULL, there, wanted);
    match_by_guid(expected, now, there, wanted);
}
