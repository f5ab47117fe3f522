// SPDX-License-Identifier: BSD-2-Clause
// A device: SNMPv2-MIB, the system group of a device that has no SNMP agent itself.
#include "tables/device.h"

#include "base/text.h"
#include "mib_root.h"
#include "tables/tables.h"

enum { DEVICES = 3 }; // ibtrapdDevices of the IBTRAPD-MIB, below its root
enum { DISPLAY_STRING_MAX = 255 };
enum { SERVICES_LAYER_2 = 2 }; // RFC 3418: 2 to the power of the layer less 1

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

void device_take_port(struct look *look, size_t at)
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

bool device_put_kind(struct agentx_value *out, const struct fabric_node *node)
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
