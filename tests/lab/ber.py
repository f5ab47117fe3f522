# SPDX-License-Identifier: BSD-2-Clause
"""A decoder for SNMPv2c notifications, strict enough to verify an encoder."""

from dataclasses import dataclass

TYPES = {
    0x02: "INTEGER",
    0x04: "OCTET STRING",
    0x05: "NULL",
    0x06: "OBJECT IDENTIFIER",
    0x40: "IpAddress",
    0x41: "Counter32",
    0x42: "Gauge32",
    0x43: "TimeTicks",
    0x46: "Counter64",
}
SEQUENCE = 0x30
TRAP_V1 = 0xA4
TRAP_V2 = 0xA7
INFORM = 0xA6
UNSIGNED = {"Counter32", "Gauge32", "TimeTicks", "Counter64"}

SYS_UP_TIME = "1.3.6.1.2.1.1.3.0"
SNMP_TRAP_OID = "1.3.6.1.6.3.1.1.4.1.0"


class BerError(ValueError):
    """The octets are not a valid SNMP message of the expected kind."""


@dataclass(frozen=True)
class Varbind:
    oid: str
    type: str
    value: object


@dataclass(frozen=True)
class Notification:
    community: str
    uptime: int
    oid: str
    varbinds: tuple


@dataclass(frozen=True)
class TrapV1:
    community: str
    enterprise: str
    agent: str
    generic: int
    specific: int
    uptime: int
    varbinds: tuple


class Reader:
    """Reads one tag-length-value after the other from octets."""

    def __init__(self, octets):
        self.octets = octets

    def take(self, expected=None):
        tag, rest = self._octet(self.octets)
        length, rest = self._length(rest)
        if expected is not None and tag != expected:
            raise BerError(f"tag 0x{tag:02x} where 0x{expected:02x} should be")
        if length > len(rest):
            raise BerError(f"length {length}, but {len(rest)} octets left")
        self.octets = rest[length:]
        return tag, rest[:length]

    def integer(self):
        return integer(self.take(0x02)[1])

    def end(self):
        if self.octets:
            raise BerError(f"{len(self.octets)} octets too many")

    @staticmethod
    def _octet(octets):
        if not octets:
            raise BerError("message ends early")
        return octets[0], octets[1:]

    def _length(self, octets):
        first, octets = self._octet(octets)
        if first < 0x80:
            return first, octets
        size = first & 0x7F
        if size == 0 or size > len(octets):
            raise BerError("bad length")
        return int.from_bytes(octets[:size], "big"), octets[size:]


def integer(content):
    if not content:
        raise BerError("integer without octets")
    return int.from_bytes(content, "big", signed=True)


def object_identifier(content):
    if not content or content[-1] & 0x80:
        raise BerError("bad object identifier")
    numbers, number = [], 0
    for octet in content:
        number = number << 7 | octet & 0x7F
        if not octet & 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def varbind(octets):
    reader = Reader(octets)
    oid = object_identifier(reader.take(0x06)[1])
    tag, content = reader.take()
    reader.end()
    name = TYPES.get(tag)
    if name is None:
        raise BerError(f"unknown type 0x{tag:02x} of {oid}")
    return Varbind(oid, name, _value(name, content))


def _value(name, content):
    if name == "INTEGER":
        return integer(content)
    if name in UNSIGNED:
        number = integer(content)
        if number < 0:
            raise BerError(f"negative {name}")
        return number
    if name == "OBJECT IDENTIFIER":
        return object_identifier(content)
    return bytes(content)


def _varbinds(bindings):
    varbinds = []
    while bindings.octets:
        varbinds.append(varbind(bindings.take(SEQUENCE)[1]))
    return tuple(varbinds)


def trap_v1(datagram):
    """Decodes an SNMPv1 trap."""
    message = Reader(Reader(datagram).take(SEQUENCE)[1])
    if message.integer() != 0:
        raise BerError("not SNMPv1")
    community = message.take(0x04)[1].decode()
    pdu = Reader(message.take(TRAP_V1)[1])
    message.end()
    enterprise = object_identifier(pdu.take(0x06)[1])
    agent = ".".join(map(str, pdu.take(0x40)[1]))
    generic, specific = pdu.integer(), pdu.integer()
    uptime = integer(pdu.take(0x43)[1])
    bindings = Reader(pdu.take(SEQUENCE)[1])
    pdu.end()
    return TrapV1(community, enterprise, agent, generic, specific, uptime, _varbinds(bindings))


def notification(datagram):
    """Decodes an SNMPv2c trap or inform."""
    message = Reader(Reader(datagram).take(SEQUENCE)[1])
    if message.integer() != 1:
        raise BerError("not SNMPv2c")
    community = message.take(0x04)[1].decode()
    tag, content = message.take()
    message.end()
    if tag not in (TRAP_V2, INFORM):
        raise BerError(f"PDU 0x{tag:02x} is no notification")
    pdu = Reader(content)
    _request_id, status, index = pdu.integer(), pdu.integer(), pdu.integer()
    if (status, index) != (0, 0):
        raise BerError("error status in a notification")
    bindings = Reader(pdu.take(SEQUENCE)[1])
    pdu.end()
    return _notification(community, _varbinds(bindings))


def _notification(community, varbinds):
    header = [(one.oid, one.type) for one in varbinds[:2]]
    if header != [(SYS_UP_TIME, "TimeTicks"), (SNMP_TRAP_OID, "OBJECT IDENTIFIER")]:
        raise BerError(f"a notification begins with sysUpTime.0 and snmpTrapOID.0, not {header}")
    return Notification(community, varbinds[0].value, varbinds[1].value, tuple(varbinds[2:]))
