// SPDX-License-Identifier: BSD-2-Clause
/* Stands in for a hardened subnet manager ("SA enhanced trust model"), which OpenSM is not: it
 * drops, in silence, what a client without the SA key asks for by NodeRecord, by InformInfoRecord
 * and by any table.
 *
 * SIM_HARDENED_SM names a file that gets a line for each request to the SA: method and attribute in
 * hexadecimal digits, and whether it was dropped. */

#pragma once

#include "simtables.h"

enum { MAD_ATTRIBUTE = 16, SA_KEY = 36, SA_KEY_SIZE = 8 };
enum { GET_TABLE = 0x12, NODE_RECORD = 0x11, INFORM_INFO_RECORD = 0xF3 };

/* Whether such a subnet manager drops the MAD that is to be sent. */
static inline bool is_dropped(const uint8_t *mad)
{
    static const uint8_t NO_KEY[SA_KEY_SIZE];
    const char *path = getenv("SIM_HARDENED_SM");
    FILE *log;

    if (!path || mad[MAD_CLASS] != CLASS_SA || mad[MAD_METHOD] & RESPONSE)
        return false;
    unsigned attribute = mad[MAD_ATTRIBUTE] << 8 | mad[MAD_ATTRIBUTE + 1];
    bool dropped = memcmp(mad + SA_KEY, NO_KEY, SA_KEY_SIZE) == 0 &&
                   (mad[MAD_METHOD] == GET_TABLE || attribute == NODE_RECORD ||
                    attribute == INFORM_INFO_RECORD);
    log = fopen(path, "a");
    if (log) {
        fprintf(log, "%02x %04x %s\n", mad[MAD_METHOD], attribute, dropped ? "dropped" : "sent");
        fclose(log);
    }
    return dropped;
}
