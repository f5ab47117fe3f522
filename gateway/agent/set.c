// SPDX-License-Identifier: BSD-2-Clause
#include "agent/set.h"

#include "agent/paths.h"
#include "agent/set_check.h"

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

// The setting that undoes a change.
static struct setting value_before(const struct agent_snapshot *snapshot,
                                   const struct setting *change)
{
    const struct setting *old =
        settings_find(snapshot->settings, change->kind, change->guid, change->number);
    if (old)
        return *old;
    return (struct setting){.kind = change->kind, .guid = change->guid, .number = change->number};
}

static enum agentx_error set_test_led(struct set *set, const struct agent_snapshot *snapshot,
                                      uint32_t node, const struct agentx_value *value)
{
    enum { ON = 1, OFF = 2 }; // GswOnOff
    const uint32_t port = leds_port(snapshot->fabric, node);
    bool before;
    if (port == FABRIC_NONE)
        return AGENTX_NO_CREATION;
    if (value->number != ON && value->number != OFF)
        return AGENTX_WRONG_VALUE;
    if (!leds_read(snapshot, port, &before)) {
        set->ticket = snapshot_take_ticket(snapshot);
        return AGENTX_RESOURCE_UNAVAILABLE;
    }
    return leds_add(&set->leds, snapshot, port, value->number == ON, before)
               ? AGENTX_NO_ERROR
               : AGENTX_INCONSISTENT_VALUE;
}

static enum agentx_error test_one(struct set *set, const struct agent_snapshot *snapshot,
                                  const struct agentx_varbind *varbind)
{
    const struct table_column *column;
    struct table_row row;
    struct setting *change = &set->changes[set->count];
    enum agentx_error error =
        table_find_writable(set->options.tables, snapshot, &varbind->name, &column, &row);
    if (error != AGENTX_NO_ERROR)
        return error;
    if (varbind->value.type != column->type)
        return AGENTX_WRONG_TYPE;
    if (column->switches)
        return set_test_led(set, snapshot, row.node, &varbind->value);
    error = set_check(snapshot, &row, column->setting, &varbind->value, change);
    if (error != AGENTX_NO_ERROR)
        return error;
    set->before[set->count] = value_before(snapshot, change);
    set->count++;
    return AGENTX_NO_ERROR;
}

// Rows of options.paths.
static enum agentx_error set_test_row(struct set *set, const struct agent_snapshot *snapshot,
                                      const char *context, const struct table_column *column,
                                      const struct agentx_oid *index,
                                      const struct agentx_value *value, size_t at)
{
    struct paths *paths = set->options.paths;
    if (!paths || !snapshot->fabric)
        return AGENTX_RESOURCE_UNAVAILABLE;
    if (!set->makes_rows)
        paths_begin(paths, context, snapshot->fabric->subnet_prefix,
                    clock_monotonic(snapshot->source->clock));
    set->makes_rows = true;
    return paths_stage(paths, column, index, value, at);
}

static enum agentx_error set_test_all(struct set *set, const struct agent_snapshot *snapshot,
                                      const char *context, const struct agentx_varbind *varbinds,
                                      size_t n, size_t *failed)
{
    for (*failed = 0; *failed < n; ++*failed) {
        const struct agentx_varbind *one = &varbinds[*failed];
        struct agentx_oid index;
        const struct table_column *column =
            table_find_creatable(set->options.tables, &one->name, &index);
        const enum agentx_error error =
            column ? set_test_row(set, snapshot, context, column, &index, &one->value, *failed)
                   : test_one(set, snapshot, one);
        if (error != AGENTX_NO_ERROR)
            return error;
    }
    *failed = 0;
    return set->makes_rows ? paths_check(set->options.paths, failed) : AGENTX_NO_ERROR;
}

enum agentx_error set_test(struct set *set, const struct agent_snapshot *snapshot,
                           const char *context, const struct agentx_varbind *varbinds, size_t n,
                           size_t *failed)
{
    set_cleanup(set);
    *failed = 0;
    set->ticket = 0;
    if (!set->options.writable)
        return AGENTX_NOT_WRITABLE;
    if (n > AGENTX_SET_MAX)
        return AGENTX_RESOURCE_UNAVAILABLE;
    const enum agentx_error error = set_test_all(set, snapshot, context, varbinds, n, failed);
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

// The LEDs first: they take the longest, and are the likeliest to fail.
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

// What needs no node comes first, and once: the session may end, or the time be over, while it
// waits for an LED. Then it is not called again.
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
