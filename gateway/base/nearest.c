// SPDX-License-Identifier: BSD-2-Clause
#include "base/nearest.h"

#include <stddef.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 32, DISTANCE_MAX = 2 };

static unsigned nearest_least(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

// Counts the letters that must be inserted, removed, replaced or exchanged with their neighbour to
// make one name of the other: the distance of optimal string alignment.
static unsigned nearest_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    unsigned rows[3][NAME_MAX_LENGTH + 1]; // for the last three letters of `a`
    if (m > NAME_MAX_LENGTH || n > NAME_MAX_LENGTH)
        return NAME_MAX_LENGTH;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= n; j++) {
            row[j] =
                nearest_least(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[m % 3][n];
}

struct nearest nearest_begin(const char *wanted)
{
    return (struct nearest){.wanted = wanted, .distance = DISTANCE_MAX + 1};
}

void nearest_try(struct nearest *nearest, const char *name)
{
    unsigned distance = nearest_distance(nearest->wanted, name);
    if (distance < nearest->distance && distance < strlen(name)) {
        nearest->distance = distance;
        nearest->name = name;
    }
}
