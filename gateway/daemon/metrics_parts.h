// The metrics of the parts that run now.
#ifndef IBTRAPD_DAEMON_METRICS_PARTS_H
#define IBTRAPD_DAEMON_METRICS_PARTS_H

#include <stddef.h>

// A metrics_renderer (daemon/metrics_server.h) whose context is a struct control
// (daemon/control.h).
char *metrics_parts_render(void *ctx, size_t *size);

#endif
