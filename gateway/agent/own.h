// The tables of the IBTRAPD-MIB, and of the IBSWITCH-MIB the one that is made from the journal.
#ifndef IBTRAPD_AGENT_OWN_H
#define IBTRAPD_AGENT_OWN_H

#include "agent/table.h"

extern const struct table OWN_SUBSCRIPTIONS, OWN_RECEIVERS, OWN_ALARMS, OWN_EVENT_LOG, OWN_FLOW;
extern const struct table GSW_EVENTS;

#endif
