// From the configuration of a receiver to the receiver.
#ifndef IBTRAPD_DAEMON_RECEIVERS_H
#define IBTRAPD_DAEMON_RECEIVERS_H

#include "conf/conf.h"
#include "sink/receiver.h"

// Fills `out`. False with a sentence when memory is short or libsnmp lacks what is asked for.
bool receivers_make(struct receiver *out, const struct conf_receiver *conf,
                    const struct clock *clock, int64_t started_at, struct error *err);

#endif
