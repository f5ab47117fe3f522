// SPDX-License-Identifier: BSD-2-Clause
// A maintenance window, as the journal keeps it.
#ifndef IBTRAPD_JOURNAL_MAINTENANCE_WINDOW_H
#define IBTRAPD_JOURNAL_MAINTENANCE_WINDOW_H

#include "model/filter.h"

#include <stdint.h>

enum { JOURNAL_MAINTENANCE_MAX = 32, JOURNAL_MAINTENANCE_NAME_SIZE = 64 };

struct journal_maintenance {
    char name[JOURNAL_MAINTENANCE_NAME_SIZE];
    int64_t until_us;         // UTC
    struct filter_list nodes; // without control characters
};

#endif
