// SPDX-License-Identifier: BSD-2-Clause
// Getters for columns that show a field of an attribute as the fabric answered it: the column says
// which field, and how (`field` of struct table_column).
#ifndef IBTRAPD_AGENT_FIELD_H
#define IBTRAPD_AGENT_FIELD_H

#include "agent/table.h"

enum field_form {
    FIELD_NUMBER,     // no instance outside `least` to `most`
    FIELD_LABEL,      // numbers outside `least` to `most` are reserved: `most` + 1
    FIELD_NEXT_LABEL, // the same plus one: for labels that count from 1
    FIELD_FROM_ZERO,  // FIELD_NUMBER minus one: for a list that counts from 0
    FIELD_TRUTH,      // TruthValue
    FIELD_OCTETS,     // as many octets as its bits need
};

// Of the PortInfo of the row's `port`, of the SwitchInfo of its `node`. No instance while these are
// not known.
bool field_of_port(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out);
bool field_of_switch(const struct agent_snapshot *snapshot, const struct table_row *row,
                     struct agentx_value *out);

// The same of an attribute whose octets the caller has.
bool field_of_octets(const uint8_t *octets, const struct table_row *row, struct agentx_value *out);

// Keys are secrets: as many zero octets as the key has.
bool field_get_key(const struct agent_snapshot *snapshot, const struct table_row *row,
                   struct agentx_value *out);

#endif
