// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_rules.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The schedule.

static const int64_t PAUSE_US_LEAST = 100 * CLOCK_US_PER_MS;

void sweep_schedule_init(struct sweep_schedule *s, int64_t interval_us, int64_t settle_us,
                         int64_t now)
{
    *s = (struct sweep_schedule){.interval_us = interval_us,
                                 .settle_us = settle_us,
                                 .next_at = now,
                                 .rose_at = now - interval_us};
}

static int64_t sweep_rules_settled_at(const struct sweep_schedule *s)
{
    return clock_earlier(s->last_trigger + s->settle_us,
                         s->first_trigger + SWEEP_SCHEDULE_SETTLES_MAX * s->settle_us);
}

int64_t sweep_schedule_due(const struct sweep_schedule *s)
{
    if (s->at_once)
        return 0;
    return s->triggered ? clock_earlier(s->next_at, sweep_rules_settled_at(s)) : s->next_at;
}

void sweep_schedule_trigger(struct sweep_schedule *s, int64_t now)
{
    if (!s->triggered)
        s->first_trigger = now;
    s->last_trigger = now;
    s->triggered = true;
}

void sweep_schedule_now(struct sweep_schedule *s)
{
    s->at_once = true;
}

void sweep_schedule_begin(struct sweep_schedule *s, int64_t now)
{
    s->is_second = s->is_second && !s->triggered;
    s->triggered = s->at_once = false;
    s->next_at = now + s->interval_us;
}

// Begins anew at most once an interval: a link that comes and goes does not make sweeps follow each
// other.
static void sweep_rules_wait(struct sweep_schedule *s, int64_t now, uint32_t inactive)
{
    if (inactive > s->inactive && now - s->rose_at >= s->interval_us) {
        s->rose_at = now;
        s->pause_us = s->settle_us > PAUSE_US_LEAST ? s->settle_us : PAUSE_US_LEAST;
    }
    s->inactive = inactive;
    if (inactive == 0 || s->pause_us >= s->interval_us)
        s->pause_us = 0;
    if (s->pause_us == 0)
        return;
    s->next_at = clock_earlier(s->next_at, now + s->pause_us);
    s->pause_us *= 2;
}

void sweep_schedule_end(struct sweep_schedule *s, int64_t now, bool complete, uint32_t inactive)
{
    s->is_second = !complete && !s->is_second;
    // Leaves settle_us between sweeps that take longer than the interval.
    if (s->is_second || s->next_at < now + s->settle_us)
        s->next_at = now + s->settle_us;
    sweep_rules_wait(s, now, inactive);
}

// The limits.

enum {
    GROWTH = 4,
    NODES_LEAST = 1024,
    PORTS_LEAST = 16 * NODES_LEAST,
    PORTS_EACH = 8, // ports for each node: a fat tree of three levels has six
};
static const int64_t PART_US_LEAST = 60 * CLOCK_US_PER_S;

struct sweep_size sweep_limits_measure(const struct fabric *fabric)
{
    struct sweep_size size = {.nodes = fabric->node_count};
    for (uint32_t i = 0; i < fabric->node_count; i++) {
        const struct fabric_node *node = &fabric->nodes[i];
        size.ports += node->type == FABRIC_SWITCH ? node->port_count + 1U : node->ports;
    }
    return size;
}

static uint32_t sweep_rules_grow(uint32_t expected, uint32_t least, uint64_t bound)
{
    uint64_t limit = (uint64_t)GROWTH * expected + least;
    return (uint32_t)(expected > 0 && limit < bound ? limit : bound);
}

struct sweep_limits sweep_limits_for(const struct sweep_size *expected,
                                     const struct sweep_bounds *bounds)
{
    if (bounds->nodes == 0)
        return (struct sweep_limits){0};
    struct sweep_limits limits = {
        .nodes = sweep_rules_grow(expected->nodes, NODES_LEAST, bounds->nodes),
        .ports = sweep_rules_grow(expected->ports, PORTS_LEAST,
                                  (uint64_t)PORTS_EACH * bounds->nodes + PORTS_LEAST),
        .part_us = PART_US_LEAST + expected->nodes * bounds->silent_us,
    };
    if (expected->nodes == 0 || bounds->part_us < limits.part_us)
        limits.part_us = bounds->part_us;
    return limits;
}

// The findings.

// Adds "port 12 of 0x0002c90300000001 (leaf1)". Cuts the description, which the node chose, to
// leave room for the rest of the sentence.
static void sweep_rules_add_port(struct text *t, uint64_t guid, uint8_t port,
                                 const char *description)
{
    char name[49];
    struct text n = text_in(name, sizeof name);
    text_add(&n, description);
    if (port != 0)
        text_addf(t, "port %u of ", port);
    text_addf(t, "0x%016" PRIx64, guid);
    if (name[0] != '\0')
        text_addf(t, " (%s)", name);
}

void sweep_findings_explain(const struct sweep_overflow *overflow,
                            char out[SWEEP_FINDINGS_REASON_SIZE])
{
    struct text t = text_in(out, SWEEP_FINDINGS_REASON_SIZE);
    text_addf(&t, "it reached %s with %u nodes found, most queries went to what is behind ",
              overflow->limit, (unsigned)overflow->nodes);
    sweep_rules_add_port(&t, overflow->node_guid, overflow->port, overflow->node);
}

static bool sweep_rules_is_higher(const struct sweep_limits *next, const struct sweep_limits *now)
{
    return next->nodes > now->nodes || next->ports > now->ports || next->part_us > now->part_us;
}

static void sweep_rules_tell_overflow(struct sweep_findings *findings, const struct sweep *sweep,
                                      const struct sweep_limits *next, const struct fabric *fabric,
                                      const struct sweep_listener *listener)
{
    char reason[SWEEP_FINDINGS_REASON_SIZE];
    if (sweep->overflow.happened == findings->over ||
        (sweep->overflow.happened && sweep_rules_is_higher(next, &sweep->limits)))
        return;
    findings->over = sweep->overflow.happened;
    if (findings->over)
        sweep_findings_explain(&sweep->overflow, reason);
    else
        snprintf(reason, sizeof reason, "the last one found %u nodes",
                 (unsigned)fabric->node_count);
    if (listener->overflow)
        listener->overflow(listener->ctx, findings->over, reason);
}

// Twins.

static void sweep_rules_add_place(struct text *t, const struct fabric *fabric, uint64_t guid,
                                  uint8_t port)
{
    uint32_t node = fabric_find_node(fabric, guid);
    sweep_rules_add_port(t, guid, port, node != FABRIC_NONE ? fabric->nodes[node].description : "");
}

void sweep_findings_explain_locked(const struct sweep *sweep, const struct fabric *fabric,
                                   char *out, size_t size)
{
    struct text t = text_in(out, size);
    const size_t shown =
        sweep->locked_count < SWEEP_LOCKED_MAX ? sweep->locked_count : SWEEP_LOCKED_MAX;
    for (size_t i = 0; i < shown; i++) {
        const struct sweep_locked *locked = &sweep->locked[i];
        text_add(&t, i > 0 ? "; " : "");
        text_add(&t, locked->port != 0 ? "no answer with the M_Key from behind " : "");
        sweep_rules_add_place(&t, fabric, locked->guid, locked->port);
        text_add(&t, locked->port != 0 ? "" : " has another M_Key");
    }
    if (sweep->locked_count > shown)
        text_addf(&t, "; %zu more", sweep->locked_count - shown);
}

void sweep_findings_explain_pkeys(const struct fabric *fabric, char *out, size_t size)
{
    struct text t = text_in(out, size);
    if (fabric->pkey_tables_left_out > 0)
        text_addf(&t,
                  "the P_Key tables of %" PRIu32 " ports find no room, and their changes are not "
                  "told: the fabric has more than %d P_Keys",
                  fabric->pkey_tables_left_out, FABRIC_PKEYS_MAX);
}

static void sweep_rules_tell_twin(const struct sweep_twin *twin, const struct fabric *fabric,
                                  const struct sweep_listener *listener)
{
    char reason[SWEEP_FINDINGS_REASON_SIZE];
    struct text t = text_in(reason, sizeof reason);
    text_addf(&t, "0x%016" PRIx64 " answers at ", twin->guid);
    sweep_rules_add_place(&t, fabric, twin->other_guid, twin->other_port);
    if (twin->kept_guid != 0) {
        text_add(&t, ", and where it is taken to be, at ");
        sweep_rules_add_place(&t, fabric, twin->kept_guid, twin->kept_port);
    }
    if (listener->twin)
        listener->twin(listener->ctx, reason);
}

static bool sweep_rules_is_same(const struct sweep_twin *a, const struct sweep_twin *b)
{
    return a->guid == b->guid && a->other_guid == b->other_guid && a->other_port == b->other_port;
}

// Whether the last sweep found the twin; `told` says whether it was told then.
static bool sweep_rules_had(const struct sweep_findings *findings, const struct sweep_twin *twin,
                            bool *told)
{
    for (size_t i = 0; i < findings->twin_count; i++) {
        *told = findings->twins[i].told;
        if (sweep_rules_is_same(&findings->twins[i].twin, twin))
            return true;
    }
    return false;
}

static void sweep_rules_tell_twins(struct sweep_findings *findings, const struct sweep *sweep,
                                   const struct fabric *fabric,
                                   const struct sweep_listener *listener)
{
    struct sweep_findings now = {.twin_count = sweep->twin_count};
    for (size_t i = 0; i < sweep->twin_count; i++) {
        const struct sweep_twin *twin = &sweep->twins[i];
        bool told = false, again = sweep_rules_had(findings, twin, &told);
        if (again && !told)
            sweep_rules_tell_twin(twin, fabric, listener);
        now.twins[i].twin = *twin;
        now.twins[i].told = again;
    }
    memcpy(findings->twins, now.twins, sizeof now.twins);
    findings->twin_count = now.twin_count;
}

void sweep_findings_tell(struct sweep_findings *findings, const struct sweep *sweep,
                         const struct sweep_limits *next, const struct fabric *fabric,
                         const struct sweep_listener *listener)
{
    sweep_rules_tell_overflow(findings, sweep, next, fabric, listener);
    sweep_rules_tell_twins(findings, sweep, fabric, listener);
}

void sweep_findings_end(struct sweep_findings *findings, const struct sweep_listener *listener)
{
    if (findings->over && listener->overflow)
        listener->overflow(listener->ctx, false, "ibtrapd does not sweep any more");
    *findings = (struct sweep_findings){0};
}
