// SPDX-License-Identifier: BSD-2-Clause
// The fabric as one device: SNMPv2-MIB, its system group.
#include "tables/fabric_device.h"

#include "base/text.h"
#include "mib_root.h"
#include "tables/device.h"
#include "tables/tables.h"

enum { FABRIC_DEVICE_IDS = 3, FABRIC_DEVICE = 4 }; // ibtrapdDevices, ibtrapdDeviceFabric
enum { SERVICES_LAYER_2 = 2 };

bool fabric_device_has(struct look *look)
{
    return look->fabric != NULL;
}

bool fabric_device_find(struct look *look, uint64_t least)
{
    if (!look->fabric || least > INT32_MAX)
        return false;
    look->at = interface_list_find(snapshot_interfaces_of(look->snapshot), look->fabric,
                                   (uint32_t)least, &look->node, &look->port);
    return look->at > 0;
}

bool fabric_device_seek_port(struct look *look)
{
    const uint64_t least = look->length == 0 ? 0 : (uint64_t)look->ids[0] + look->after;
    if ((!look->after && look->length != 1) || !fabric_device_find(look, least) ||
        (!look->after && look->at != look->ids[0]))
        return false;
    return agentx_oid_add(&look->found, (uint32_t)look->at);
}

// Counts the nodes of a type.
static unsigned fabric_device_count(const struct fabric *fabric, uint8_t type)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < fabric->node_count; i++)
        n += fabric->nodes[i].type == type;
    return n;
}

bool fabric_device_descr(struct look *look, struct agentx_value *out)
{
    char text[512];
    const struct fabric *fabric = look->fabric;
    struct text t = text_in(text, sizeof text);
    text_addf(&t,
              "InfiniBand fabric %s, subnet prefix 0x%016llx, %u switches, %u hosts, %u routers",
              look->snapshot->source->fabric_name, (unsigned long long)fabric->subnet_prefix,
              fabric_device_count(fabric, FABRIC_SWITCH), fabric_device_count(fabric, FABRIC_CA),
              fabric_device_count(fabric, FABRIC_ROUTER));
    return device_put_text(out, text);
}

bool fabric_device_name(struct look *look, struct agentx_value *out)
{
    char text[512];
    struct text t = text_in(text, sizeof text);
    text_addf(&t, "fabric@%s", look->snapshot->source->gateway_name);
    return device_put_text(out, text);
}

static bool fabric_device_kind(struct look *look, struct agentx_value *out)
{
    static const uint32_t OID[] = {MIB_ROOT_IDS, FABRIC_DEVICE_IDS, FABRIC_DEVICE};
    (void)look;
    return put_oid(out, OID, sizeof OID / sizeof *OID);
}

GETTER(fabric_device_up_time, put_time_stamp(out, look, look->snapshot->now))

static const struct table_column FABRIC_SYSTEM_COLUMNS[] = {
    {"sysDescr", 1, AGENTX_OCTETS, .get = fabric_device_descr},
    {"sysObjectID", 2, AGENTX_OID, .get = fabric_device_kind},
    {"sysUpTime", 3, AGENTX_TIME_TICKS, .get = fabric_device_up_time},
    {"sysContact", 4, AGENTX_OCTETS, .get = field_empty},
    {"sysName", 5, AGENTX_OCTETS, .get = fabric_device_name},
    {"sysLocation", 6, AGENTX_OCTETS, .get = field_empty},
    {"sysServices", 7, AGENTX_INTEGER, FIELD_CONSTANT(SERVICES_LAYER_2)},
};

const struct table FABRIC_SYSTEM = {"system", TABLE_OID(TABLES_MIB_2_IDS, 1),
                                    TABLE_COLUMNS(FABRIC_SYSTEM_COLUMNS), .seek = table_seek_scalar,
                                    .has = fabric_device_has};
