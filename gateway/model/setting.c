// SPDX-License-Identifier: BSD-2-Clause
#include "model/setting.h"

#include "base/memory.h"
#include "base/search.h"
#include "base/text.h"
#include "model/severity.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    _Atomic unsigned references;
    size_t count;
    struct setting all[]; // ascending
};

static int setting_compare(const struct setting *setting, enum setting_kind kind, uint64_t guid,
                           uint8_t number)
{
    if (setting->kind != kind)
        return setting->kind < kind ? -1 : 1;
    if (setting->guid != guid)
        return setting->guid < guid ? -1 : 1;
    return (int)setting->number - (int)number;
}

// The place of the setting, or of the next setting.
static size_t setting_place_of(const struct settings *s, enum setting_kind kind, uint64_t guid,
                               uint8_t number)
{
    size_t at;
    SEARCH_FIRST(at, 0, s->count, setting_compare(&s->all[at], kind, guid, number) < 0);
    return at;
}

static bool setting_is_at(const struct settings *s, size_t at, enum setting_kind kind,
                          uint64_t guid, uint8_t number)
{
    return at < s->count && setting_compare(&s->all[at], kind, guid, number) == 0;
}

static void setting_move(struct settings *s, size_t from, size_t to)
{
    memmove(&s->all[to], &s->all[from], (s->count - from) * sizeof *s->all);
    s->count += to - from;
}

// Applies a change. The caller has made room for one more setting.
static void setting_apply(struct settings *s, const struct setting *change)
{
    assert(change->size <= SETTING_VALUE_MAX);
    size_t at = setting_place_of(s, change->kind, change->guid, change->number);
    bool known = setting_is_at(s, at, change->kind, change->guid, change->number);
    if (known && change->size == 0)
        setting_move(s, at + 1, at);
    if (!known && change->size > 0)
        setting_move(s, at, at + 1);
    if (change->size > 0)
        s->all[at] = *change;
}

struct settings *settings_with(const struct settings *old, const struct setting *changes, size_t n)
{
    size_t count = settings_count(old);
    struct settings *s = memory_zeroed(1, sizeof *s + (count + n) * sizeof *s->all);
    atomic_init(&s->references, 1);
    s->count = count;
    if (count > 0)
        memcpy(s->all, old->all, count * sizeof *s->all);
    for (size_t i = 0; i < n; i++)
        setting_apply(s, &changes[i]);
    if (s->count <= SETTINGS_MAX)
        return s;
    settings_unref(s);
    return NULL;
}

struct settings *settings_ref(struct settings *settings)
{
    atomic_fetch_add_explicit(&settings->references, 1, memory_order_relaxed);
    return settings;
}

void settings_unref(struct settings *settings)
{
    if (settings && atomic_fetch_sub_explicit(&settings->references, 1, memory_order_acq_rel) == 1)
        free(settings);
}

const struct setting *settings_find(const struct settings *settings, enum setting_kind kind,
                                    uint64_t guid, uint8_t number)
{
    if (!settings)
        return NULL;
    size_t at = setting_place_of(settings, kind, guid, number);
    return setting_is_at(settings, at, kind, guid, number) ? &settings->all[at] : NULL;
}

size_t settings_count(const struct settings *settings)
{
    return settings ? settings->count : 0;
}

const struct setting *settings_at(const struct settings *settings, size_t at)
{
    assert(at < settings->count);
    return &settings->all[at];
}

// Validation.

static bool setting_is_name(const struct setting *s, size_t max)
{
    char clean[3 * SETTING_VALUE_MAX + 1]; // U+FFFD has three octets
    text_clean((const char *)s->value, s->size, clean, sizeof clean);
    return s->size <= max && strlen(clean) == s->size && memcmp(clean, s->value, s->size) == 0;
}

static bool setting_is_level(const struct setting *s)
{
    return s->size == 0 || (s->size == 1 && s->value[0] <= EVENT_LEVEL_DEBUG);
}

static bool setting_is_ascii(const struct setting *s, size_t max)
{
    for (size_t i = 0; i < s->size; i++) {
        if (s->value[i] < ' ' || s->value[i] > '~')
            return false;
    }
    return s->size <= max;
}

static bool setting_is_recipient(const struct setting *s)
{
    enum { ADDRESS_SIZE = 4, THIS_NETWORK = 0, FIRST_MULTICAST = 224 };
    return s->size == 0 || (s->size == ADDRESS_SIZE && s->value[0] != THIS_NETWORK &&
                            s->value[0] < FIRST_MULTICAST);
}

static bool setting_has_row(const struct setting *s)
{
    return s->number >= 1 && s->number <= SETTING_ROWS_MAX;
}

bool setting_is_valid(const struct setting *s)
{
    if (s->size > SETTING_VALUE_MAX)
        return false;
    switch (s->kind) {
    case SETTING_SWITCH_NAME:
        return s->number == 0 && setting_is_name(s, SETTING_NAME_MAX);
    case SETTING_SAN_NAME:
    case SETTING_FABRIC_NAME:
        return s->number == 0 && setting_is_name(s, SETTING_VALUE_MAX);
    case SETTING_EVENT_TRAP_LEVEL:
        return s->number == 0 && setting_is_level(s);
    case SETTING_COMMUNITY:
        return setting_has_row(s) && setting_is_ascii(s, SETTING_COMMUNITY_MAX);
    case SETTING_TRAP_RECIPIENT:
        return setting_has_row(s) && setting_is_recipient(s);
    case SETTING_SERIAL_NUMBER:
        return s->number == 0 && setting_is_ascii(s, SETTING_SERIAL_MAX);
    case SETTING_SM_LOG:
        return s->number == 0 && setting_is_ascii(s, SETTING_VALUE_MAX);
    default:
        return false;
    }
}

const char *setting_object(enum setting_kind kind)
{
    static const char *const OBJECTS[] = {[SETTING_NONE] = "",
                                          [SETTING_SWITCH_NAME] = "gswSwitchName",
                                          [SETTING_SAN_NAME] = "gswSwitchSANName",
                                          [SETTING_FABRIC_NAME] = "gswSwitchFabricName",
                                          [SETTING_EVENT_TRAP_LEVEL] = "gswEventTrapLevel",
                                          [SETTING_COMMUNITY] = "gswAgtCmtyStr",
                                          [SETTING_TRAP_RECIPIENT] = "gswAgtTrapRcp",
                                          [SETTING_SERIAL_NUMBER] = "gswSsn",
                                          [SETTING_SM_LOG] = ""};
    assert(kind < sizeof OBJECTS / sizeof *OBJECTS);
    return OBJECTS[kind];
}
