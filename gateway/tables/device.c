// SPDX-License-Identifier: BSD-2-Clause
// A device: SNMPv2-MIB, the system group of a device that has no SNMP agent itself; ENTITY-MIB (RFC
// 4133), a node, the ports in the node, and the interfaces of the ports in the IF-MIB. The node has
// entPhysicalIndex 1, a port its own number plus 1.
#include "tables/device.h"

#include "base/text.h"
#include "mib_root.h"
#include "tables/tables.h"

enum { DEVICES = 3 }; // ibtrapdDevices of the IBTRAPD-MIB, below its root
enum { DISPLAY_STRING_MAX = 255, NAME_MAX = 64 };
enum { SERVICES_LAYER_2 = 2 };               // RFC 3418: 2 to the power of the layer less 1
enum { NODE_INDEX = 1, NO_POSITION = -1 };   // entPhysicalIndex; entPhysicalParentRelPos
enum { CHASSIS = 3, MODULE = 9, PORT = 10 }; // entPhysicalClass
enum { UNKNOWN_DATE_SIZE = 8 };              // entPhysicalMfgDate

// Rows.

bool device_enter(struct look *look)
{
    look->port = look->fabric ? look->device : FABRIC_NONE;
    if (look->port == FABRIC_NONE)
        return false;
    look->node = fabric_node_of_port(look->fabric, look->port);
    return true;
}

bool device_enter_switch(struct look *look)
{
    return device_enter(look) && look_node(look)->type == FABRIC_SWITCH;
}

// Whether the first port of the node is port 0, whose row is the last.
static bool device_has_port_0(const struct look *look)
{
    const struct fabric_node *node = look_node(look);
    return node->type == FABRIC_SWITCH && node->ports > 0 &&
           look->fabric->ports[node->first_port].number == 0;
}

size_t device_count_ports(struct look *look)
{
    if (!device_enter(look))
        return 0;
    return look_node(look)->type == FABRIC_SWITCH ? look_node(look)->ports : 1;
}

size_t device_count_data_ports(struct look *look)
{
    const size_t count = device_count_ports(look);
    return count - (count > 0 && device_has_port_0(look));
}

size_t device_count_end_port(struct look *look)
{
    return device_enter(look);
}

void device_enter_end_port(struct look *look)
{
    device_enter(look);
    look->number = look_port(look)->number == 0 ? DEVICE_PORT_0 : look_port(look)->number;
    agentx_oid_add(&look->found, look->number);
}

// Fills `node`, `port` and `number` of the device's port at that place.
static void device_take_port(struct look *look, size_t at)
{
    device_enter(look);
    const struct fabric_node *node = look_node(look);
    if (node->type == FABRIC_SWITCH)
        look->port = (uint32_t)(node->first_port + (at + device_has_port_0(look)) % node->ports);
    look->number = look_port(look)->number == 0 ? DEVICE_PORT_0 : look_port(look)->number;
}

void device_enter_port(struct look *look)
{
    device_take_port(look, look->at);
    agentx_oid_add(&look->found, look->number);
}

bool device_seek_box(struct look *look)
{
    return device_enter(look) && table_seek_box(look, look->ids, look->length);
}

// Values.

const char *device_name(const struct look *look, const struct fabric_node *node)
{
    const char *known = names_find(look->snapshot->names, node->guid);
    return known ? known : node->description;
}

bool device_put_text(struct agentx_value *out, const char *text)
{
    char ascii[DISPLAY_STRING_MAX + 1];
    text_ascii(text, ascii, sizeof ascii);
    return put_text(out, ascii, DISPLAY_STRING_MAX);
}

static const char *device_word(const struct fabric_node *node)
{
    return node->type == FABRIC_SWITCH ? "switch" : node->type == FABRIC_ROUTER ? "router" : "host";
}

bool device_put_description(struct agentx_value *out, const struct fabric_node *node)
{
    char text[512];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "InfiniBand %s, %u port%s, vendor 0x%06x, device 0x%04x, revision 0x%x, GUID ",
              device_word(node), (unsigned)node->port_count, node->port_count == 1 ? "" : "s",
              (unsigned)node->vendor, (unsigned)node->device, (unsigned)node->revision);
    text_addf(&t, "0x%016llx: %s", (unsigned long long)node->guid, node->description);
    return device_put_text(out, text);
}

// What type of device the node is, an OID of the IBTRAPD-MIB.
static bool device_put_kind(struct agentx_value *out, const struct fabric_node *node)
{
    const uint32_t ids[] = {MIB_ROOT_IDS, DEVICES, node->type};
    return put_oid(out, ids, sizeof ids / sizeof *ids);
}

bool device_put_port_name(struct agentx_value *out, const struct look *look, uint32_t node,
                          uint8_t port)
{
    char text[DISPLAY_STRING_MAX + 1];
    struct text t = text_in(text, sizeof text);
    if (look->of_fabric) {
        char ascii[FABRIC_DESCRIPTION_SIZE];
        text_ascii(device_name(look, &look->fabric->nodes[node]), ascii, sizeof ascii);
        text_addf(&t, "%s/", ascii);
    }
    text_addf(&t, "%u", (unsigned)port);
    return put_text(out, text, DISPLAY_STRING_MAX);
}

bool device_port_name(struct look *look, struct agentx_value *out)
{
    return device_put_port_name(out, look, look->node, look_port(look)->number);
}

// The system group.

GETTER(device_descr, device_put_description(out, look_node(look)))
GETTER(device_kind, device_put_kind(out, look_node(look)))
GETTER(device_up_time, put_time_stamp(out, look, look->snapshot->now))
GETTER(device_sys_name, device_put_text(out, device_name(look, look_node(look))))

static const struct table_column DEVICE_SYSTEM_COLUMNS[] = {
    {"sysDescr", 1, AGENTX_OCTETS, .get = device_descr},
    {"sysObjectID", 2, AGENTX_OID, .get = device_kind},
    {"sysUpTime", 3, AGENTX_TIME_TICKS, .get = device_up_time},
    {"sysContact", 4, AGENTX_OCTETS, .get = field_empty},
    {"sysName", 5, AGENTX_OCTETS, .get = device_sys_name},
    {"sysLocation", 6, AGENTX_OCTETS, .get = field_empty},
    {"sysServices", 7, AGENTX_INTEGER, FIELD_CONSTANT(SERVICES_LAYER_2)},
};

const struct table DEVICE_SYSTEM = {"system", TABLE_OID(TABLES_MIB_2_IDS, 1),
                                    TABLE_COLUMNS(DEVICE_SYSTEM_COLUMNS), .seek = table_seek_scalar,
                                    .has = device_enter};

// entPhysicalTable: row 0 is the node, whose `number` is 0; its ports follow.

static size_t device_count_entities(struct look *look)
{
    return device_enter(look) ? 1 + device_count_data_ports(look) : 0;
}

static void device_enter_entity(struct look *look)
{
    if (look->at > 0)
        device_take_port(look, look->at - 1);
    else
        look->number = 0;
    agentx_oid_add(&look->found, look->number + NODE_INDEX);
}

static bool device_put_hex(struct agentx_value *out, int digits, uint32_t number)
{
    char text[NAME_MAX];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "0x%0*x", digits, (unsigned)number);
    return put_text(out, text, sizeof text);
}

static bool device_put_port(struct agentx_value *out, const char *before, unsigned number)
{
    char text[NAME_MAX];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "%s%u", before, number);
    return put_text(out, text, sizeof text);
}

// The OID of something unknown is 0.0.
static bool device_put_no_type(struct agentx_value *out)
{
    static const uint32_t NONE[2];
    return put_oid(out, NONE, 2);
}

// Empty: the node does not tell.
static bool device_put_firmware(struct look *look, struct agentx_value *out)
{
    char version[BOARD_FIRMWARE_SIZE];
    return look_firmware(look, version) ? device_put_text(out, version) : field_empty(look, out);
}

// What the board of the node says; false: it does not tell.
static bool device_put_board(struct look *look, enum board_text which, struct agentx_value *out)
{
    char text[BOARD_TEXT_SIZE];
    const uint8_t *octets = look_device_register(look, REGISTER_BOARD);
    return octets && board_text(octets, which, text)[0] != '\0' && device_put_text(out, text);
}

#define ENTITY(name, of_node, of_port)                                                             \
    static bool device_entity_##name(struct look *look, struct agentx_value *out)                  \
    {                                                                                              \
        const struct fabric_node *node = look_node(look);                                          \
        (void)node;                                                                                \
        return look->number == 0 ? (of_node) : (of_port);                                          \
    }

ENTITY(descr, device_put_description(out, node),
       device_put_port(out, "InfiniBand port ", look->number))
ENTITY(type, device_put_kind(out, node), device_put_no_type(out))
ENTITY(contained, put_number(out, 0), put_number(out, NODE_INDEX))
ENTITY(kind, put_number(out, node->type == FABRIC_CA ? MODULE : CHASSIS), put_number(out, PORT))
ENTITY(position, put_number(out, NO_POSITION), put_number(out, look->number))
ENTITY(title, device_put_text(out, device_name(look, node)), device_put_port(out, "", look->number))
ENTITY(hardware, device_put_hex(out, 1, node->revision), field_empty(look, out))
ENTITY(maker, device_put_hex(out, 6, node->vendor), field_empty(look, out))
ENTITY(model, device_put_board(look, BOARD_PART, out) || device_put_hex(out, 4, node->device),
       field_empty(look, out))
ENTITY(serial, device_put_board(look, BOARD_SERIAL, out) || field_empty(look, out),
       field_empty(look, out))
ENTITY(firmware, device_put_firmware(look, out), field_empty(look, out))
ENTITY(replaceable, put_truth(out, true), put_truth(out, false))

static const struct table_column DEVICE_ENTITIES_COLUMNS[] = {
    {"entPhysicalDescr", 2, AGENTX_OCTETS, .get = device_entity_descr},
    {"entPhysicalVendorType", 3, AGENTX_OID, .get = device_entity_type},
    {"entPhysicalContainedIn", 4, AGENTX_INTEGER, .get = device_entity_contained},
    {"entPhysicalClass", 5, AGENTX_INTEGER, .get = device_entity_kind},
    {"entPhysicalParentRelPos", 6, AGENTX_INTEGER, .get = device_entity_position},
    {"entPhysicalName", 7, AGENTX_OCTETS, .get = device_entity_title},
    {"entPhysicalHardwareRev", 8, AGENTX_OCTETS, .get = device_entity_hardware},
    {"entPhysicalFirmwareRev", 9, AGENTX_OCTETS, .get = device_entity_firmware},
    {"entPhysicalSoftwareRev", 10, AGENTX_OCTETS, .get = field_empty},
    {"entPhysicalSerialNum", 11, AGENTX_OCTETS, .get = device_entity_serial},
    {"entPhysicalMfgName", 12, AGENTX_OCTETS, .get = device_entity_maker},
    {"entPhysicalModelName", 13, AGENTX_OCTETS, .get = device_entity_model},
    {"entPhysicalAlias", 14, AGENTX_OCTETS, .get = field_empty},
    {"entPhysicalAssetID", 15, AGENTX_OCTETS, .get = field_empty},
    {"entPhysicalIsFRU", 16, AGENTX_INTEGER, .get = device_entity_replaceable},
    {"entPhysicalMfgDate", 17, AGENTX_OCTETS, .get = field_zeros,
     .field = {.field = UNKNOWN_DATE_SIZE}},
    {"entPhysicalUris", 18, AGENTX_OCTETS, .get = field_empty},
};

const struct table DEVICE_ENTITIES = {"entPhysicalTable",
                                      TABLE_OID(TABLES_MIB_2_IDS, 47, 1, 1, 1, 1),
                                      TABLE_COLUMNS(DEVICE_ENTITIES_COLUMNS),
                                      TABLE_SORTED(device_count_entities, device_enter_entity)};

// entAliasMappingTable, whose index is entPhysicalIndex and 0.

static void device_enter_alias(struct look *look)
{
    device_take_port(look, look->at);
    agentx_oid_add(&look->found, look->number + NODE_INDEX);
    agentx_oid_add(&look->found, 0);
}

static bool device_alias(struct look *look, struct agentx_value *out)
{
    const uint32_t if_index[] = {TABLES_MIB_2_IDS, 2, 2, 1, 1, look->number};
    return put_oid(out, if_index, sizeof if_index / sizeof *if_index);
}

static const struct table_column DEVICE_ALIASES_COLUMNS[] = {
    {"entAliasMappingIdentifier", 2, AGENTX_OID, .get = device_alias},
};

const struct table DEVICE_ALIASES = {"entAliasMappingTable",
                                     TABLE_OID(TABLES_MIB_2_IDS, 47, 1, 3, 2, 1),
                                     TABLE_COLUMNS(DEVICE_ALIASES_COLUMNS),
                                     TABLE_SORTED(device_count_data_ports, device_enter_alias)};
