// SPDX-License-Identifier: BSD-2-Clause
// ENTITY-MIB (RFC 4133): a node with its ports in it, and which port is which interface of the
// IF-MIB. The node has entPhysicalIndex 1, a port the number behind its own.
#include "agent/device.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/text.h"

enum { NODE_INDEX = 1, NO_POSITION = -1 };     // entPhysicalIndex; entPhysicalParentRelPos
enum { CHASSIS = 3, MODULE = 9, PORT = 10 };   // entPhysicalClass
enum { UNKNOWN_DATE_SIZE = 8, NAME_MAX = 64 }; // entPhysicalMfgDate; a text of this file

// Of a row that is about the node, `number` is 0.
static bool device_entity_is_node(const struct table_row *row)
{
    return row->number == 0;
}

static bool device_entity_put_hex(struct agentx_value *out, int digits, uint32_t number)
{
    char text[NAME_MAX];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "0x%0*x", digits, (unsigned)number);
    return put_text(out, text, sizeof text);
}

static bool device_entity_put_port(struct agentx_value *out, const char *before, unsigned number)
{
    char text[NAME_MAX];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "%s%u", before, number);
    return put_text(out, text, sizeof text);
}

#define ENTITY(name, of_node, of_port)                                                             \
    static bool device_entity_##name(const struct agent_snapshot *snapshot,                        \
                                     const struct table_row *row, struct agentx_value *out)        \
    {                                                                                              \
        const struct fabric_node *node = device_node(snapshot, row);                               \
        (void)node;                                                                                \
        return device_entity_is_node(row) ? (of_node) : (of_port);                                 \
    }

static unsigned device_entity_class(const struct fabric_node *node)
{
    return node->type == FABRIC_CA ? MODULE : CHASSIS;
}

// The OID of what is not known is 0.0.
static bool device_entity_no_type(struct agentx_value *out)
{
    agentx_oid_add(&out->oid, 0);
    return agentx_oid_add(&out->oid, 0);
}

ENTITY(descr, device_put_description(out, node),
       device_entity_put_port(out, "InfiniBand port ", row->number))
ENTITY(type, device_put_kind(out, node), device_entity_no_type(out))
ENTITY(contained, put_number(out, 0), put_number(out, NODE_INDEX))
ENTITY(kind, put_number(out, device_entity_class(node)), put_number(out, PORT))
ENTITY(position, put_number(out, NO_POSITION), put_number(out, row->number))
ENTITY(title, device_put_text(out, device_name(snapshot, node)),
       device_entity_put_port(out, "", row->number))
ENTITY(hardware, device_entity_put_hex(out, 1, node->revision), put_octets(out, "", 0))
ENTITY(maker, device_entity_put_hex(out, 6, node->vendor), put_octets(out, "", 0))
ENTITY(model, device_entity_put_hex(out, 4, node->device), put_octets(out, "", 0))
ENTITY(replaceable, put_truth(out, true), put_truth(out, false))

static bool device_entity_empty(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_octets(out, "", 0);
}

static bool device_entity_date(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    static const uint8_t UNKNOWN[UNKNOWN_DATE_SIZE];
    (void)snapshot;
    (void)row;
    return put_octets(out, UNKNOWN, sizeof UNKNOWN);
}

static const struct table_column COLUMNS[] = {
    {"entPhysicalDescr", 2, AGENTX_OCTETS, .get = device_entity_descr},
    {"entPhysicalVendorType", 3, AGENTX_OID, .get = device_entity_type},
    {"entPhysicalContainedIn", 4, AGENTX_INTEGER, .get = device_entity_contained},
    {"entPhysicalClass", 5, AGENTX_INTEGER, .get = device_entity_kind},
    {"entPhysicalParentRelPos", 6, AGENTX_INTEGER, .get = device_entity_position},
    {"entPhysicalName", 7, AGENTX_OCTETS, .get = device_entity_title},
    {"entPhysicalHardwareRev", 8, AGENTX_OCTETS, .get = device_entity_hardware},
    {"entPhysicalFirmwareRev", 9, AGENTX_OCTETS, .get = device_entity_empty},
    {"entPhysicalSoftwareRev", 10, AGENTX_OCTETS, .get = device_entity_empty},
    {"entPhysicalSerialNum", 11, AGENTX_OCTETS, .get = device_entity_empty},
    {"entPhysicalMfgName", 12, AGENTX_OCTETS, .get = device_entity_maker},
    {"entPhysicalModelName", 13, AGENTX_OCTETS, .get = device_entity_model},
    {"entPhysicalAlias", 14, AGENTX_OCTETS, .get = device_entity_empty},
    {"entPhysicalAssetID", 15, AGENTX_OCTETS, .get = device_entity_empty},
    {"entPhysicalIsFRU", 16, AGENTX_INTEGER, .get = device_entity_replaceable},
    {"entPhysicalMfgDate", 17, AGENTX_OCTETS, .get = device_entity_date},
    {"entPhysicalUris", 18, AGENTX_OCTETS, .get = device_entity_empty},
};

// Finds the port with that number, or with `from` the first one from that number on.
static bool device_entity_find_port(const struct agent_snapshot *snapshot, uint64_t number,
                                    bool from, struct table_row *row, struct agentx_oid *found)
{
    if (number == 0)
        number = from;
    const uint32_t id = (uint32_t)(number - from);
    if (number > UINT32_MAX || !device_seek_data_port(snapshot, &id, 1, from, row, found))
        return false;
    found->length = 0;
    return agentx_oid_add(found, row->number + NODE_INDEX);
}

static bool device_entity_seek(const struct agent_snapshot *snapshot, const uint32_t *ids,
                               size_t length, bool after, struct table_row *row,
                               struct agentx_oid *found)
{
    const uint64_t least = length == 0 ? 0 : (uint64_t)ids[0] + after;
    if (!device_seek_scalar(snapshot, NULL, 0, true, row, found) || (!after && length != 1))
        return false;
    if (least > NODE_INDEX)
        return device_entity_find_port(snapshot, least - NODE_INDEX, after, row, found);
    found->length = 0;
    return (after || least == NODE_INDEX) && agentx_oid_add(found, NODE_INDEX);
}

static const uint32_t ENTRY[] = {TABLES_MIB_2_IDS, 47, 1, 1, 1, 1};

const struct table DEVICE_ENTITIES = TABLE("entPhysicalTable", ENTRY, COLUMNS, device_entity_seek);

// entAliasMappingTable, whose index is entPhysicalIndex and 0.

static bool device_entity_interface(const struct agent_snapshot *snapshot,
                                    const struct table_row *row, struct agentx_value *out)
{
    static const uint32_t IF_INDEX[] = {TABLES_MIB_2_IDS, 2, 2, 1, 1};
    (void)snapshot;
    for (size_t i = 0; i < sizeof IF_INDEX / sizeof *IF_INDEX; i++)
        agentx_oid_add(&out->oid, IF_INDEX[i]);
    return agentx_oid_add(&out->oid, row->number);
}

static const struct table_column ALIAS_COLUMNS[] = {
    {"entAliasMappingIdentifier", 2, AGENTX_OID, .get = device_entity_interface},
};

static bool device_entity_seek_alias(const struct agent_snapshot *snapshot, const uint32_t *ids,
                                     size_t length, bool after, struct table_row *row,
                                     struct agentx_oid *found)
{
    const uint64_t least = length == 0 ? 0 : (uint64_t)ids[0] + (after && length > 1);
    if (!after && (length != 2 || ids[1] != 0 || least <= NODE_INDEX))
        return false;
    const uint64_t number = least > NODE_INDEX ? least - NODE_INDEX : 0;
    return device_entity_find_port(snapshot, number, after, row, found) && agentx_oid_add(found, 0);
}

static const uint32_t ALIAS_ENTRY[] = {TABLES_MIB_2_IDS, 47, 1, 3, 2, 1};

const struct table DEVICE_ALIASES =
    TABLE("entAliasMappingTable", ALIAS_ENTRY, ALIAS_COLUMNS, device_entity_seek_alias);
