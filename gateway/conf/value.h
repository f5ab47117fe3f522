// One value of the configuration, as its row says: set, read, printed, compared, copied.
#ifndef IBTRAPD_CONF_VALUE_H
#define IBTRAPD_CONF_VALUE_H

#include "conf/schema.h"

// The default, or what stands for an item that is not set.
void value_reset(const struct schema_item *item, void *object);

// Takes a value as the file has it; of a list one more member. False with a reason.
bool value_take(const struct schema_item *item, void *object, const char *value,
                struct error *reason);

// Before a list's members are taken anew.
void value_clear(const struct schema_item *item, void *object);

bool value_is_list(const struct schema_item *item);
bool value_has_room(const struct schema_item *item, const void *object); // for one more member

// Adds the value as a file has it. Nothing, if it is not set.
void value_add(const struct schema_item *item, const void *object, struct text *t);

// Whether it is as its default; an item without default never is.
bool value_is_default(const struct schema_item *item, const void *object);

// Whether a gateway that runs with one would do the same with the other.
bool value_same(const struct schema_item *item, const void *a, const void *b);
void value_copy(const struct schema_item *item, const void *from, void *to);

#endif
