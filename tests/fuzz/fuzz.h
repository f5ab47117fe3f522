// SPDX-License-Identifier: BSD-2-Clause
// The function that libFuzzer and the replay of the corpora call. Returns 0; aborts if a check
// fails.
#pragma once

#include "require.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
