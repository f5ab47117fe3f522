# SPDX-License-Identifier: BSD-2-Clause
"""The expected notifications, written from the MIB documents and independent of the gateway."""

import datetime

from lab.ber import Varbind
from lab.own_mib import OWN, SYSLOG_ELEMENT

SMA_NOTIFICATIONS = "1.3.6.1.3.117.3.2.0"
SMA = "1.3.6.1.3.117.3.1.1"
SWITCH = "1.3.6.1.3.2.2.1"

SEVERITY = {"error": 3, "warning": 4, "notice": 5, "informational": 6}
CATEGORY = {name: number for number, name in enumerate(
    "fabric link port node security multicast sm io counter gateway vendor".split(), start=1)}


def sma(number):
    return f"{SMA_NOTIFICATIONS}.{number}"


def own(number):
    return f"{OWN}.0.{number}"


def unsigned(column, value):
    return Varbind(f"{SMA}.{column}.0", "Gauge32", value)


def octets(column, value):
    return Varbind(f"{SMA}.{column}.0", "OCTET STRING", bytes(value))


def lid(value):
    return unsigned(14, value)


def port_number(value):
    return unsigned(15, value)


def method(value):
    return unsigned(16, value)


def attribute_id(value):
    return unsigned(17, value)


def attribute_modifier(value):
    return unsigned(18, value)


def key(value):
    return octets(19, value.to_bytes(8, "big"))


def lid2(value):
    return unsigned(20, value)


def service_level(value):
    return unsigned(21, value)


def queue_pair1(value):
    return unsigned(22, value)


def queue_pair2(value):
    return unsigned(23, value)


def gid1(value):
    return octets(24, value)


def gid2(value):
    return octets(25, value)


def capability_mask(value):
    return octets(26, value.to_bytes(4, "big"))


def switch_lid(value):
    return unsigned(27, value)


def data_valid(bits):
    """bits: numbered as in DataValid on the wire; a BITS value numbers them from the other end."""
    return octets(28, [sum(0x80 >> bit for bit in bits)])


def system_image_guid(value):
    return octets(6, value.to_bytes(8, "big"))


def own_unsigned(number, value):
    return Varbind(f"{OWN}.1.1.{number}.0", "Gauge32", value)


def own_lid(value):
    return own_unsigned(13, value)


def raw_notice(value):
    return Varbind(f"{OWN}.1.1.18.0", "OCTET STRING", bytes(value))


def trap_number(value):
    return own_unsigned(21, value)


def vendor_id(value):
    return own_unsigned(22, value)


def switch_id(guid):
    return guid.to_bytes(8, "big") + bytes(7) + b"\x02"


def _sub_identifiers(value):
    return ".".join(map(str, value))


def switch_port_trap(guid, port, reason):
    """gswIBPortTrap with its varbinds."""
    instance = f"{_sub_identifiers(switch_id(guid))}.{port}"
    column = f"{SWITCH}.10.5.1"
    return f"{SWITCH}.0.5", (
        Varbind(f"{column}.1.{instance}", "OCTET STRING", switch_id(guid)),
        Varbind(f"{column}.2.{instance}", "INTEGER", port),
        Varbind(f"{column}.38.{instance}", "INTEGER", reason),
    )


def switch_trap(guid, reason):
    """gswIBSwitchTrap with its varbinds."""
    instance = _sub_identifiers(switch_id(guid))
    column = f"{SWITCH}.2.25.1"
    return f"{SWITCH}.0.8", (
        Varbind(f"{column}.1.{instance}", "OCTET STRING", switch_id(guid)),
        Varbind(f"{column}.8.{instance}", "INTEGER", reason),
    )


COMMON = (1, 2, 3, 4, 5, 8, 17)


def check_common(varbinds, event, severity, category, message):
    """Compares the seven varbinds that begin every IBTRAPD-MIB notification with the syslog message."""
    assert [one.oid for one in varbinds] == [f"{OWN}.1.1.{number}.0" for number in COMMON]
    assert [one.type for one in varbinds] == ["OCTET STRING"] * 3 + ["INTEGER"] * 2 + ["OCTET STRING"] * 2
    identifier, name, when, level, kind, prefix, text = (one.value for one in varbinds)
    assert name.decode() == event
    assert identifier.decode() == message.data["id"]
    assert date_and_time(when) == datetime.datetime.fromisoformat(message.time).replace(
        microsecond=date_and_time(when).microsecond)
    assert level == SEVERITY[severity]
    assert kind == CATEGORY[category]
    assert prefix == int(message.data["subnetPrefix"], 0).to_bytes(8, "big")
    assert text.decode() == message.text


def date_and_time(value):
    """DateAndTime of 11 octets, in UTC."""
    assert len(value) == 11 and value[8:] == b"+\0\0"
    year = int.from_bytes(value[:2], "big")
    return datetime.datetime(year, *value[2:7], value[7] * 100000, tzinfo=datetime.timezone.utc)


def check_message(message, event, severity, category, trap=None):
    """Checks the parts that every syslog message of an event has."""
    assert message.message_id == message.data["event"] == event
    assert message.severity == message.data["severity"] == severity
    assert message.application == "ibtrapd"
    assert message.data_id == SYSLOG_ELEMENT
    assert message.data["category"] == category
    assert message.data["subnetPrefix"] == "0xfe80000000000000"
    assert message.text and message.text.isprintable()
    assert datetime.datetime.fromisoformat(message.time).tzinfo
    if trap is not None:
        assert message.data["trap"] == str(trap)
