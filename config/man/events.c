// SPDX-License-Identifier: BSD-2-Clause
// Prints ibtrapd-events(7) from the catalogue, in mdoc.

#include "install.h"
#include "mdoc.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "model/mib.h"

#include <stdio.h>

static void print_head(void)
{
    puts(".Dd November 21, 2026\n"
         ".Dt IBTRAPD-EVENTS 7\n"
         ".Os ibtrapd " INSTALL_VERSION "\n"
         ".Sh NAME\n"
         ".Nm ibtrapd-events\n"
         ".Nd events of ibtrapd\n"
         ".Sh DESCRIPTION\n"
         "An event has the same identifier in every output: as the message type in\n"
         "syslog, in JSON, in the notifications of the IBTRAPD-MIB, and in the filters of\n"
         ".Xr ibtrapd.conf 5 .\n"
         "The sentences below are the texts of the events.\n"
         "A value replaces each name in braces; a part in brackets is left out if its\n"
         "values are not known.\n"
         "Below it is what to do about the event.\n"
         ".Bl -tag -width Ds");
}

static void print_foot(void)
{
    puts(".El\n"
         ".Sh SEE ALSO\n"
         ".Xr ibtrapd.conf 5 ,\n"
         ".Xr ibtrapctl 8 ,\n"
         ".Xr ibtrapd 8\n"
         ".Pp\n"
         "The manual by task, with recipes for receivers:\n"
         ".Pa " INSTALL_DOC_DIRECTORY "/doc/README.md");
}

static void print_facts(const struct catalogue_entry *e)
{
    static const char *const ROLES[] = {[ALARM_NONE] = "",
                                        [ALARM_RAISES] = ", raises an alarm",
                                        [ALARM_CLEARS] = ", clears an alarm"};
    char facts[200], trap[32] = "";
    if (e->trap != 0)
        snprintf(trap, sizeof trap, "Trap %u, ", e->trap);
    snprintf(facts, sizeof facts, "%s%s %s, category %s%s.", trap,
             trap[0] ? "severity" : "Severity", severity_word(e->severity),
             category_word(e->category), ROLES[e->alarm]);
    mdoc_print_words(facts);
}

static void print_fields(const struct catalogue_entry *e)
{
    char names[CATALOGUE_FIELDS_MAX * 32];
    struct text t = text_in(names, sizeof names);
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && e->fields[i] != FIELD_NONE; i++)
        text_addf(&t, "%s%s", i ? ", " : "Fields: ", field_name(e->fields[i]));
    text_add(&t, ".");
    if (t.len > 1) {
        puts(".Pp");
        mdoc_print_words(names);
    }
}

static void print_notifications(const struct catalogue_entry *e)
{
    const struct mib_notification *const all[] = {e->sma, e->gsw, e->topo, e->own};
    char names[300];
    struct text t = text_in(names, sizeof names);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i])
            text_addf(&t, "%s%s", t.len > 0 ? ", " : "Notifications: ", all[i]->name);
    }
    text_add(&t, ".");
    if (t.len > 1) {
        puts(".Pp");
        mdoc_print_words(names);
    }
}

static void print_event(const struct catalogue_entry *e)
{
    printf(".It Ic %s\n%s.\n", e->name, e->title);
    print_facts(e);
    puts(".Bd -filled -offset indent");
    mdoc_print_words(e->text);
    puts(".Ed");
    mdoc_print_words(e->remedy);
    print_fields(e);
    print_notifications(e);
}

int main(void)
{
    print_head();
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        if (catalogue_get((enum catalogue_event)i)->name)
            print_event(catalogue_get((enum catalogue_event)i));
    }
    print_foot();
    return ferror(stdout) ? 1 : 0;
}
