// SPDX-License-Identifier: BSD-2-Clause
// The settings made by SNMP. When a setting changes, the next commit writes all settings: the
// communities into a file of their own, "communities" in the journal's directory, and the others
// into the journal's file. Only the user of ibtrapd can read the file of communities; the group may
// read the journal.
#include "journal/journal_private.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/secret.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct setting_list {
    struct setting *all;
    size_t count;
};

struct snmp_settings {
    struct mirror mirror;
    const char *directory;
    // The file's thread only.
    struct setting_list read; // of the file
    bool mixed;               // the journal has communities, from an earlier version
    struct settings *planned; // that the transaction writes
    size_t next;              // a place in `planned`

    pthread_mutex_t lock; // guards the members below
    struct settings *current;
    struct setting_list early; // changes made before the file was read
};

// The file of communities.

// A line is "0x<GUID> <row> <community in hexadecimal>".
enum { LINE_MAX_SIZE = 18 + 1 + 3 + 1 + 2 * SETTING_COMMUNITY_MAX + 1 };
enum { FILE_MAX = SETTINGS_MAX * LINE_MAX_SIZE };

static void snmp_settings_name_file(const char *directory, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/communities", directory);
}

static void snmp_settings_add_line(struct text *t, const struct setting *s)
{
    text_add(t, "0x");
    text_add_hex_number(t, s->guid, 16);
    text_addf(t, " %u ", (unsigned)s->number);
    text_add_hex(t, s->value, s->size);
    text_add(t, "\n");
}

// Replaces the file by one with the communities of `settings`; removes the file if there is none.
// After a crash the file is the old or the new one. Returns false with a sentence if the disk
// failed.
static bool snmp_settings_write_file(const char *directory, const struct settings *settings,
                                     struct error *err)
{
    char path[PATH_MAX];
    char *octets = memory_get(FILE_MAX + 1);
    snmp_settings_name_file(directory, path);
    struct text t = text_in(octets, FILE_MAX + 1);
    for (size_t i = 0; i < settings_count(settings); i++) {
        if (settings_at(settings, i)->kind == SETTING_COMMUNITY)
            snmp_settings_add_line(&t, settings_at(settings, i));
    }
    bool ok = t.len > 0 ? regular_file_replace(path, t.buf, t.len)
                        : (unlink(path) == 0 || errno == ENOENT) && directory_sync(directory);
    if (!ok)
        error_set(err, "cannot save the communities in %s: %s", path, strerror(errno));
    secret_free(octets, t.len);
    return ok;
}

static bool snmp_settings_parse_line(const char *line, struct setting *out)
{
    char digits[2 * SETTING_COMMUNITY_MAX + 1];
    unsigned row;
    int end = 0;
    *out = (struct setting){.kind = SETTING_COMMUNITY};
    if (sscanf(line, "0x%16" SCNx64 " %3u %32[0-9a-f]%n", &out->guid, &row, digits, &end) != 3 ||
        line[end] != '\0' || row > SETTING_ROWS_MAX || strlen(digits) % 2 != 0)
        return false;
    out->number = (uint8_t)row;
    out->size = (uint16_t)(strlen(digits) / 2);
    for (size_t i = 0; i < out->size; i++)
        sscanf(digits + 2 * i, "%2" SCNx8, &out->value[i]);
    explicit_bzero(digits, sizeof digits);
    return setting_is_valid(out);
}

static void snmp_settings_read_lines(char *octets,
                                     void (*each)(void *ctx, const struct setting *setting),
                                     void *ctx)
{
    struct setting setting;
    for (char *line; (line = strsep(&octets, "\n"));) {
        if (snmp_settings_parse_line(line, &setting))
            each(ctx, &setting);
    }
    explicit_bzero(&setting, sizeof setting);
}

// Reads up to FILE_MAX octets, and adds a NUL. Returns their number; -1: it failed.
static ssize_t snmp_settings_read_all(int fd, char *octets)
{
    ssize_t n = 1;
    size_t size = 0;
    while (n > 0 && size < FILE_MAX) {
        n = read(fd, octets + size, FILE_MAX - size);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n > 0)
            size += (size_t)n;
    }
    octets[size] = '\0';
    return n < 0 ? -1 : (ssize_t)size;
}

// Calls `each` for the communities in the file; a missing file has none. Passes over lines that
// this version would not write. Returns false with a sentence if the file cannot be read.
static bool snmp_settings_read_file(const char *directory,
                                    void (*each)(void *ctx, const struct setting *setting),
                                    void *ctx, struct error *err)
{
    char path[PATH_MAX];
    snmp_settings_name_file(directory, path);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return true;
    char *octets = memory_get(FILE_MAX + 1);
    ssize_t size = fd >= 0 ? snmp_settings_read_all(fd, octets) : -1;
    if (size < 0)
        error_set(err, "cannot read the communities in %s: %s", path, strerror(errno));
    else
        snmp_settings_read_lines(octets, each, ctx);
    if (fd >= 0)
        close(fd);
    secret_free(octets, size > 0 ? (size_t)size : 0);
    return size >= 0;
}

// The mirrored table.

// Ignores settings beyond SETTINGS_MAX: ibtrapd never writes so many.
static bool snmp_settings_append(struct setting_list *list, const struct setting *more, size_t n)
{
    if (list->count + n > SETTINGS_MAX)
        return false;
    if (!list->all)
        list->all = memory_get(SETTINGS_MAX * sizeof *list->all);
    for (size_t i = 0; i < n; i++)
        list->all[list->count++] = more[i];
    return true;
}

static void snmp_settings_clear(struct setting_list *list)
{
    secret_free((char *)list->all, list->count * sizeof *list->all);
    *list = (struct setting_list){0};
}

static void snmp_settings_take_community(void *ctx, const struct setting *setting)
{
    snmp_settings_append(ctx, setting, 1);
}

static void snmp_settings_take(void *self, const void *row)
{
    struct snmp_settings *s = self;
    const struct setting *setting = row;
    s->mixed |= setting->kind == SETTING_COMMUNITY;
    snmp_settings_append(&s->read, setting, 1);
}

// Call it with the lock held. Returns the settings before, for settings_unref.
static struct settings *snmp_settings_exchange(struct snmp_settings *s, struct settings *next)
{
    struct settings *old = s->current;
    s->current = next;
    return old;
}

// Applies the early changes to the settings in the file. Without room for both, drops the changes.
static void snmp_settings_join(struct snmp_settings *s)
{
    pthread_mutex_lock(&s->lock);
    struct settings *stored = settings_with(NULL, s->read.all, s->read.count);
    struct settings *joined = settings_with(stored, s->early.all, s->early.count);
    struct settings *old = snmp_settings_exchange(s, joined ? joined : settings_ref(stored));
    if (s->early.count > 0 || s->mixed)
        mirror_note(&s->mirror);
    s->mirror.loaded = true;
    snmp_settings_clear(&s->early);
    pthread_mutex_unlock(&s->lock);
    settings_unref(stored);
    settings_unref(old);
}

static enum store_result snmp_settings_taken(void *self, enum store_result result,
                                             struct error *err)
{
    struct snmp_settings *s = self;
    if (result == STORE_OK &&
        !snmp_settings_read_file(s->directory, snmp_settings_take_community, &s->read, err))
        result = STORE_FAILED;
    if (result == STORE_OK)
        snmp_settings_join(s);
    snmp_settings_clear(&s->read);
    s->mixed = false;
    return result;
}

static void snmp_settings_plan(void *self)
{
    struct snmp_settings *s = self;
    settings_unref(s->planned);
    s->planned = settings_ref(s->current);
    s->next = 0;
}

static enum mirror_step snmp_settings_next(void *self, void *row)
{
    struct snmp_settings *s = self;
    while (s->next < settings_count(s->planned)) {
        const struct setting *setting = settings_at(s->planned, s->next++);
        if (setting->kind == SETTING_COMMUNITY)
            continue;
        memcpy(row, setting, sizeof *setting);
        return MIRROR_SET;
    }
    return MIRROR_END;
}

static void snmp_settings_free(void *self)
{
    struct snmp_settings *s = self;
    settings_unref(s->planned);
    settings_unref(s->current);
    pthread_mutex_destroy(&s->lock);
    snmp_settings_clear(&s->early);
    free(s);
}

static const struct mirror_kind SNMP_SETTINGS = {.table = STORE_SETTINGS,
                                                 .whole = true,
                                                 .take = snmp_settings_take,
                                                 .taken = snmp_settings_taken,
                                                 .plan = snmp_settings_plan,
                                                 .next = snmp_settings_next,
                                                 .free = snmp_settings_free};

struct mirror *snmp_settings_new(const char *directory)
{
    struct snmp_settings *s = memory_zeroed(1, sizeof *s);
    s->directory = directory;
    s->current = settings_with(NULL, NULL, 0);
    pthread_mutex_init(&s->lock, NULL);
    return mirror_init(&s->mirror, &SNMP_SETTINGS, s, &s->lock);
}

bool journal_save_communities(struct journal *journal, struct error *err)
{
    const struct snmp_settings *settings = journal->mirrors[STORE_SETTINGS]->self;
    return !settings->mirror.writes ||
           snmp_settings_write_file(settings->directory, settings->planned, err);
}

// The public functions (journal.h).

bool journal_change_settings(struct journal *journal, const struct setting *changes, size_t n)
{
    struct snmp_settings *settings = journal->mirrors[STORE_SETTINGS]->self;
    pthread_mutex_lock(&settings->lock);
    struct settings *old = settings_with(settings->current, changes, n);
    const bool ok =
        old && (settings->mirror.loaded || snmp_settings_append(&settings->early, changes, n));
    if (ok) {
        old = snmp_settings_exchange(settings, old);
        mirror_note(&settings->mirror);
    }
    pthread_mutex_unlock(&settings->lock);
    settings_unref(old);
    return ok;
}

struct settings *journal_settings(struct journal *journal)
{
    struct snmp_settings *settings = journal->mirrors[STORE_SETTINGS]->self;
    pthread_mutex_lock(&settings->lock);
    struct settings *current = settings_ref(settings->current);
    pthread_mutex_unlock(&settings->lock);
    return current;
}
