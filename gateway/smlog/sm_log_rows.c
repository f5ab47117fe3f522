// SPDX-License-Identifier: BSD-2-Clause
#include "smlog/sm_log_rows.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// A pattern is the message of a line from its begin on: what is behind "-> " and, in most lines,
// the name of OpenSM's function. A node cannot make a line of this kind by its NodeDescription,
// which stands further behind. %g is a GUID, %p a port, %l a LID, %r a directed route, %t a text
// for the reason, %* any text; a text ends at the next literal.
struct sm_log_row {
    const char *pattern;
    enum catalogue_event event; // CATALOGUE_COUNT: the line only has the route of an error
    const char *reason;         // %t: the text of the line
    bool on_route;              // the error is about the last route
};

// From osm_node_info_rcv.c, osm_sm_mad_ctrl.c, osm_vendor_ibumad.c, osm_state_mgr.c,
// osm_ucast_mgr.c, osm_sminfo_rcv.c, osm_prtn*.c and osm_pkey_mgr.c of OpenSM 3.3.23. The lines
// without "ERR" go to syslog, too. OpenSM breaks the line of ERR 0D01.
static const struct sm_log_row ROWS[] = {
    {"Received SMP on a %* hop path: Initial path = %r, Return", CATALOGUE_COUNT, NULL, false},
    {"Node %g port %p is reachable from remote node %t.", CATALOGUE_SM_GUID_DUPLICATE,
     "the node is reachable from the node %t", false},
    {"ERR 0D15: Duplicate Port GUID %g!", CATALOGUE_SM_GUID_DUPLICATE, "it is the GUID of a port",
     false},
    {"ERR 3120: Timeout while getting attribute %* (%t)", CATALOGUE_SM_NO_ANSWER,
     "%t timed out; the M_Key may be wrong", true},
    {"ERR 3119: Set method failed for attribute %* (%t)", CATALOGUE_SM_SWEEP_FAILED,
     "%t could not be set", true},
    {"Errors during initialization", CATALOGUE_SM_SWEEP_FAILED,
     "OpenSM met errors during initialization", false},
    {"ucast_mgr_route: %t: cannot build", CATALOGUE_SM_SWEEP_FAILED,
     "the routing engine %t does not fit the fabric", false},
    {"No routing engine able to successfully configure", CATALOGUE_SM_NO_ROUTE,
     "no routing engine fits the fabric", false},
    {"ERR 2F18: Got SM (LID %l)", CATALOGUE_SM_CONFLICT, "its SM_Key is another", false},
    {"ERR 2F18: Got SM (%r)", CATALOGUE_SM_CONFLICT, "its SM_Key is another", false},
    {"Found remote SM (LID %l) with non-matching", CATALOGUE_SM_CONFLICT, "its SM_Key is another",
     false},
    {"Found remote SM (%r) with non-matching", CATALOGUE_SM_CONFLICT, "its SM_Key is another",
     false},
    {"Received Generic Notice type:%* num:256 %* from LID:%l", CATALOGUE_SM_BAD_MKEY,
     "its trap 256 is in the log", false},
    {"PARSE ERROR: line %t", CATALOGUE_SM_PARTITION_ERROR,
     "the partition configuration is wrong in line %t", false},
    {"Partition configuration in error; retrying", CATALOGUE_SM_PARTITION_ERROR,
     "OpenSM uses the default partition alone", false},
    {"ERR 0512: Failed to set PKey %* for node %g port %p", CATALOGUE_SM_PARTITION_ERROR,
     "its table of P_Keys is full", false},
    {"ERR 0507: Not enough pkey entries %* on switch %g port %p", CATALOGUE_SM_PARTITION_ERROR,
     "it has too few entries for P_Keys, and enforces no partition", false},
};

// What the placeholders of a pattern found.
struct sm_log_values {
    struct event_builder_place place;
    const char *text;
    size_t text_size;
};

// Reads a number of at most `max`. NULL: there is none.
static const char *sm_log_rows_number(const char *at, int base, uint64_t max, uint64_t *out)
{
    char *end;
    if (!isxdigit((unsigned char)*at))
        return NULL;
    *out = strtoull(at, &end, base);
    return end > at && *out <= max ? end : NULL;
}

// Reads "0,1,11,4": the first number stands for the subnet manager's port itself.
static const char *sm_log_rows_route(const char *at, struct event_builder_place *out)
{
    uint64_t number;
    out->hops = 0;
    at = sm_log_rows_number(at, 10, 0, &number);
    while (at && *at == ',' && isdigit((unsigned char)at[1]) &&
           out->hops < EVENT_BUILDER_HOPS_MAX) {
        at = sm_log_rows_number(at + 1, 10, UINT8_MAX, &number);
        out->route[out->hops++] = (uint8_t)number;
    }
    return at;
}

// Reads a text up to the next literal of the pattern, or up to the end. NULL: no literal follows.
static const char *sm_log_rows_text(const char *at, const char *pattern,
                                    struct sm_log_values *values)
{
    char literal[64];
    struct text t = text_in(literal, sizeof literal);
    text_add_n(&t, pattern + 1, strcspn(pattern + 1, "%"));
    const char *end = t.len > 0 ? strstr(at, literal) : at + strlen(at);
    if (*pattern == 't' && end) {
        values->text = at;
        values->text_size = (size_t)(end - at);
    }
    return end;
}

// Reads what a placeholder stands for, and returns what follows. NULL: it is something else.
static const char *sm_log_rows_value(const char *at, const char *placeholder, uint16_t sm_lid,
                                     struct sm_log_values *values)
{
    struct event_builder_place *place = &values->place;
    uint64_t number = 0;
    const char *end;
    switch (*placeholder) {
    case 'g':
        end = sm_log_rows_number(at, 16, UINT64_MAX, &place->guid);
        return end;
    case 'p':
        end = sm_log_rows_number(at, 10, UINT8_MAX, &number);
        place->port = (uint8_t)number;
        return end;
    case 'l':
        end = sm_log_rows_number(at, 10, UINT16_MAX, &number);
        place->lid = (uint16_t)number;
        return end;
    case 'r':
        place->lid = sm_lid;
        return sm_log_rows_route(at, place);
    default:
        return sm_log_rows_text(at, placeholder, values);
    }
}

// Whether the pattern fits the line from `at` on.
static bool sm_log_rows_fits(const char *pattern, const char *at, uint16_t sm_lid,
                             struct sm_log_values *values)
{
    while (at && *pattern != '\0') {
        if (*pattern == '%') {
            at = sm_log_rows_value(at, ++pattern, sm_lid, values);
            pattern++;
        } else if (*pattern++ != *at++) {
            return false;
        }
    }
    return at != NULL;
}

// What is behind the name of a function, "name: "; NULL: the text does not begin with a name.
static const char *sm_log_rows_behind_name(const char *at)
{
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && strncmp(at + length, ": ", 2) == 0 ? at + length + 2 : NULL;
}

static bool sm_log_rows_find(const struct sm_log_row *row, const char *line, uint16_t sm_lid,
                             struct sm_log_values *values)
{
    const char *arrow = strstr(line, "-> "), *message = arrow ? arrow + 3 : line;
    const char *const begins[] = {message, sm_log_rows_behind_name(message)};
    for (size_t i = 0; i < 2 && begins[i]; i++) {
        *values = (struct sm_log_values){.text = ""};
        if (sm_log_rows_fits(row->pattern, begins[i], sm_lid, values))
            return true;
    }
    return false;
}

static void sm_log_rows_explain(const struct sm_log_row *row, const struct sm_log_values *values,
                                struct event_builder_occurrence *out)
{
    const char *hole = strstr(row->reason, "%t");
    struct text t = text_in(out->reason, sizeof out->reason);
    text_add_n(&t, row->reason, hole ? (size_t)(hole - row->reason) : strlen(row->reason));
    if (!hole)
        return;
    text_add_n(&t, values->text, values->text_size);
    text_add(&t, hole + 2);
}

bool sm_log_rows_read(struct sm_log_memory *memory, const char *line, uint16_t sm_lid,
                      struct event_builder_occurrence *out)
{
    struct sm_log_values values;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct sm_log_row *row = &ROWS[i];
        if (!sm_log_rows_find(row, line, sm_lid, &values))
            continue;
        if (row->event == CATALOGUE_COUNT) {
            memory->route = values.place;
            return false;
        }
        *out = (struct event_builder_occurrence){
            .type = row->event, .place = row->on_route ? memory->route : values.place};
        memory->route = (struct event_builder_place){0};
        sm_log_rows_explain(row, &values, out);
        return true;
    }
    return false;
}
