// SPDX-License-Identifier: BSD-2-Clause
#include "bare.h"

#include "base/clock.h"
#include "event/event_builder.h"
#include "model/notice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

struct event *bare_event(void)
{
    const struct event_builder builder = {.clock = &clock_system, .random = &random_system};
    struct notice notice = {.generic = true,
                            .type = 3,
                            .producer = NOTICE_PRODUCER_CLASS_MANAGER,
                            .trap = NOTICE_GID_IN_SERVICE,
                            .issuer_lid = 1,
                            .gid1 = {0xFE, 0x80, [9] = 2, 0xC9, 0xF0}};
    uint8_t wire[NOTICE_SIZE];
    notice_encode(&notice, wire);
    struct event *event = event_builder_from_notice(&builder, wire);
    if (!event)
        bare_give_up("out of memory");
    return event;
}

void bare_give_up(const char *why)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, why);
    exit(EXIT_FAILURE);
}

double bare_cpu_s(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}
