// SPDX-License-Identifier: BSD-2-Clause
// Checks of whole sections of receivers, for the rows of the schema (schema_section.check). Each
// reports the section's mistakes, reads the secrets that the section names, and sets the fields
// that depend on several items: ports, versions, formats.
#ifndef IBTRAPD_CONF_RECEIVER_CHECKS_H
#define IBTRAPD_CONF_RECEIVER_CHECKS_H

#include "conf/section.h"

void section_check_snmp(struct section *section);
void section_check_syslog(struct section *section);
void section_check_file(struct section *section);
void section_check_agentx(struct section *section);
void section_check_kafka(struct section *section);
void section_check_http(struct section *section);
void section_check_alertmanager(struct section *section);

// Returns the format of a syslog receiver whose section has none.
enum conf_format section_syslog_format(enum conf_transport transport);

#endif
