// SPDX-License-Identifier: BSD-2-Clause
// The items that a reload cannot change in a running gateway, by the rows of the schema.
#ifndef IBTRAPD_CONF_RESTART_H
#define IBTRAPD_CONF_RESTART_H

#include "base/text.h"
#include "conf/conf.h"

// Adds the names of those items that differ, such as "device, port".
void conf_add_restart_items(const struct conf *running, const struct conf *next, struct text *t);

// Gives those items in `next` the values of `running`.
void conf_keep_restart_items(const struct conf *running, struct conf *next);

#endif
