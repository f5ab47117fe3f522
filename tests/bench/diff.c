// SPDX-License-Identifier: BSD-2-Clause
// Measures how long the comparison of two snapshots of a fat tree, and the other work on a
// snapshot, take by the number of hosts. Prints a table on standard error, JSON on standard output.
// Usage: bench-diff [RUNS]
#include "generated.h"

#include "base/clock.h"
#include "model/fabric_record.h"
#include "model/topology_file.h"
#include "topology/changes.h"
#include "topology/describe.h"
#include "topology/diff.h"
#include "topology/expectation.h"
#include "topology/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_DEFAULT = 9, RUNS_MAX = 1000, HALF = 32 };

static const uint32_t HOSTS[] = {1000, 2000, 4000, 8000, 16000, 32000, 48000};

// The measured steps, in the order of the columns.
enum step {
    DIFF_SAME,    // compares equal snapshots, discovered in different order
    DIFF_CHANGED, // compares: a leaf with its hosts removed, a hundred links degraded, ten hosts
                  // moved
    CHANGES,      // makes the changes' events, with names
    MERGE,        // merges the first with the last snapshot, taken as incomplete
    WRITE,
    DIGEST,
    READ,
    EXPECTED,      // compares the last snapshot with the first as the expected topology, by GUIDs
    EXPECTED_SAME, // the equal snapshots, without a differing link
    EXPECTED_NAME, // the same by names
    FILE_READ,     // reads the first snapshot as a topology file
    STEPS,
};
static const char *const NAMES[STEPS] = {"diffSame",     "diff",         "changes", "merge",
                                         "write",        "digest",       "read",    "expected",
                                         "expectedSame", "expectedName", "fileRead"};

struct bench {
    struct fabric *before, *same, *after;
    struct systems *same_systems, *after_systems;
    uint8_t *record;
    size_t size, differences, changes;
    struct expectation *expected[2]; // by GUID, by name
    char *file;                      // the first one in the format of ibnetdiscover(8)
    size_t file_size;
    uint64_t digest;
};

static void count_item(void *ctx, const struct diff_item *item)
{
    (void)item;
    ++*(size_t *)ctx;
}

static uint32_t find(const struct generated *g, const char *name)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (strcmp(g->nodes[i].node.description, name) == 0)
            return i;
    }
    abort();
}

static void change(struct generated *g)
{
    uint32_t leaf = find(g, "leaf1"), last = find(g, "leaf3");
    for (uint8_t i = 1; i <= HALF; i++)
        generated_remove(g, generated_port(g, leaf, i)->peer_node);
    generated_remove(g, leaf);
    for (uint32_t i = 0, left = 100; i < g->count && left > 0; i++) {
        struct fabric_port *port = generated_port(g, i, 1);
        if (port->peer_node != FABRIC_NONE && g->nodes[i].node.type == FABRIC_CA) {
            port->width_active = generated_port(g, port->peer_node, port->peer_port)->width_active =
                1;
            left--;
        }
    }
    uint32_t spare = generated_add(g, FABRIC_SWITCH, 0, "spare", 2 * HALF);
    for (uint8_t i = 1; i <= 10; i++)
        generated_link(g, generated_port(g, last, i)->peer_node, 1, spare, i);
    generated_link(g, spare, 2 * HALF, last, 1);
}

static void write_link(FILE *f, const struct fabric *fabric, const struct fabric_port *port)
{
    const struct fabric_node *peer = &fabric->nodes[port->peer_node];
    fprintf(f, "[%u]\t\"%c-%016" PRIx64 "\"[%u](%" PRIx64 ")\t\t# \"%s\" lid %u 4xEDR\n",
            (unsigned)port->number, peer->type == FABRIC_SWITCH ? 'S' : 'H', peer->guid,
            (unsigned)port->peer_port, peer->guid + port->peer_port, peer->description, 17U);
}

static void write_file(struct bench *b)
{
    const struct fabric *fabric = b->before;
    FILE *f = open_memstream(&b->file, &b->file_size);
    for (uint32_t i = 0; f && i < fabric->node_count; i++) {
        const struct fabric_node *n = &fabric->nodes[i];
        const bool is_switch = n->type == FABRIC_SWITCH;
        fprintf(f, "\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x%" PRIx64 "\n%sguid=0x%" PRIx64 "\n",
                n->system_guid, is_switch ? "switch" : "ca", n->guid);
        fprintf(f, "%s\t%u \"%c-%016" PRIx64 "\"\t\t# \"%s\"\n", is_switch ? "Switch" : "Ca",
                (unsigned)n->port_count, is_switch ? 'S' : 'H', n->guid, n->description);
        for (uint32_t k = n->first_port; k < n->first_port + n->ports; k++) {
            if (fabric->ports[k].peer_node != FABRIC_NONE)
                write_link(f, fabric, &fabric->ports[k]);
        }
    }
    if (!f || fclose(f) != 0)
        abort();
}

static struct bench make_bench(uint32_t hosts)
{
    struct generated g = {0};
    struct bench b = {0};
    generated_fat_tree(&g, hosts, HALF);
    b.before = generated_look(&g, 0);
    b.same = generated_look(&g, 3);
    change(&g);
    b.after = generated_look(&g, 5);
    b.record = fabric_record_write(b.before, &b.size);
    generated_clear(&g);
    b.same_systems = describe_systems(b.same, NULL, NULL);
    b.after_systems = describe_systems(b.after, NULL, NULL);
    b.expected[0] = expectation_new(fabric_ref(b.before), false, NULL);
    b.expected[1] = expectation_new(fabric_ref(b.before), true, NULL);
    write_file(&b);
    return b;
}

static void free_bench(struct bench *b)
{
    systems_unref(b->same_systems);
    systems_unref(b->after_systems);
    fabric_unref(b->before);
    fabric_unref(b->same);
    fabric_unref(b->after);
    free(b->record);
    expectation_unref(b->expected[0]);
    expectation_unref(b->expected[1]);
    free(b->file);
}

static void count_changes(struct bench *b)
{
    struct changes changes = {0};
    changes_between(b->before, b->after, NULL, &changes);
    b->changes = changes.count;
    changes_clear(&changes);
}

static void merge(const struct bench *b)
{
    struct merge_memory memory = {0};
    b->after->complete = false;
    fabric_unref(merge_fabrics(b->before, b->after, &memory, NULL));
    free(memory.missed);
}

static void count_difference(void *ctx, const struct change *difference, bool unseen)
{
    (void)difference;
    (void)unseen;
    ++*(size_t *)ctx;
}

static void run_step(struct bench *b, enum step step)
{
    struct error err;
    size_t size;
    b->differences = 0;
    switch (step) {
    case DIFF_SAME:
        diff_fabrics(b->before, b->same, count_item, &b->differences);
        break;
    case DIFF_CHANGED:
        diff_fabrics(b->before, b->after, count_item, &b->differences);
        break;
    case CHANGES:
        count_changes(b);
        break;
    case MERGE:
        merge(b);
        break;
    case WRITE:
        free(fabric_record_write(b->before, &size));
        break;
    case DIGEST:
        b->digest = fabric_record_digest(b->record, b->size);
        break;
    case EXPECTED:
        expectation_compare(b->expected[0], b->after_systems, NULL, count_difference,
                            &b->differences);
        break;
    case EXPECTED_SAME:
        expectation_compare(b->expected[0], b->same_systems, NULL, count_difference,
                            &b->differences);
        break;
    case EXPECTED_NAME:
        expectation_compare(b->expected[1], b->same_systems, NULL, count_difference,
                            &b->differences);
        break;
    case FILE_READ:
        fabric_unref(topology_file_parse("file", b->file, b->file_size, &err));
        break;
    default:
        fabric_unref(fabric_record_read(b->record, b->size, &err));
        break;
    }
}

static int compare_times(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Milliseconds.
static double median(struct bench *b, enum step step, unsigned runs)
{
    int64_t times[RUNS_MAX];
    run_step(b, step); // once to fill the caches
    for (unsigned i = 0; i < runs; i++) {
        int64_t start = clock_monotonic(&clock_system);
        run_step(b, step);
        times[i] = clock_monotonic(&clock_system) - start;
    }
    qsort(times, runs, sizeof *times, compare_times);
    return (double)times[runs / 2] / 1000;
}

static uint32_t count_links(const struct fabric *fabric)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < fabric->port_count; i++)
        ends += fabric->ports[i].peer_node != FABRIC_NONE;
    return ends / 2;
}

static void measure(uint32_t hosts, unsigned runs, bool first)
{
    struct bench b = make_bench(hosts);
    uint32_t links = count_links(b.before);
    printf(
        "%s\n  {\"hosts\": %u, \"nodes\": %u, \"links\": %u, \"ports\": %u, \"recordOctets\": %zu",
        first ? "" : ",", hosts, b.before->node_count, links, b.before->port_count, b.size);
    fprintf(stderr, "%6u %6u %7u %7u", hosts, b.before->node_count, links, b.before->port_count);
    for (enum step step = 0; step < STEPS; step++) {
        double ms = median(&b, step, runs);
        printf(", \"%sMs\": %.3f", NAMES[step], ms);
        fprintf(stderr, " %9.2f", ms);
    }
    printf(", \"changes\": %zu}", b.changes);
    fprintf(stderr, " %9zu %8zu\n", b.size, b.changes);
    free_bench(&b);
}

int main(int argc, char **argv)
{
    unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : RUNS_DEFAULT;
    if (runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: %s [RUNS]\n", argv[0]);
        return 2;
    }
    fprintf(stderr, "medians of %u runs, in milliseconds\n%6s %6s %7s %7s", runs, "hosts", "nodes",
            "links", "ports");
    for (enum step step = 0; step < STEPS; step++)
        fprintf(stderr, " %9s", NAMES[step]);
    fprintf(stderr, " %9s %8s\n", "octets", "changes");
    printf("[");
    for (size_t i = 0; i < sizeof HOSTS / sizeof *HOSTS; i++)
        measure(HOSTS[i], runs, i == 0);
    printf("\n]\n");
    return 0;
}
