// SPDX-License-Identifier: BSD-2-Clause
// Finds the nodes of a picture that are adapters of one host.
#pragma once

#include <stdint.h>

// `names`: the host of each node; empty: none. Sets `one` of each node to the first node of the
// same host, and `next` to the next node; UINT32_MAX: there is none.
void hosts_group(const char *const *names, uint32_t count, uint32_t *one, uint32_t *next);
