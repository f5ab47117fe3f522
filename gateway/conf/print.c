// SPDX-License-Identifier: BSD-2-Clause
#include "conf/print.h"

#include "conf/check.h"
#include "conf/schema.h"
#include "conf/value.h"

#include <string.h>

// Whether the secret of an item comes from a file, which another item names.
static bool print_comes_from_file(const struct schema_section *section,
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
static bool print_cut_query(const struct schema_item *item, char *value)
{
    char *query = item->check == check_url ? strchr(value, '?') : NULL;
    if (query)
        snprintf(query, 3, "?\"");
    return query;
}

static void print_item(const struct schema_section *section, const struct schema_item *item,
                       const void *object, FILE *out)
{
    // Its size is enough for a full list of patterns with every octet as a number.
    char value[FILTER_PATTERNS_MAX * (4 * FILTER_PATTERN_SIZE + 4)];
    struct text t = text_in(value, sizeof value);
    value_add(item, object, &t);
    if (t.len == 0)
        return;
    if (item->secret && print_comes_from_file(section, item, object))
        return;
    if (item->secret && !value_is_default(item, object))
        fprintf(out, "    # %s is set, and not shown\n", item->name);
    else if (print_cut_query(item, value))
        fprintf(out, "    %s = %s\n    # %s: what follows the '?' is not shown\n", item->name,
                value, item->name);
    else
        fprintf(out, "    %s = %s\n", item->name, value);
}

static void print_section(const struct schema_section *section, const char *name,
                          const void *object, FILE *out)
{
    const struct schema_item *item;
    if (name)
        fprintf(out, "%s \"%s\" {\n", section->name, name);
    else
        fprintf(out, "%s {\n", section->name);
    for (size_t i = 0; (item = schema_item(section, i)); i++)
        print_item(section, item, object, out);
    fprintf(out, "}\n");
}

static void print_receivers(const struct conf *conf, enum conf_kind kind,
                            const struct schema_section *section, FILE *out)
{
    for (size_t i = 0; i < conf->receiver_count; i++) {
        if (conf->receivers[i].kind == kind)
            print_section(section, conf->receivers[i].name, &conf->receivers[i], out);
    }
}

static void print_rules(const struct conf *conf, const struct schema_section *section, FILE *out)
{
    for (size_t i = 0; i < conf->policy.rule_count; i++)
        print_section(section, conf->policy.rules[i].name, &conf->policy.rules[i], out);
}

void conf_print(const struct conf *conf, FILE *out)
{
    fprintf(out, "# %s%s\n", conf->has_file ? "" : "the defaults, as there is no ", conf->file);
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (SCHEMA[i].object == SCHEMA_RECEIVER)
            print_receivers(conf, SCHEMA[i].kind, &SCHEMA[i], out);
        else if (SCHEMA[i].object == SCHEMA_RULE)
            print_rules(conf, &SCHEMA[i], out);
        else
            print_section(&SCHEMA[i], NULL, conf, out);
    }
}
