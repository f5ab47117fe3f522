// SPDX-License-Identifier: BSD-2-Clause
#include "sink/format_origin.h"

#include <stdio.h>
#include <unistd.h>

void format_origin_own(struct format_origin *out, struct format_process *process)
{
    if (gethostname(process->hostname, sizeof process->hostname - 1) != 0 ||
        process->hostname[0] == '\0')
        snprintf(process->hostname, sizeof process->hostname, "-");
    process->hostname[sizeof process->hostname - 1] = '\0';
    snprintf(process->id, sizeof process->id, "%ld", (long)getpid());
    *out = (struct format_origin){.facility = FORMAT_FACILITY_DAEMON,
                                  .hostname = process->hostname,
                                  .process_id = process->id};
    for (int i = 0; i < FORMAT_SEVERITIES; i++)
        out->severity_map[i] = (enum severity)i;
}
