// SPDX-License-Identifier: BSD-2-Clause
#include "sink/snmp_engine.h"

#include "base/text.h"

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RANDOM_SIZE = 12,        // random octets of a new engine ID
    BOOTS_LAST = 0x7ffffffe, // RFC 3414 2.2.2: the next number means that the count has ended
};

static struct {
    pthread_mutex_t lock; // guards the members below
    bool started, ready;
    char directory[4096];
    const struct random *random;
    uint8_t id[SNMP_ENGINE_ID_MAX];
    size_t id_size;
    uint32_t boots;
} engine = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

void snmp_lock(void)
{
    pthread_mutex_lock(&library);
}

void snmp_unlock(void)
{
    pthread_mutex_unlock(&library);
}

// Makes a new engine ID: the enterprise number of net-snmp, whose library is used, and format 5,
// octets of our choice (RFC 3411, SnmpEngineID).
static void begin_anew(void)
{
    static const uint8_t HEAD[] = {0x80, 0x00, 0x1f, 0x88, 0x05};
    memcpy(engine.id, HEAD, sizeof HEAD);
    engine.random->fill(engine.random->ctx, engine.id + sizeof HEAD, RANDOM_SIZE);
    engine.id_size = sizeof HEAD + RANDOM_SIZE;
    engine.boots = 0;
}

// The file has the lines "engine-id <hexadecimal>" and "boots <number>".

static bool parse_id(const char *digits)
{
    size_t n = strlen(digits) / 2;
    if (n < 5 || n > SNMP_ENGINE_ID_MAX || strlen(digits) % 2 != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (sscanf(digits + 2 * i, "%2" SCNx8, &engine.id[i]) != 1)
            return false;
    }
    engine.id_size = n;
    return true;
}

static bool snmp_engine_parse(FILE *f)
{
    char digits[2 * SNMP_ENGINE_ID_MAX + 2], boots[11];
    if (fscanf(f, "engine-id %65[0-9a-f] boots %10[0-9] ", digits, boots) != 2 || fgetc(f) != EOF)
        return false;
    const uint64_t number = strtoull(boots, NULL, 10);
    engine.boots = (uint32_t)number;
    return number >= 1 && number <= UINT32_MAX && parse_id(digits);
}

static bool snmp_engine_set_aside(const char *path, struct error *err)
{
    char aside[sizeof engine.directory + 40];
    snprintf(aside, sizeof aside, "%s.damaged", path);
    begin_anew();
    if (rename(path, aside) != 0)
        return error_set(err, "'%s' is damaged and cannot be renamed: %s", path, strerror(errno));
    return error_set(
        err,
        "'%s' was damaged and is now '%s'; the gateway has a new SNMPv3 engine ID, which "
        "receivers of SNMPv3 traps must learn",
        path, aside);
}

static bool snmp_engine_load(const char *path, struct error *err)
{
    FILE *f = fopen(path, "re");
    if (!f && errno == ENOENT) {
        if (engine.id_size == 0)
            begin_anew();
        return true;
    }
    if (!f)
        return error_set(err, "cannot read '%s': %s", path, strerror(errno));
    bool ok = snmp_engine_parse(f);
    fclose(f);
    if (!ok)
        return snmp_engine_set_aside(path, err);
    if (engine.boots >= BOOTS_LAST)
        begin_anew();
    return true;
}

static bool write_file(int fd)
{
    char buffer[2 * SNMP_ENGINE_ID_MAX + 64];
    struct text t = text_in(buffer, sizeof buffer);
    text_add(&t, "engine-id ");
    text_add_hex(&t, engine.id, engine.id_size);
    text_addf(&t, "\nboots %" PRIu32 "\n", engine.boots);
    return write(fd, t.buf, t.len) == (ssize_t)t.len && fsync(fd) == 0;
}

static bool snmp_engine_sync_directory(void)
{
    int fd = open(engine.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool save(const char *path, struct error *err)
{
    char new_path[sizeof engine.directory + 40];
    snprintf(new_path, sizeof new_path, "%s.new", path);
    int fd = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_file(fd);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    return (ok && rename(new_path, path) == 0 && snmp_engine_sync_directory()) ||
           error_set(err, "cannot save the SNMPv3 engine boots in '%s': %s", path, strerror(errno));
}

// Passes ID and boots to libsnmp, which accepts "boots" only in its configuration, and there as the
// number of the last start.
static void snmp_engine_configure_library(void)
{
    char line[32];
    snprintf(line, sizeof line, "%" PRIu32, engine.boots - 1);
    snmp_lock();
    set_exact_engineID(engine.id, engine.id_size);
    engineBoots_conf("engineBoots", line);
    set_enginetime(engine.id, (u_int)engine.id_size, (u_int)snmpv3_local_snmpEngineBoots(),
                   (u_int)snmpv3_local_snmpEngineTime(), TRUE);
    snmp_unlock();
}

static bool snmp_engine_load_and_count(struct error *err)
{
    char path[sizeof engine.directory + 16];
    snprintf(path, sizeof path, "%s/snmp-engine", engine.directory);
    bool sound = snmp_engine_load(path, err);
    if (!sound && engine.id_size == 0)
        begin_anew();
    struct error why;
    engine.boots++;
    engine.ready = save(path, &why);
    if (!engine.ready)
        engine.boots--;
    else
        snmp_engine_configure_library();
    if (!engine.ready && sound)
        *err = why;
    return sound && engine.ready;
}

bool snmp_engine_start(const char *directory, const struct random *random, struct error *err)
{
    pthread_mutex_lock(&engine.lock);
    snprintf(engine.directory, sizeof engine.directory, "%s", directory);
    engine.random = random;
    engine.id_size = 0;
    bool ok = snmp_engine_load_and_count(err);
    pthread_mutex_unlock(&engine.lock);
    return ok;
}

bool snmp_engine_ready(struct error *err)
{
    pthread_mutex_lock(&engine.lock);
    bool ready = engine.ready || (snmp_engine_load_and_count(err), engine.ready);
    pthread_mutex_unlock(&engine.lock);
    return ready;
}

size_t snmp_engine_id(uint8_t out[SNMP_ENGINE_ID_MAX])
{
    pthread_mutex_lock(&engine.lock);
    size_t size = engine.id_size;
    memcpy(out, engine.id, size);
    pthread_mutex_unlock(&engine.lock);
    return size;
}
