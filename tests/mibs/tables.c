// SPDX-License-Identifier: BSD-2-Clause
// Prints one JSON object per line: every column of the tables, from its descriptor, and then every
// instance of a made-up gateway, then of some devices. test_tables.py compares both with the MIB
// modules.

#include "tables/tables.h"
#include "made_snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_oid(const struct agentx_oid *oid)
{
    for (size_t i = 0; i < oid->length; i++)
        printf("%s%u", i ? "." : "", oid->ids[i]);
}

static const char *type_word(enum agentx_type type)
{
    switch (type) {
    case AGENTX_INTEGER:
        return "Integer32";
    case AGENTX_OCTETS:
        return "OctetString";
    case AGENTX_OID:
        return "ObjectIdentifier";
    case AGENTX_IP_ADDRESS:
        return "IpAddress";
    case AGENTX_COUNTER32:
        return "Counter32";
    case AGENTX_GAUGE32:
        return "Unsigned32";
    case AGENTX_TIME_TICKS:
        return "TimeTicks";
    case AGENTX_COUNTER64:
        return "Counter64";
    default:
        return "none";
    }
}

static void print_column(const struct table *table, const struct table_column *column,
                         bool of_device)
{
    struct agentx_oid oid = {.length = 0};
    for (size_t i = 0; i < table->entry_length; i++)
        agentx_oid_add(&oid, table->entry[i]);
    agentx_oid_add(&oid, column->number);
    printf("{\"table\": \"%s\", \"column\": \"%s\", \"oid\": \"", table->name, column->name);
    print_oid(&oid);
    printf("\", \"syntax\": \"%s\", \"told\": %s, \"writable\": %s, \"device\": %s}\n",
           type_word(column->type), column->get ? "true" : "false",
           column->setting != SETTING_NONE || column->creates || column->switches ? "true"
                                                                                  : "false",
           of_device ? "true" : "false");
}

static void print_instance(const struct agentx_oid *name, const struct agentx_value *value)
{
    printf("{\"instance\": true, \"oid\": \"");
    print_oid(name);
    printf("\", \"syntax\": \"%s\", \"value\": ", type_word(value->type));
    if (value->type == AGENTX_OCTETS || value->type == AGENTX_IP_ADDRESS) {
        printf("\"");
        for (size_t i = 0; i < value->size; i++)
            printf("%02x", value->octets[i]);
        printf("\"}\n");
    } else {
        printf("%" PRId64 "}\n", value->number);
    }
}

static void print_columns(const struct table_list *list)
{
    for (size_t t = 0; t < list->count; t++) {
        for (size_t c = 0; c < list->tables[t]->column_count; c++)
            print_column(list->tables[t], &list->tables[t]->columns[c], list == &DEVICE_TABLES);
    }
}

static void print_instances(const struct table_list *list, struct look look)
{
    struct agentx_oid name = {.length = 0}, found;
    struct agentx_value value;
    while (table_get_next(list, &look, &name, false, &(struct agentx_oid){.length = 0}, &found,
                          &value)) {
        print_instance(&found, &value);
        name = found;
    }
}

// In the contexts of some end ports: as many of each type of nodes.
static void print_devices(struct agent_snapshot *snapshot)
{
    enum { EACH = 4 };
    const struct fabric *fabric = snapshot->fabric;
    unsigned seen[FABRIC_ROUTER + 1] = {0};
    for (uint32_t i = 0; i < fabric->port_guid_count; i++) {
        const uint32_t port = fabric->port_guids[i].port;
        if (seen[fabric->nodes[fabric_node_of_port(fabric, port)].type]++ >= EACH)
            continue;
        struct look look = look_at(snapshot);
        look.device = port;
        print_instances(&DEVICE_TABLES, look);
    }
}

int main(void)
{
    print_columns(&TABLES);
    print_columns(&DEVICE_TABLES);
    struct agent_snapshot *snapshot = made_view();
    print_instances(&TABLES, look_at(snapshot));
    print_devices(snapshot);
    return EXIT_SUCCESS;
}
