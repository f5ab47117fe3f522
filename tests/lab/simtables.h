// SPDX-License-Identifier: BSD-2-Clause
/* Transfers a table of the SA past the simulator, which has no RMPP, in a file.
 *
 * The files are in the directory that SIM_TABLES names; without it, tables stay truncated. A file's
 * name comes from the TransactionID, and there are only a few names, so that a later answer
 * overwrites a file that is never read. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FIRST_SIM_FD = 1024,
    UMAD_HEADER_SIZE = 64,
    MAD_SIZE = 256,
    PATH_SIZE = 512,
    TABLES_MAX = 64
};
enum {
    MAD_CLASS = 1,
    MAD_METHOD = 3,
    MAD_TID = 8,
    MAD_HEADER_SIZE = 24,
    RMPP_FLAGS = 26,
    SA_HEADER_SIZE = 56
};
enum { CLASS_SA = 0x03, RESPONSE = 0x80, RMPP_ACTIVE = 1, RMPP_FIRST = 2, RMPP_LAST = 4 };

static inline bool is_table(const uint8_t *mad, size_t size)
{
    return size >= SA_HEADER_SIZE && mad[MAD_CLASS] == CLASS_SA && mad[MAD_METHOD] & RESPONSE &&
           mad[RMPP_FLAGS] & RMPP_ACTIVE;
}

/* Writes the path of the file for that answer. False: SIM_TABLES is not set. */
static inline bool table_path(char path[PATH_SIZE], const uint8_t *mad)
{
    const char *directory = getenv("SIM_TABLES");
    unsigned number = mad[MAD_TID + 7] % TABLES_MAX;

    return directory && snprintf(path, PATH_SIZE, "%s/table-%u", directory, number) < PATH_SIZE;
}
