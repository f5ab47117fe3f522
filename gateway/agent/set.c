// SPDX-License-Identifier: BSD-2-Clause
#include "agent/set.h"

#include "agent/paths.h"

#include <assert.h>
#include <string.h>

void set_init(struct set *set, const struct set_options *options)
{
    *set = (struct set){.options = *options};
}

void set_cleanup(struct set *set)
{
    if (!set->committed)
        leds_restore(&set->leds, set->options.demand);
    set->leds.count = 0;
    set->leds.back = false;
    set->count = 0;
    set->makes_rows = false;
    set->committed = set->undo_failed = false;
}

// Checks of values.

static enum agentx_error set_check_copy(struct setting *out, const void *octets, size_t size)
{
    out->size = (uint16_t)size;
    memcpy(out->value, octets, size);
    return setting_is_valid(out) ? AGENTX_NO_ERROR : AGENTX_WRONG_VALUE;
}

static enum agentx_error set_check_level(const struct agentx_value *value, struct setting *out)
{
    if (value->type != AGENTX_INTEGER)
        return AGENTX_WRONG_TYPE;
    if (value->number < 0 || value->number > UINT8_MAX)
        return AGENTX_WRONG_VALUE;
    uint8_t level = (uint8_t)value->number;
    return set_check_copy(out, &level, sizeof level);
}

// `padded`: zero octets at the end do not count.
static enum agentx_error set_check_text(const struct agentx_value *value, size_t max, bool padded,
                                        struct setting *out)
{
    size_t size = value->size;
    if (value->type != AGENTX_OCTETS)
        return AGENTX_WRONG_TYPE;
    if (size > max)
        return AGENTX_WRONG_LENGTH;
    while (padded && size > 0 && value->octets[size - 1] == '\0')
        size--;
    return set_check_copy(out, value->octets, size);
}

static enum agentx_error set_check_recipient(const struct agentx_value *value, struct setting *out)
{
    enum { ADDRESS_SIZE = 4 };
    static const uint8_t NO_ADDRESS[ADDRESS_SIZE];
    if (value->type != AGENTX_IP_ADDRESS)
        return AGENTX_WRONG_TYPE;
    if (value->size != ADDRESS_SIZE)
        return AGENTX_WRONG_LENGTH;
    bool is_none = memcmp(value->octets, NO_ADDRESS, sizeof NO_ADDRESS) == 0;
    return set_check_copy(out, value->octets, is_none ? 0 : ADDRESS_SIZE);
}

enum agentx_error set_check(const struct look *look, enum setting_kind kind,
                            const struct agentx_value *value, struct setting *out)
{
    *out = (struct setting){.kind = kind, .guid = look_node(look)->guid, .number = look->number};
    switch (kind) {
    case SETTING_SWITCH_NAME:
    case SETTING_SAN_NAME:
    case SETTING_FABRIC_NAME:
        return set_check_text(value, SETTING_VALUE_MAX, true, out);
    case SETTING_EVENT_TRAP_LEVEL:
        return set_check_level(value, out);
    case SETTING_COMMUNITY:
        return set_check_text(value, SETTING_COMMUNITY_MAX, false, out);
    case SETTING_SERIAL_NUMBER:
        return set_check_text(value, SETTING_SERIAL_MAX, false, out);
    default:
        assert(kind == SETTING_TRAP_RECIPIENT);
        return set_check_recipient(value, out);
    }
}

// The phases.

// The setting that undoes a change.
static struct setting set_value_before(const struct agent_snapshot *snapshot,
                                       const struct setting *change)
{
    const struct setting *old =
        settings_find(snapshot->settings, change->kind, change->guid, change->number);
    if (old)
        return *old;
    return (struct setting){.kind = change->kind, .guid = change->guid, .number = change->number};
}

static enum agentx_error set_test_led(struct set *set, struct look *look,
                                      const struct agentx_value *value)
{
    enum { ON = 1, OFF = 2 }; // GswOnOff
    const uint32_t port = leds_port(look->fabric, look->node);
    bool before;
    if (port == FABRIC_NONE)
        return AGENTX_NO_CREATION;
    if (value->number != ON && value->number != OFF)
        return AGENTX_WRONG_VALUE;
    if (!leds_read(look, port, &before)) {
        set->ticket = look->ticket;
        return AGENTX_RESOURCE_UNAVAILABLE;
    }
    return leds_add(&set->leds, look, port, value->number == ON, before)
               ? AGENTX_NO_ERROR
               : AGENTX_INCONSISTENT_VALUE;
}

static enum agentx_error set_test_one(struct set *set, struct look *look,
                                      const struct agentx_varbind *varbind)
{
    struct setting *change = &set->changes[set->count];
    enum agentx_error error = table_find_writable(set->options.tables, look, &varbind->name);
    if (error != AGENTX_NO_ERROR)
        return error;
    if (varbind->value.type != look->column->type)
        return AGENTX_WRONG_TYPE;
    if (look->column->switches)
        return set_test_led(set, look, &varbind->value);
    error = set_check(look, look->column->setting, &varbind->value, change);
    if (error != AGENTX_NO_ERROR)
        return error;
    set->before[set->count++] = set_value_before(look->snapshot, change);
    return AGENTX_NO_ERROR;
}

// Rows of options.paths.
static enum agentx_error set_test_row(struct set *set, const struct look *look, const char *context,
                                      const struct table_column *column,
                                      const struct agentx_oid *index,
                                      const struct agentx_value *value, size_t at)
{
    struct paths *paths = set->options.paths;
    if (!paths || !look->fabric)
        return AGENTX_RESOURCE_UNAVAILABLE;
    if (!set->makes_rows)
        paths_begin(paths, context, look->fabric->subnet_prefix,
                    clock_monotonic(look->snapshot->source->clock));
    set->makes_rows = true;
    return paths_stage(paths, column, index, value, at);
}

static enum agentx_error set_test_all(struct set *set, struct look *look, const char *context,
                                      const struct agentx_varbind *varbinds, size_t n,
                                      size_t *failed)
{
    for (*failed = 0; *failed < n; ++*failed) {
        const struct agentx_varbind *one = &varbinds[*failed];
        struct agentx_oid index;
        const struct table_column *column =
            table_find_creatable(set->options.tables, &one->name, &index);
        const enum agentx_error error =
            column ? set_test_row(set, look, context, column, &index, &one->value, *failed)
                   : set_test_one(set, look, one);
        if (error != AGENTX_NO_ERROR)
            return error;
    }
    *failed = 0;
    return set->makes_rows ? paths_check(set->options.paths, failed) : AGENTX_NO_ERROR;
}

enum agentx_error set_test(struct set *set, struct look *look, const char *context,
                           const struct agentx_varbind *varbinds, size_t n, size_t *failed)
{
    set_cleanup(set);
    *failed = 0;
    set->ticket = 0;
    if (!set->options.writable)
        return AGENTX_NOT_WRITABLE;
    if (n > AGENTX_SET_MAX)
        return AGENTX_RESOURCE_UNAVAILABLE;
    const enum agentx_error error = set_test_all(set, look, context, varbinds, n, failed);
    look_end(look);
    if (error != AGENTX_NO_ERROR)
        set_cleanup(set);
    return error;
}

static bool set_change(const struct set *set, const struct setting *changes, const char *what)
{
    struct error err;
    const struct set_options *o = &set->options;
    if (o->change(o->ctx, changes, set->count, o->who, &err))
        return true;
    log_write(o->log, LOG_LEVEL_WARNING, "%s could not %s: %s", o->who, what, err.text);
    return false;
}

static void set_tell_leds(const struct set *set)
{
    const struct set_options *o = &set->options;
    for (size_t i = 0; i < set->leds.count && o->switched; i++) {
        const struct led *led = &set->leds.all[i];
        if (led->on != led->before)
            o->switched(o->ctx, led->node, set->leds.back ? led->before : led->on, o->who);
    }
}

// The LEDs come first: LEDs take the longest, and are the likeliest to fail.
enum agentx_error set_commit(struct set *set)
{
    const enum agentx_error error =
        leds_switch(&set->leds, set->options.demand, false, &set->ticket);
    if (error != AGENTX_NO_ERROR)
        return error;
    if (set->count > 0 && !set_change(set, set->changes, "change the settings")) {
        leds_restore(&set->leds, set->options.demand);
        return AGENTX_COMMIT_FAILED;
    }
    set_tell_leds(set);
    if (set->makes_rows)
        paths_commit(set->options.paths);
    set->committed = true;
    return AGENTX_NO_ERROR;
}

// Rows and settings come first, and once: while set_undo waits for an LED, the session may end, or
// the time may be over. Then set_undo is not called again.
enum agentx_error set_undo(struct set *set)
{
    set->ticket = 0;
    if (!set->committed)
        return AGENTX_NO_ERROR;
    if (set->makes_rows)
        paths_undo(set->options.paths);
    set->makes_rows = false;
    if (set->count > 0 && !set_change(set, set->before, "undo the change of the settings"))
        set->undo_failed = true;
    set->count = 0;
    enum agentx_error error = leds_switch(&set->leds, set->options.demand, true, &set->ticket);
    if (set->ticket != 0)
        return error;
    if (error == AGENTX_NO_ERROR)
        set_tell_leds(set);
    if (set->undo_failed)
        error = AGENTX_UNDO_FAILED;
    set->committed = error != AGENTX_NO_ERROR;
    set->leds.count = 0;
    return error;
}
