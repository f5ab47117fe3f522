// SPDX-License-Identifier: BSD-2-Clause
// A node-name-map of arbitrary octets.
#include "fuzz.h"

#include "base/text.h"
#include "model/names.h"

#include <string.h>

static void check_name(const struct names *names, uint64_t guid)
{
    const char *name = names_find(names, guid);
    if (!name)
        return;
    char clean[NAMES_NAME_SIZE];
    REQUIRE(strlen(name) < NAMES_NAME_SIZE);
    text_clean(name, strlen(name), clean, sizeof clean);
    REQUIRE(strcmp(clean, name) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct names *names = names_parse("map", (const char *)data, size, &err);
    if (!names) {
        REQUIRE(strncmp(err.text, "map:", 4) == 0 && err.text[4] >= '1' && err.text[4] <= '9');
        return 0;
    }
    // Looks up every GUID-like text at the beginning of a line.
    const char *p = (const char *)data, *end = p + size;
    while (p < end) {
        char digits[24];
        size_t n = (size_t)(end - p) < sizeof digits ? (size_t)(end - p) : sizeof digits - 1;
        memcpy(digits, p, n);
        digits[n] = '\0';
        check_name(names, strtoull(digits, NULL, 16));
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        p = newline ? newline + 1 : end;
    }
    names_unref(names);
    return 0;
}
