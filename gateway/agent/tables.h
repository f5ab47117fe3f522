// The tables that there are.
#ifndef IBTRAPD_AGENT_TABLES_H
#define IBTRAPD_AGENT_TABLES_H

#include "agent/table.h"

#define TABLES_GSW_IDS 1, 3, 6, 1, 3, 2, 2, 1 // gsw, the root of the IBSWITCH-MIB

extern const struct table_list TABLES;

// agent/gsw_misc.c
extern const struct table GSW_MISC, GSW_SYSTEM;

#endif
