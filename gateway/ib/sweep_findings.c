// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweep_findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Adds "port 12 of 0x0002c90300000001 (leaf1)". Cuts the description, which the node chose, so that
// it leaves room for the rest of the sentence.
static void sweep_findings_add_port(struct text *t, uint64_t guid, uint8_t port,
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
    sweep_findings_add_port(&t, overflow->node_guid, overflow->port, overflow->node);
}

static bool sweep_findings_is_higher(const struct sweep_limits *next,
                                     const struct sweep_limits *now)
{
    return next->nodes > now->nodes || next->ports > now->ports || next->part_us > now->part_us;
}

static void sweep_findings_tell_overflow(struct sweep_findings *findings, const struct sweep *sweep,
                                         const struct sweep_limits *next,
                                         const struct fabric *fabric,
                                         const struct sweep_listener *listener)
{
    char reason[SWEEP_FINDINGS_REASON_SIZE];
    if (sweep->overflow.happened == findings->over ||
        (sweep->overflow.happened && sweep_findings_is_higher(next, &sweep->limits)))
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

static void sweep_findings_add_place(struct text *t, const struct fabric *fabric, uint64_t guid,
                                     uint8_t port)
{
    uint32_t node = fabric_find_node(fabric, guid);
    sweep_findings_add_port(t, guid, port,
                            node != FABRIC_NONE ? fabric->nodes[node].description : "");
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
        sweep_findings_add_place(&t, fabric, locked->guid, locked->port);
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

static void sweep_findings_tell_twin(const struct sweep_twin *twin, const struct fabric *fabric,
                                     const struct sweep_listener *listener)
{
    char reason[SWEEP_FINDINGS_REASON_SIZE];
    struct text t = text_in(reason, sizeof reason);
    text_addf(&t, "0x%016" PRIx64 " answers at ", twin->guid);
    sweep_findings_add_place(&t, fabric, twin->other_guid, twin->other_port);
    if (twin->kept_guid != 0) {
        text_add(&t, ", and where it is taken to be, at ");
        sweep_findings_add_place(&t, fabric, twin->kept_guid, twin->kept_port);
    }
    if (listener->twin)
        listener->twin(listener->ctx, reason);
}

static bool sweep_findings_is_same(const struct sweep_twin *a, const struct sweep_twin *b)
{
    return a->guid == b->guid && a->other_guid == b->other_guid && a->other_port == b->other_port;
}

// Whether the last sweep found the twin; `told` says whether it was told then.
static bool sweep_findings_had(const struct sweep_findings *findings, const struct sweep_twin *twin,
                               bool *told)
{
    for (size_t i = 0; i < findings->twin_count; i++) {
        *told = findings->twins[i].told;
        if (sweep_findings_is_same(&findings->twins[i].twin, twin))
            return true;
    }
    return false;
}

static void sweep_findings_tell_twins(struct sweep_findings *findings, const struct sweep *sweep,
                                      const struct fabric *fabric,
                                      const struct sweep_listener *listener)
{
    struct sweep_findings now = {.twin_count = sweep->twin_count};
    for (size_t i = 0; i < sweep->twin_count; i++) {
        const struct sweep_twin *twin = &sweep->twins[i];
        bool told = false, again = sweep_findings_had(findings, twin, &told);
        if (again && !told)
            sweep_findings_tell_twin(twin, fabric, listener);
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
    sweep_findings_tell_overflow(findings, sweep, next, fabric, listener);
    sweep_findings_tell_twins(findings, sweep, fabric, listener);
}

void sweep_findings_end(struct sweep_findings *findings, const struct sweep_listener *listener)
{
    if (findings->over && listener->overflow)
        listener->overflow(listener->ctx, false, "ibtrapd does not sweep any more");
    *findings = (struct sweep_findings){0};
}
