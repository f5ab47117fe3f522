// SPDX-License-Identifier: BSD-2-Clause
// The schema's rows of receivers: those of each kind, and those that several kinds share.
#ifndef IBTRAPD_CONF_SCHEMA_RECEIVERS_H
#define IBTRAPD_CONF_SCHEMA_RECEIVERS_H

#include "conf/item.h"

extern const struct schema_part SCHEMA_SNMP, SCHEMA_SYSLOG, SCHEMA_FILE, SCHEMA_AGENTX,
    SCHEMA_KAFKA, SCHEMA_HTTP, SCHEMA_HTTP_ACCESS, SCHEMA_ALERTMANAGER;
extern const struct schema_part SCHEMA_TLS, SCHEMA_EVERY_RECEIVER;

#endif
