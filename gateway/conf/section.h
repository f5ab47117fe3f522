// A section of a file that is being read, and the mistakes in it.
#ifndef IBTRAPD_CONF_SECTION_H
#define IBTRAPD_CONF_SECTION_H

#include "conf/schema.h"

// Where mistakes go.
struct report {
    const char *path; // of the file
    struct conf_mistakes mistakes;
    unsigned lines[CONF_MISTAKES_MAX];
};

// Keeps a mistake in its place by lines; what is too much is left out.
void report_add(struct report *report, unsigned line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool report_is_full(const struct report *report);

struct section {
    const struct schema_section *schema;
    void *object;     // a struct conf, conf_rule or conf_receiver
    const char *name; // its own; NULL: it has none
    uint64_t given;   // bits by the items' places: the file has them
    unsigned line;    // its last
    bool bad;         // a mistake was found in it
    struct report *report;
};

// A mistake of the section as a whole. Always returns false.
bool section_refuse(struct section *section, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

// Whether the file has the item; whether it also says something else than the default.
bool section_has(const struct section *section, const char *item);
bool section_sets(const struct section *section, const char *item);

// Refuses items that would silently do nothing as their section is. `items` end with NULL.
bool section_needs(bool met, struct section *section, const char *const *items, const char *what);

// The checks of whole sections, for the rows of the schema. They also read the secrets that the
// section names, and what depends on several items.
void section_check_fabric(struct section *section);
void section_check_sweep(struct section *section);
void section_check_control(struct section *section);
void section_check_log(struct section *section);
void section_check_subagent(struct section *section);
void section_check_rule(struct section *section);
void section_check_snmp(struct section *section);
void section_check_syslog(struct section *section);
void section_check_file(struct section *section);
void section_check_agentx(struct section *section);

// The format of a syslog receiver whose section has none.
enum conf_format section_syslog_format(enum conf_transport transport);

#endif
