// SPDX-License-Identifier: BSD-2-Clause
// Finds a short scenario that fails like a long scenario.
#pragma once

#include "scenario.h"

enum { SHRINK_RUNS_MAX = 3000 };

// Drops actions, and shortens waits, as long as the scenario fails with the same class.
void shrink(struct scenario *scenario, const char *directory, const char *class);
