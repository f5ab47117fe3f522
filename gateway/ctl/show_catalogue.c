// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/show_catalogue.h"

#include "base/text.h"
#include "ctl/terminal.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "model/mib.h"

void show_catalogue(FILE *out)
{
    fprintf(out, "%-25s %-5s %-14s %-10s %s\n", "EVENT", "TRAP", "SEVERITY", "CATEGORY", "TITLE");
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *e = catalogue_get((enum catalogue_event)i);
        char trap[8] = "-";
        if (e->trap != 0)
            snprintf(trap, sizeof trap, "%u", e->trap);
        fprintf(out, "%-25s %-5s %-14s %-10s ", e->name, trap, severity_word(e->severity),
                category_word(e->category));
        terminal_hang(out, 58, e->title);
    }
}

static json_t *show_catalogue_oid_json(const struct mib_oid *oid)
{
    char buffer[MIB_OID_MAX * 11];
    struct text t = text_in(buffer, sizeof buffer);
    mib_add_oid(&t, oid->ids, oid->length);
    return json_string(buffer);
}

static const char *syntax_word(enum mib_syntax syntax)
{
    static const char *const WORDS[] = {"Integer32",  "Unsigned32",  "OCTET STRING",
                                        "BITS",       "DateAndTime", "GswGlobalId",
                                        "TruthValue", "OCTET STRING"};
    return WORDS[syntax];
}

static json_t *notification_json(const struct mib_notification *n)
{
    if (!n)
        return json_null();
    json_t *objects = json_array();
    for (size_t i = 0; i < MIB_OBJECTS_MAX && n->objects[i]; i++) {
        const struct mib_object *o = n->objects[i];
        json_array_append_new(objects, json_pack("{s:s, s:o, s:s, s:i}", "name", o->name, "oid",
                                                 show_catalogue_oid_json(&o->oid), "syntax",
                                                 syntax_word(o->syntax), "size", (int)o->size));
    }
    return json_pack("{s:s, s:o, s:o}", "name", n->name, "oid", show_catalogue_oid_json(&n->oid),
                     "objects", objects);
}

static json_t *entry_json(const struct catalogue_entry *e)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && e->fields[i] != FIELD_NONE; i++)
        json_array_append_new(fields, json_string(field_name(e->fields[i])));
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:b, s:o, s:i, s:b, s:o}", "event",
        e->name, "trap", e->trap ? json_integer(e->trap) : json_null(), "title", e->title,
        "category", category_word(e->category), "severity", severity_word(e->severity), "alarm",
        alarm_role_word(e->alarm), "text", e->text, "fields", fields, "sma",
        notification_json(e->sma), "switch", notification_json(e->gsw), "switchReason",
        (int)e->switch_reason, "formerLink", (int)(e->former != NULL), "topo",
        notification_json(e->topo), "topoReason", (int)e->topo_reason, "betweenSwitches",
        (int)e->between_switches, "own", notification_json(e->own));
}

json_t *show_catalogue_json(void)
{
    json_t *events = json_array();
    for (int i = 0; i < CATALOGUE_COUNT; i++)
        json_array_append_new(events, entry_json(catalogue_get((enum catalogue_event)i)));
    return json_pack("{s:i, s:o}", "version", 1, "events", events);
}
