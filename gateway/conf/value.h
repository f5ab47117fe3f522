// SPDX-License-Identifier: BSD-2-Clause
// The value of one item in its section's object. The item's row says where the value is and which
// values are good; see item.h. `object` is the section's struct conf, conf_rule or conf_receiver.
#pragma once

#include "conf/item.h"

// Sets the default, or the value of an item that is not set.
void value_reset(const struct schema_item *item, void *object);

// Sets the value from a file's text; adds a member to a list that has room. False with a reason.
bool value_take(const struct schema_item *item, void *object, const char *value,
                struct error *reason);

// Sets the value to nothing. An array of pairs gets its defaults.
void value_clear(const struct schema_item *item, void *object);

bool value_is_list(const struct schema_item *item);
bool value_has_room(const struct schema_item *item, const void *object); // for one more member

// Adds the value in the form of a file, of a secret list the names only. Adds nothing if the item
// is not set.
void value_add(const struct schema_item *item, const void *object, struct text *t);

// Whether the value is the item's default. An item without default returns false.
bool value_is_default(const struct schema_item *item, const void *object);

// Whether the values in `a` and `b` make a gateway do the same: compares what is derived from the
// item, if something is.
bool value_same(const struct schema_item *item, const void *a, const void *b);

// Copies the value and the fields derived from the value.
void value_copy(const struct schema_item *item, const void *from, void *to);
