// Reads a configuration's text into a struct conf, as the schema has it. Every mistake in a value
// or a name is told; one that leaves unclear how the text goes on ends the reading.
#ifndef IBTRAPD_CONF_PARSER_H
#define IBTRAPD_CONF_PARSER_H

#include "conf/section.h"

// Gives every item that stands outside of policies and receivers its default.
void parser_reset(struct conf *conf);

// A receiver or a policy whose section says nothing.
void parser_reset_object(const struct schema_section *section, void *object);

// `conf` has its defaults and room for receivers and rules. False: `report` has mistakes, or memory
// is short, which is a mistake, too.
bool parser_run(const char *text, struct conf *conf, struct report *report);

#endif
