// SPDX-License-Identifier: BSD-2-Clause
#include "conf/rows.h"

#include "conf/check.h"
#include "conf/schema.h"
#include "conf/value.h"

#include <string.h>

void rows_set_section_defaults(const struct schema_section *section, void *object)
{
    const struct schema_item *item;
    for (size_t i = 0; (item = schema_item(section, i)); i++)
        value_reset(item, object);
}

void rows_set_defaults(struct conf *conf)
{
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (SCHEMA[i].object == SCHEMA_CONF)
            rows_set_section_defaults(&SCHEMA[i], conf);
    }
}

void conf_receiver_init(struct conf_receiver *receiver, enum conf_kind kind, const char *name)
{
    memset(receiver, 0, sizeof *receiver);
    receiver->kind = kind;
    snprintf(receiver->name, sizeof receiver->name, "%s", name);
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (SCHEMA[i].object == SCHEMA_RECEIVER && SCHEMA[i].kind == kind)
            rows_set_section_defaults(&SCHEMA[i], receiver);
    }
}

// The text.

// Whether the secret of an item comes from a file, which another item names.
static bool rows_print_comes_from_file(const struct schema_section *section,
                                       const struct schema_item *item, const void *object)
{
    char name[64], path[4 * CONF_PATH_SIZE + 4];
    const struct schema_item *file;
    struct text t = text_in(path, sizeof path);
    snprintf(name, sizeof name, "%s_file", item->name);
    for (size_t i = 0; (file = schema_item(section, i)); i++) {
        if (strcmp(file->name, name) == 0)
            value_add(file, object, &t);
    }
    return t.len > 0;
}

// Cuts the query off a URL, which may have a token. Returns whether there was one.
static bool rows_print_cut_query(const struct schema_item *item, char *value)
{
    char *query = item->check == check_url ? strchr(value, '?') : NULL;
    if (query)
        snprintf(query, 3, "?\"");
    return query;
}

static void rows_print_item(const struct schema_section *section, const struct schema_item *item,
                            const void *object, FILE *out)
{
    // Its size is enough for a full list of patterns with every octet as a number.
    char value[FILTER_PATTERNS_MAX * (4 * FILTER_PATTERN_SIZE + 4)];
    struct text t = text_in(value, sizeof value);
    value_add(item, object, &t);
    if (t.len == 0)
        return;
    if (item->secret && rows_print_comes_from_file(section, item, object))
        return;
    if (item->secret && value_is_list(item))
        fprintf(out, "    # %s: %s are set, and not shown\n", item->name, value);
    else if (item->secret && !value_is_default(item, object))
        fprintf(out, "    # %s is set, and not shown\n", item->name);
    else if (rows_print_cut_query(item, value))
        fprintf(out, "    %s = %s\n    # %s: what follows the '?' is not shown\n", item->name,
                value, item->name);
    else
        fprintf(out, "    %s = %s\n", item->name, value);
}

static void rows_print_section(const struct schema_section *section, const char *name,
                               const void *object, FILE *out)
{
    const struct schema_item *item;
    if (name)
        fprintf(out, "%s \"%s\" {\n", section->name, name);
    else
        fprintf(out, "%s {\n", section->name);
    for (size_t i = 0; (item = schema_item(section, i)); i++)
        rows_print_item(section, item, object, out);
    fprintf(out, "}\n");
}

// Prints the section for each receiver of its kind, or for each rule.
static void rows_print_named(const struct schema_section *section, const struct conf *conf,
                             FILE *out)
{
    const bool rules = section->object == SCHEMA_RULE;
    for (size_t i = 0; i < (rules ? conf->policy.rule_count : 0); i++)
        rows_print_section(section, conf->policy.rules[i].name, &conf->policy.rules[i], out);
    for (size_t i = 0; i < (rules ? 0 : conf->receiver_count); i++) {
        if (conf->receivers[i].kind == section->kind)
            rows_print_section(section, conf->receivers[i].name, &conf->receivers[i], out);
    }
}

void conf_print(const struct conf *conf, FILE *out)
{
    fprintf(out, "# %s%s\n", conf->has_file ? "" : "the defaults, as there is no ", conf->file);
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (SCHEMA[i].object == SCHEMA_CONF)
            rows_print_section(&SCHEMA[i], NULL, conf, out);
        else
            rows_print_named(&SCHEMA[i], conf, out);
    }
}

// Items that a reload cannot change.

// Returns an item of a section; NULL: there are no more, or the section is a rule or a receiver,
// which every reload may change.
static const struct schema_item *rows_restart_item(size_t section, size_t place)
{
    return SCHEMA[section].object == SCHEMA_CONF ? schema_item(&SCHEMA[section], place) : NULL;
}

void conf_add_restart_items(const struct conf *running, const struct conf *next, struct text *t)
{
    const struct schema_item *item;
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; (item = rows_restart_item(s, i)); i++) {
            if (item->reload == SCHEMA_RESTART && !value_same(item, running, next))
                text_addf(t, "%s%s", t->len ? ", " : "", item->name);
        }
    }
}

void conf_keep_restart_items(const struct conf *running, struct conf *next)
{
    const struct schema_item *item;
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        for (size_t i = 0; (item = rows_restart_item(s, i)); i++) {
            if (item->reload == SCHEMA_RESTART)
                value_copy(item, running, next);
        }
    }
}
