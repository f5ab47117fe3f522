// SPDX-License-Identifier: BSD-2-Clause
// A section of a file while the parser reads it.
//
// Decides: Which items of a section need other items?
#pragma once

#include "conf/item.h"

// The mistakes in a configuration's text, gathered while the text is read.
struct report {
    const char *path; // of the file; the caller's
    struct conf_mistakes mistakes;
    unsigned lines[CONF_MISTAKES_MAX]; // of the mistakes
};

// Inserts a mistake behind those of the same and of earlier lines. Drops it when the report is
// full.
void report_add(struct report *report, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool report_is_full(const struct report *report);

struct section {
    const struct schema_section *schema;
    void *object;     // its struct conf, conf_rule or conf_receiver
    const char *name; // of a rule or a receiver; NULL: the section has no name of its own
    unsigned line;    // the last line that was read of the section
    unsigned begins;  // its first line; 0: the file does not have the section yet
    unsigned lines[SCHEMA_ITEMS_MAX]; // of the items by number; 0: the file does not have the item
    bool bad;                         // the section has a mistake
    bool looks; // the checks open the named files and look for the named groups
    struct report *report;
};

// Reports a mistake of the section as a whole. Always returns false.
bool section_refuse(struct section *section, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

// Checks the section as a whole, unless a mistake was found before: whether the file has the needed
// items, then by the section's own check.
void section_check(struct section *section);

// Checks of whole sections, for the rows of the schema (schema_section.check). Each reports the
// section's mistakes, reads the secrets that the section names, and sets the fields that follow
// from several items: ports, versions, formats.

void section_check_fabric(struct section *section);   // reads the SA key
void section_check_sweep(struct section *section);    // reads the M_Key
void section_check_counters(struct section *section); // refuses windows in the wrong order
void section_check_control(struct section *section);  // finds the number of the socket's group
void section_check_subagent(struct section *section); // refuses items that need a socket
void section_check_rule(struct section *section);     // refuses a rule that changes nothing
void section_check_snmp(struct section *section);
void section_check_agentx(struct section *section);
void section_check_syslog(struct section *section);
void section_check_kafka(struct section *section);
void section_check_http(struct section *section);
void section_check_alertmanager(struct section *section);

// Returns the format of a syslog receiver whose section has none.
enum format section_syslog_format(enum transport transport);
