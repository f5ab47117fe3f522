// SPDX-License-Identifier: BSD-2-Clause
// Fills in "$defs" of a JSON Schema from the catalogue and the fields of events.
//   make-schema <SCHEMA.in >SCHEMA
#include "install.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "sink/format.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Words that a later version may add to: a schema of an earlier version takes events of a later
// version.
static json_t *open_words(json_t *words)
{
    return json_pack("{s:s, s:o}", "type", "string", "examples", words);
}

static json_t *words_of_events(void)
{
    json_t *words = json_array();
    for (int i = 0; i < CATALOGUE_COUNT; i++)
        json_array_append_new(words, json_string(catalogue_get((enum catalogue_event)i)->name));
    return open_words(words);
}

static json_t *words_of_categories(void)
{
    json_t *words = json_array();
    for (int i = CATEGORY_FABRIC; i <= CATEGORY_VENDOR; i++)
        json_array_append_new(words, json_string(category_word((enum category)i)));
    return open_words(words);
}

static json_t *words_of_alarm_states(void)
{
    return json_pack("{s:[s,s]}", "enum", alarm_role_word(ALARM_RAISES),
                     alarm_role_word(ALARM_CLEARS));
}

static json_t *words_of_severities(void)
{
    json_t *words = json_array();
    for (int i = 0; i < FORMAT_SEVERITIES; i++)
        json_array_append_new(words, json_string(severity_word((enum severity)i)));
    return json_pack("{s:o}", "enum", words);
}

// The schema of a value that is text. `sample` is such a value.
static json_t *schema_of_text(const char *name, const char *sample)
{
    static const char *const WORDS[] = {"event", "severity", "category", "alarmState"};
    char text[40];
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        snprintf(text, sizeof text, "#/$defs/%s", WORDS[i]);
        if (strcmp(name, WORDS[i]) == 0)
            return json_pack("{s:s}", "$ref", text);
    }
    if (strncmp(sample, "0x", 2) == 0) {
        snprintf(text, sizeof text, "^0x[0-9a-f]{%zu}$", strlen(sample) - 2);
        return json_pack("{s:s, s:s}", "type", "string", "pattern", text);
    }
    if (strncmp(sample, "1970-", 5) == 0)
        return json_pack("{s:s, s:s}", "type", "string", "format", "date-time");
    return json_pack("{s:s}", "type", "string");
}

static json_t *schema_of_value(const char *name, const char *sample, enum field_kind kind)
{
    if (kind == FIELD_IS_NUMBER)
        return json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);
    if (kind == FIELD_IS_FLAG)
        return json_pack("{s:s}", "type", "boolean");
    return schema_of_text(name, sample);
}

static void take_property(void *properties, const char *name, const char *value,
                          enum field_kind kind)
{
    if (!json_object_get(properties, name))
        json_object_set_new(properties, name, schema_of_value(name, value, kind));
}

// Takes a member that every event of the kind has. A line that is too long may leave out free text.
static void take_required(void *required, const char *name, const char *value, enum field_kind kind)
{
    (void)kind;
    if (value[0] != '\0')
        json_array_append_new(required, json_string(name));
}

// What holds for events of that kind alone.
static json_t *schema_of_kind(const struct event *event)
{
    const struct catalogue_entry *type = event->type;
    json_t *required = json_array();
    format_fields(event, take_required, required);
    return json_pack("{s:{s:{s:{s:s}}, s:[s]}, s:{s:s, s:s, s:o}}", "if", "properties", "event",
                     "const", type->name, "required", "event", "then", "title", type->title,
                     "description", type->remedy, "required", required);
}

static struct event *make_bare(const struct catalogue_entry *type)
{
    struct event *event = event_make(type);
    snprintf(event->id, sizeof event->id, "id");
    return event;
}

static json_t *schema_of_event(void)
{
    json_t *properties = json_object(), *kinds = json_array();
    take_property(properties, field_name(FIELD_TIME), "1970-", FIELD_IS_TEXT);
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        struct event *event = make_bare(catalogue_get((enum catalogue_event)i));
        json_array_append_new(kinds, schema_of_kind(event));
        snprintf(event->alarm_key, sizeof event->alarm_key, "key");
        format_possible_fields(event, take_property, properties);
        event_unref(event);
    }
    take_property(properties, field_name(FIELD_TEXT), "", FIELD_IS_TEXT);
    return json_pack("{s:s, s:[s,s,s,s,s], s:o, s:o}", "type", "object", "required", "id", "event",
                     "severity", "category", "subnetPrefix", "properties", properties, "allOf",
                     kinds);
}

int main(void)
{
    json_t *schema = json_loadf(stdin, 0, NULL);
    json_t *defs = json_pack("{s:o, s:o, s:o}", "event", words_of_events(), "severity",
                             words_of_severities(), "category", words_of_categories());
    if (!schema || !defs)
        return EXIT_FAILURE;
    // The schema of an alarm does not have events.
    if (json_object_get(schema, "$defs")) {
        json_object_set_new(defs, "alarmState", words_of_alarm_states());
        json_object_set_new(defs, "eventObject", schema_of_event());
    }
    json_object_set_new(schema, "$defs", defs);
    json_object_set_new(schema, "$comment", json_string("Made by ibtrapd " INSTALL_VERSION "."));
    const int failed = json_dumpf(schema, stdout, JSON_INDENT(1));
    json_decref(schema);
    return putchar('\n') == EOF || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
