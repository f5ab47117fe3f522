// SPDX-License-Identifier: BSD-2-Clause
// The file with the SNMPv3 engine's ID and boots, of arbitrary content. After a start the file is
// whole, the next start counts on from it, and no ID is ever used with fewer boots than before (RFC
// 3414 2.2.2): receivers would refuse the messages as replays.
#include "fuzz.h"

#include "scratch.h"
#include "sink/snmp_engine.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { CONTENT_MAX = 4096, BOOTS_LAST = 0x7ffffffe };

struct content {
    char digits[2 * SNMP_ENGINE_ID_MAX + 2];
    uint64_t boots;
};

static const char *directory;

// The disk is none of the fuzzer's concern, and slow.
int fsync(int fd)
{
    (void)fd;
    return 0;
}

static void fill(void *ctx, void *out, size_t size)
{
    static uint8_t next;
    (void)ctx;
    memset(out, 0xE0 | (++next & 0xF), size);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void write_file(const uint8_t *data, size_t size)
{
    FILE *f = fopen(path_of("snmp-engine"), "we");
    REQUIRE(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

// Returns the size; 0: there is no such file.
static size_t read_file(const char *name, char out[CONTENT_MAX + 1])
{
    FILE *f = fopen(path_of(name), "re");
    size_t size = f ? fread(out, 1, CONTENT_MAX, f) : 0;
    out[size] = '\0';
    if (f)
        fclose(f);
    return size;
}

// Finds ID and boots in a text, which may have more, or be damaged. The number of boots is written
// in full.
static bool find_content(const char *text, struct content *out)
{
    int end = 0;
    if (sscanf(text, "engine-id %65[0-9a-f] boots %n", out->digits, &end) != 1 || end == 0)
        return false;
    const size_t digits = strspn(text + end, "0123456789");
    out->boots = digits > 0 && digits < 19 ? strtoull(text + end, NULL, 10) : UINT64_MAX;
    return digits > 0;
}

// Whether the octets are just what the gateway writes.
static bool is_whole(const char *text, size_t size)
{
    struct content c;
    char same[CONTENT_MAX];
    if (!find_content(text, &c) || strlen(c.digits) < 10 || strlen(c.digits) % 2 != 0 ||
        c.boots == 0 || c.boots > UINT32_MAX || strlen(c.digits) > 2 * SNMP_ENGINE_ID_MAX)
        return false;
    const int n =
        snprintf(same, sizeof same, "engine-id %s\nboots %" PRIu64 "\n", c.digits, c.boots);
    return (size_t)n == size && memcmp(same, text, size) == 0;
}

static struct content start(bool *sound)
{
    static const struct random CHANCE = {.fill = fill};
    static char text[CONTENT_MAX + 1];
    struct error err = {""};
    struct content now;
    uint8_t id[SNMP_ENGINE_ID_MAX];
    *sound = snmp_engine_start(directory, &CHANCE, &err);
    REQUIRE(*sound || err.text[0] != '\0');
    REQUIRE(snmp_engine_ready(&err));
    const size_t size = read_file("snmp-engine", text);
    REQUIRE(is_whole(text, size) && find_content(text, &now));
    REQUIRE(snmp_engine_id(id) == strlen(now.digits) / 2);
    for (size_t i = 0; now.digits[2 * i]; i++) {
        const char digits[] = {now.digits[2 * i], now.digits[2 * i + 1], '\0'};
        REQUIRE(strtoul(digits, NULL, 16) == id[i]);
    }
    return now;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char before[CONTENT_MAX + 1], aside[CONTENT_MAX + 1];
    struct content was;
    bool sound;
    if (!directory)
        directory = scratch_make();
    if (size > CONTENT_MAX)
        return 0;
    write_file(data, size);
    unlink(path_of("snmp-engine.damaged"));
    read_file("snmp-engine", before);
    const bool had = find_content(before, &was), whole = is_whole(before, size);
    const struct content now = start(&sound);
    const bool same = had && strcmp(was.digits, now.digits) == 0;
    REQUIRE(!same || now.boots > was.boots);
    REQUIRE(sound ||
            (read_file("snmp-engine.damaged", aside) == size && memcmp(aside, data, size) == 0));
    REQUIRE(sound ? had && was.boots >= 1 && was.boots <= UINT32_MAX : !whole);
    REQUIRE(!whole || same == (was.boots < BOOTS_LAST));
    const struct content next = start(&sound);
    REQUIRE(sound && (strcmp(next.digits, now.digits) == 0) == (now.boots < BOOTS_LAST));
    REQUIRE(next.boots == (now.boots < BOOTS_LAST ? now.boots + 1 : 1));
    return 0;
}
