// SPDX-License-Identifier: BSD-2-Clause
// The two windows that slide over the counter readings.
#ifndef IBTRAPD_TOPOLOGY_ERROR_WINDOW_H
#define IBTRAPD_TOPOLOGY_ERROR_WINDOW_H

enum error_window { ERROR_WINDOW_SHORT, ERROR_WINDOW_LONG, ERROR_WINDOWS };

enum { ERROR_RATES_SLOTS = 12 }; // a window slides on by a twelfth of its length

#endif
