// Asynchronous events of the adapter, where libibverbs is there: they tell at once what polling
// finds within seconds (a new SM, a new LID, the port up or down, ClientReregister).
#ifndef IBTRAPD_IB_VERBS_WATCH_H
#define IBTRAPD_IB_VERBS_WATCH_H

#include "base/log.h"
#include "ib/sa_client.h"

struct verbs_watch;

// Starts a thread that pokes `agent` at each event of the port that the agent has open. NULL when
// libibverbs was not there at build time or memory or threads are short: polling does without.
struct verbs_watch *verbs_watch_start(struct sa_client *client, struct log *log);
void verbs_watch_stop(struct verbs_watch *watch); // NULL is allowed; before sa_client_stop

#endif
