// What libFuzzer and the replay of the corpora call. It returns 0; what must not be aborts.
#ifndef IBTRAPD_TESTS_FUZZ_H
#define IBTRAPD_TESTS_FUZZ_H

#include "require.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
