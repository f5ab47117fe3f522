// SPDX-License-Identifier: BSD-2-Clause
#include "model/counter.h"

#include "base/search.h"

#include <assert.h>
#include <string.h>

// `source`: its bit in the sources of struct counter_sample; 0: all ports have it.
struct row {
    const char *name;
    uint64_t limit;
    uint8_t source;
};

static const struct row ROWS[COUNTER_COUNT] = {
    [COUNTER_SYMBOL_ERROR] = {"SymbolErrorCounter", UINT16_MAX, 0},
    [COUNTER_LINK_ERROR_RECOVERY] = {"LinkErrorRecoveryCounter", UINT8_MAX, 0},
    [COUNTER_LINK_DOWNED] = {"LinkDownedCounter", UINT8_MAX, 0},
    [COUNTER_RCV_ERRORS] = {"PortRcvErrors", UINT16_MAX, 0},
    [COUNTER_RCV_REMOTE_PHYSICAL_ERRORS] = {"PortRcvRemotePhysicalErrors", UINT16_MAX, 0},
    [COUNTER_RCV_SWITCH_RELAY_ERRORS] = {"PortRcvSwitchRelayErrors", UINT16_MAX, 0},
    [COUNTER_XMIT_DISCARDS] = {"PortXmitDiscards", UINT16_MAX, 0},
    [COUNTER_XMIT_CONSTRAINT_ERRORS] = {"PortXmitConstraintErrors", UINT8_MAX, 0},
    [COUNTER_RCV_CONSTRAINT_ERRORS] = {"PortRcvConstraintErrors", UINT8_MAX, 0},
    [COUNTER_LOCAL_LINK_INTEGRITY_ERRORS] = {"LocalLinkIntegrityErrors", 15, 0},
    [COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS] = {"ExcessiveBufferOverrunErrors", 15, 0},
    [COUNTER_VL15_DROPPED] = {"VL15Dropped", UINT16_MAX, 0},
    [COUNTER_XMIT_WAIT] = {"PortXmitWait", UINT32_MAX, 0},
    [COUNTER_FEC_CORRECTED] = {"PortFECCorrectableBlockCtr", UINT32_MAX, COUNTER_OF_FEC},
    [COUNTER_FEC_UNCORRECTABLE] = {"PortFECUncorrectableBlockCtr", UINT32_MAX, COUNTER_OF_FEC},
    [COUNTER_EFFECTIVE_ERRORS] = {"PhyEffectiveErrors", UINT64_MAX, COUNTER_OF_PHYSICAL},
    [COUNTER_FEC_NEAR_LIMIT] = {"PhyBlocksNearFECLimit", UINT64_MAX, COUNTER_OF_HISTOGRAM},
    [COUNTER_RECOVERIES] = {"SuccessfulRecoveryEvents", UINT32_MAX, COUNTER_OF_RECOVERY},
    [COUNTER_UNINTENDED_DOWNS] = {"UnintentionalLinkDownEvents", UINT32_MAX, COUNTER_OF_RECOVERY},
    [COUNTER_XMIT_DATA] = {"PortXmitData", UINT32_MAX, 0},
    [COUNTER_RCV_DATA] = {"PortRcvData", UINT32_MAX, 0},
    [COUNTER_XMIT_PKTS] = {"PortXmitPkts", UINT32_MAX, 0},
    [COUNTER_RCV_PKTS] = {"PortRcvPkts", UINT32_MAX, 0},
};

const char *counter_name(enum counter counter)
{
    assert(counter < COUNTER_COUNT);
    return ROWS[counter].name;
}

uint64_t counter_limit(enum counter counter)
{
    assert(counter < COUNTER_COUNT);
    return ROWS[counter].limit;
}

// The name without "Port" at its beginning.
static const char *counter_core(const char *name)
{
    return strncmp(name, "Port", 4) == 0 ? name + 4 : name;
}

// The length of the name without "Counter" at its end.
static size_t counter_core_length(const char *name)
{
    size_t n = strlen(name);
    return n > 7 && strcmp(name + n - 7, "Counter") == 0 ? n - 7 : n;
}

enum counter counter_find(const char *name)
{
    const char *wanted = counter_core(name);
    size_t n = counter_core_length(wanted);
    for (enum counter c = 0; c < COUNTER_ERRORS; c++) {
        const char *have = counter_core(ROWS[c].name);
        if (counter_core_length(have) == n && memcmp(have, wanted, n) == 0)
            return c;
    }
    return COUNTER_ERRORS;
}

uint64_t counter_growth(uint64_t before, uint64_t after)
{
    return after < before ? after : after - before;
}

int counter_compare_ports(uint64_t guid_a, uint8_t port_a, uint64_t guid_b, uint8_t port_b)
{
    if (guid_a != guid_b)
        return guid_a < guid_b ? -1 : 1;
    return port_a - port_b;
}

bool counter_counts_downs(enum counter counter)
{
    return counter == COUNTER_LINK_DOWNED || counter == COUNTER_UNINTENDED_DOWNS;
}

bool counter_was_read(const struct counter_sample *sample, enum counter counter)
{
    return (sample->sources & ROWS[counter].source) == ROWS[counter].source;
}

bool counter_is_comparable(const struct counter_sample *before, const struct counter_sample *now,
                           enum counter counter)
{
    if (ROWS[counter].source != 0)
        return counter_was_read(before, counter) == counter_was_read(now, counter);
    if (counter == COUNTER_XMIT_WAIT && before->no_wait != now->no_wait)
        return false;
    return counter < COUNTER_ERRORS ? before->extended == now->extended : before->wide == now->wide;
}

bool counter_is_full(const struct counter_sample *sample, enum counter counter)
{
    const bool is_long = sample->extended && ROWS[counter].source == 0;
    return !is_long && sample->values[counter] >= counter_limit(counter);
}

// Why a port counted errors.

// One, and several.
struct error_cause {
    const char *one, *many;
};

static const struct error_cause RECEIVED[ERROR_DETAILS_CAUSES] = {
    {"local physical error", "local physical errors"},
    {"malformed packet", "malformed packets"},
    {"buffer overrun", "buffer overruns"},
    {"DLID mapping error", "DLID mapping errors"},
    {"VL mapping error", "VL mapping errors"},
    {"looping packet", "looping packets"},
};

static const struct error_cause DISCARDED[ERROR_DETAILS_CAUSES] = {
    {"packet for an inactive port", "packets for an inactive port"},
    {"packet larger than the neighbour's MTU", "packets larger than the neighbour's MTU"},
    {"packet beyond its lifetime in the switch", "packets beyond their lifetime in the switch"},
    {"packet beyond its lifetime at the head of the queue",
     "packets beyond their lifetime at the head of the queue"},
};

static bool counter_precedes(const struct error_details *details, uint64_t node_guid, uint8_t port,
                             enum counter counter)
{
    const int order = counter_compare_ports(details->node_guid, details->port, node_guid, port);
    return order < 0 || (order == 0 && details->counter < counter);
}

const struct error_details *counter_find_details(const struct counter_reading *reading,
                                                 uint64_t node_guid, uint8_t port,
                                                 enum counter counter)
{
    size_t at;
    SEARCH_FIRST(at, 0, reading->detail_count,
                 counter_precedes(&reading->details[at], node_guid, port, counter));
    if (at == reading->detail_count)
        return NULL;
    const struct error_details *found = &reading->details[at];
    const bool same =
        found->node_guid == node_guid && found->port == port && found->counter == counter;
    return same ? found : NULL;
}

static void counter_add_lanes(struct text *t, const struct error_details *details)
{
    const char *before = details->symbols ? "corrected symbols: " : "uncorrectable blocks: ";
    for (unsigned i = 0; details->known && i < ERROR_DETAILS_CAUSES; i++) {
        if (details->counts[i] == 0)
            continue;
        text_addf(t, "%s%u on lane %u", before, details->counts[i], i);
        before = ", ";
    }
}

void error_details_describe(struct text *t, const struct error_details *details)
{
    if (details->counter == COUNTER_FEC_UNCORRECTABLE) {
        counter_add_lanes(t, details);
        return;
    }
    const struct error_cause *causes =
        details->counter == COUNTER_RCV_ERRORS ? RECEIVED : DISCARDED;
    const size_t before = t->len;
    for (size_t i = 0; details->known && i < ERROR_DETAILS_CAUSES; i++) {
        const unsigned count = details->counts[i];
        if (count == 0 || !causes[i].one)
            continue;
        text_addf(t, "%s%u%s %s", t->len > before ? ", " : "", count,
                  count == UINT16_MAX ? " or more" : "",
                  count == 1 ? causes[i].one : causes[i].many);
    }
}
