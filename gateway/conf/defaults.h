// SPDX-License-Identifier: BSD-2-Clause
// Gives the objects of the configuration the defaults of the schema's rows, before a file changes
// them.
#ifndef IBTRAPD_CONF_DEFAULTS_H
#define IBTRAPD_CONF_DEFAULTS_H

#include "conf/item.h"

// Sets the items of `conf` itself: those of every section but rules and receivers.
void defaults_set(struct conf *conf);

// Sets the items of one section; `object` is its struct conf, conf_rule or conf_receiver.
void defaults_set_section(const struct schema_section *section, void *object);

// Makes a receiver whose section sets nothing. Cuts a name that is too long.
void conf_receiver_init(struct conf_receiver *receiver, enum conf_kind kind, const char *name);

#endif
