// SPDX-License-Identifier: BSD-2-Clause
#include "wrong.h"

#include "require.h"

#include <string.h>

int64_t wrong_note(struct wrong *wrong, const char *key, int64_t now)
{
    unsigned i = 0;
    while (i < wrong->count && strcmp(wrong->keys[i].key, key) != 0)
        i++;
    REQUIRE(i < WRONG_KEYS_MAX);
    if (i == wrong->count) {
        snprintf(wrong->keys[i].key, EVENT_KEY_SIZE, "%s", key);
        wrong->keys[i].since = now;
        wrong->count++;
    }
    wrong->keys[i].still = true;
    return wrong->keys[i].since;
}

void wrong_end(struct wrong *wrong)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < wrong->count; i++) {
        if (!wrong->keys[i].still)
            continue;
        if (kept != i)
            wrong->keys[kept] = wrong->keys[i];
        wrong->keys[kept++].still = false;
    }
    wrong->count = kept;
}
