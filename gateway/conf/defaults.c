// SPDX-License-Identifier: BSD-2-Clause
#include "conf/defaults.h"

#include "conf/schema.h"
#include "conf/value.h"

#include <stdio.h>
#include <string.h>

void defaults_set_section(const struct schema_section *section, void *object)
{
    const struct schema_item *item;
    for (size_t i = 0; (item = schema_item(section, i)); i++)
        value_reset(item, object);
}

void defaults_set(struct conf *conf)
{
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (SCHEMA[i].object == SCHEMA_CONF)
            defaults_set_section(&SCHEMA[i], conf);
    }
}

void conf_receiver_init(struct conf_receiver *receiver, enum conf_kind kind, const char *name)
{
    memset(receiver, 0, sizeof *receiver);
    receiver->kind = kind;
    snprintf(receiver->name, sizeof receiver->name, "%s", name);
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (SCHEMA[i].object == SCHEMA_RECEIVER && SCHEMA[i].kind == kind)
            defaults_set_section(&SCHEMA[i], receiver);
    }
}
