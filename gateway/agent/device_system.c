// SPDX-License-Identifier: BSD-2-Clause
// SNMPv2-MIB: the system group of a device that has no SNMP agent itself.
#include "agent/device.h"
#include "agent/put.h"
#include "agent/tables.h"
#include "base/text.h"
#include "mib_root.h"

enum { DEVICES = 3 };          // ibtrapdDevices of the IBTRAPD-MIB, below its root
enum { SERVICES_LAYER_2 = 2 }; // RFC 3418: 2 to the power of the layer less 1
enum { DISPLAY_STRING_MAX = 255 };

static const char *device_system_word(const struct fabric_node *node)
{
    return node->type == FABRIC_SWITCH ? "switch" : node->type == FABRIC_ROUTER ? "router" : "host";
}

static bool device_system_put(struct agentx_value *out, const char *text)
{
    char ascii[DISPLAY_STRING_MAX + 1];
    text_ascii(text, ascii, sizeof ascii);
    return put_text(out, ascii, DISPLAY_STRING_MAX);
}

static bool device_system_descr(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    char text[512];
    const struct fabric_node *node = device_node(snapshot, row);
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "InfiniBand %s, %u port%s, vendor 0x%06x, device 0x%04x, revision 0x%x, GUID ",
              device_system_word(node), (unsigned)node->port_count,
              node->port_count == 1 ? "" : "s", (unsigned)node->vendor, (unsigned)node->device,
              (unsigned)node->revision);
    text_addf(&t, "0x%016llx: %s", (unsigned long long)node->guid, node->description);
    return device_system_put(out, text);
}

static bool device_system_object(const struct agent_snapshot *snapshot, const struct table_row *row,
                                 struct agentx_value *out)
{
    static const uint32_t ROOT[] = {MIB_ROOT_IDS, DEVICES};
    for (size_t i = 0; i < sizeof ROOT / sizeof *ROOT; i++)
        agentx_oid_add(&out->oid, ROOT[i]);
    return agentx_oid_add(&out->oid, device_node(snapshot, row)->type);
}

static bool device_system_up_time(const struct agent_snapshot *snapshot,
                                  const struct table_row *row, struct agentx_value *out)
{
    (void)row;
    return put_time_stamp(out, snapshot, snapshot->now);
}

static bool device_system_empty(const struct agent_snapshot *snapshot, const struct table_row *row,
                                struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_octets(out, "", 0);
}

static bool device_system_name(const struct agent_snapshot *snapshot, const struct table_row *row,
                               struct agentx_value *out)
{
    return device_system_put(out, device_name(snapshot, device_node(snapshot, row)));
}

static bool device_system_services(const struct agent_snapshot *snapshot,
                                   const struct table_row *row, struct agentx_value *out)
{
    (void)snapshot;
    (void)row;
    return put_number(out, SERVICES_LAYER_2);
}

static const struct table_column COLUMNS[] = {
    {"sysDescr", 1, AGENTX_OCTETS, .get = device_system_descr},
    {"sysObjectID", 2, AGENTX_OID, .get = device_system_object},
    {"sysUpTime", 3, AGENTX_TIME_TICKS, .get = device_system_up_time},
    {"sysContact", 4, AGENTX_OCTETS, .get = device_system_empty},
    {"sysName", 5, AGENTX_OCTETS, .get = device_system_name},
    {"sysLocation", 6, AGENTX_OCTETS, .get = device_system_empty},
    {"sysServices", 7, AGENTX_INTEGER, .get = device_system_services},
};

static const uint32_t ENTRY[] = {TABLES_MIB_2_IDS, 1};

const struct table DEVICE_SYSTEM = TABLE("system", ENTRY, COLUMNS, device_seek_scalar);
