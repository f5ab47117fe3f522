// SPDX-License-Identifier: BSD-2-Clause
// A check that stays active in every build, unlike assert, and needs no test framework.
#pragma once

#include <stdio.h>
#include <stdlib.h>

// Aborts with a line on stderr that names the file and line.
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
