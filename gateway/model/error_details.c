// SPDX-License-Identifier: BSD-2-Clause
#include "model/error_details.h"

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

bool error_details_exist(enum counter counter)
{
    return counter == COUNTER_RCV_ERRORS || counter == COUNTER_XMIT_DISCARDS ||
           counter == COUNTER_FEC_UNCORRECTABLE;
}

static void error_details_add_lanes(struct text *t, const struct error_details *details)
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
        error_details_add_lanes(t, details);
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
