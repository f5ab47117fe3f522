// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sa_state.h"

#include <stdio.h>
#include <string.h>

int64_t sa_state_now(const struct sa_client *a)
{
    return clock_monotonic(a->options.clock);
}

void sa_state_set_problem(struct sa_client *a, const char *problem)
{
    pthread_mutex_lock(&a->lock);
    bool news = strcmp(a->status.problem, problem) != 0;
    snprintf(a->status.problem, sizeof a->status.problem, "%s", problem);
    pthread_mutex_unlock(&a->lock);
    if (news && problem[0] != '\0')
        log_write(a->options.log, LOG_LEVEL_WARNING, "%s", problem);
}

void sa_state_count(struct sa_client *a, uint64_t *counter)
{
    pthread_mutex_lock(&a->lock);
    (*counter)++;
    pthread_mutex_unlock(&a->lock);
}

struct mad_address sa_state_sa(const struct sa_client *a)
{
    const struct mad_port *port = &a->status.port;
    return a->redirect.to.lid != 0
               ? a->redirect.to
               : (struct mad_address){.lid = port->sm_lid, .qpn = 1, .sl = port->sm_sl};
}
