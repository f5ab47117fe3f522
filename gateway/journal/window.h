// A time in which nodes are worked on, as the journal keeps it.
#ifndef IBTRAPD_JOURNAL_WINDOW_H
#define IBTRAPD_JOURNAL_WINDOW_H

#include "model/filter.h"

#include <stdint.h>

enum { JOURNAL_WINDOWS_MAX = 32, JOURNAL_WINDOW_NAME_SIZE = 64 };

struct journal_window {
    char name[JOURNAL_WINDOW_NAME_SIZE];
    int64_t until_us;         // UTC
    struct filter_list nodes; // without control characters
};

#endif
