// SPDX-License-Identifier: BSD-2-Clause
// What the rows of the schema do with a whole configuration: its defaults, its text, and the items
// that a reload cannot change.
//
// Decides: Which items can a reload change?
#pragma once

#include "conf/item.h"

#include <stdio.h>

// Sets the items of `conf` itself: all items but the items of rules and receivers.
void rows_set_defaults(struct conf *conf);

// Sets the items of one section; `object` is its struct conf, conf_rule or conf_receiver.
void rows_set_section_defaults(const struct schema_section *section, void *object);

// Makes a receiver whose section sets nothing. Cuts a name that is too long.
void conf_receiver_init(struct conf_receiver *receiver, enum conf_kind kind, const char *name);

// Writes a whole configuration as a file with the same meaning, except for communities in the
// configuration itself: a comment takes their place.
void conf_print(const struct conf *conf, FILE *out);

// Adds the names of the different items that only a restart changes, for instance "device, port".
void conf_add_restart_items(const struct conf *running, const struct conf *next, struct text *t);

// Gives these items in `next` the values of `running`.
void conf_keep_restart_items(const struct conf *running, struct conf *next);
