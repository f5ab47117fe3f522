// SPDX-License-Identifier: BSD-2-Clause
// Runs the whole gateway in one process with a fabric (inner_fabric.h), until SIGTERM. The Python
// programs in this folder run it.
//
//   bench-inner CONFIG HOSTS CHANGES REPORTS_A_SECOND WINDOW
#include "inner_fabric.h"

#include "base/clock.h"
#include "conf/load.h"
#include "daemon/daemon.h"
#include "daemon/signals.h"

#include <stdio.h>
#include <stdlib.h>

static void give_up(const char *why)
{
    fprintf(stderr, "bench-inner: %s\n", why);
    exit(EXIT_FAILURE);
}

static bool load(void *ctx, struct conf *conf, struct error *err)
{
    return conf_load(ctx, conf, err);
}

int main(int argc, char **argv)
{
    struct conf conf;
    struct error err;
    if (argc != 6)
        give_up("usage: bench-inner CONFIG HOSTS CHANGES REPORTS_A_SECOND WINDOW");
    signals_block(); // in all threads: SIGTERM is for the gateway alone
    struct inner_fabric *fabric = inner_fabric_new(
        &(struct inner_fabric_options){.hosts = (uint32_t)strtoul(argv[2], NULL, 10),
                                       .changes = (uint32_t)strtoul(argv[3], NULL, 10),
                                       .rate = strtod(argv[4], NULL),
                                       .window = (uint32_t)strtoul(argv[5], NULL, 10)});
    struct log *log = log_open(stderr, LOG_LEVEL_INFO, false, &clock_system);
    if (!fabric || !log)
        give_up("out of memory");
    if (!load(argv[1], &conf, &err))
        give_up(err.text);
    const struct mad_opener opener = inner_fabric_opener(fabric);
    if (!daemon_run(&conf, &(struct daemon_options){load, argv[1], &opener, log}, &err))
        give_up(err.text);
    inner_fabric_free(fabric);
    log_close(log);
    return EXIT_SUCCESS;
}
