# SPDX-License-Identifier: BSD-2-Clause
"""Notices and the MADs that carry them, octet by octet, as IBA volume 1 lays them out (13.4.8.2, 14.2.5.1)."""

import struct
from dataclasses import dataclass, replace

TRAP_METHOD, REPORT_METHOD, REPORT_RESPONSE = 0x05, 0x06, 0x86
GET, SET, DELETE, RESPONSE = 0x01, 0x02, 0x15, 0x80
SMP_CLASS, DIRECT_CLASS, SA_CLASS = 0x01, 0x81, 0x03
NOTICE_ATTRIBUTE, PORT_INFO_ATTRIBUTE, MCMEMBER_ATTRIBUTE = 0x0002, 0x0015, 0x0038

FATAL, URGENT, SECURITY, SUBNET_MANAGEMENT, INFORMATIONAL = range(5)
CA, SWITCH, ROUTER, CLASS_MANAGER = 1, 2, 3, 4

# Fills reserved octets, as a sender does that does not clear its memory.
GARBAGE = 0xA5
MAD_SIZE = 256


@dataclass(frozen=True)
class Notice:
    """One Notice. In a vendor-specific Notice, producer and number are VendorID and DeviceID."""

    number: int
    details: bytes
    type: int = INFORMATIONAL
    producer: int = CA
    issuer_lid: int = 0
    issuer_gid: bytes = bytes(16)
    generic: bool = True
    count: int = 0

    def issued(self, **fields):
        """The same Notice with some of its header fields set."""
        return replace(self, **fields)

    def octets(self):
        first = (0x80 if self.generic else 0) | self.type
        header = struct.pack(">I", first << 24 | self.producer)
        return header + struct.pack(">HHH", self.number, self.issuer_lid, self.count) + self.details + self.issuer_gid


def details(fields, garbage):
    """54 octets of DataDetails: fields maps offsets to octets, the rest is zero or garbage."""
    octets = bytearray([GARBAGE if garbage else 0] * 54)
    for offset, field in fields.items():
        octets[offset : offset + len(field)] = field
    return bytes(octets)


def u8(value):
    return struct.pack(">B", value)


def u16(value):
    return struct.pack(">H", value)


def u32(value):
    return struct.pack(">I", value)


def u64(value):
    return struct.pack(">Q", value)


def _notice(number, fields, garbage, header, **defaults):
    """A Notice with those details; header overrides the defaults that the specification gives."""
    count = 0xA5A5 if garbage else 0
    return Notice(number, details(fields, garbage), **{"count": count, **defaults, **header})


def gid_notice(number, gid, garbage=False, **header):
    """Traps 64 to 67: a GID came into or went out of service, a multicast group was created or deleted."""
    return _notice(number, {6: gid}, garbage, header, type=SUBNET_MANAGEMENT, producer=CLASS_MANAGER)


def path_notice(number, data, garbage=False, **header):
    """Traps 68 and 69: a path was removed or restored. The gateway does not decode their data."""
    return _notice(number, {0: data}, garbage, header, type=SUBNET_MANAGEMENT, producer=CLASS_MANAGER)


def link_state_change(lid, garbage=False, **header):
    return _notice(128, {0: u16(lid)}, garbage, header, type=URGENT, producer=SWITCH)


def port_error(number, lid, port, garbage=False, **header):
    """Traps 129 to 131: link integrity, buffer overrun, flow control."""
    return _notice(number, {2: u16(lid), 4: u8(port)}, garbage, header, type=URGENT)


def capability_change(lid, mask, flags=None, mask2=0, garbage=False, **header):
    """Trap 144. flags: the change flags; None leaves OtherLocalChanges unset."""
    reserved = (GARBAGE & 0xFE) if garbage else 0
    fields = {2: u16(lid), 5: u8(reserved | (flags is not None)), 6: u32(mask)}
    if flags is not None:
        fields |= {10: u16(flags), 12: u16(mask2)}
    return _notice(144, fields, garbage, header)


def system_image_guid_change(lid, guid, garbage=False, **header):
    return _notice(145, {2: u16(lid), 6: u64(guid)}, garbage, header)


def bad_mkey(lid, method, attribute, modifier, mkey, drslid=0, return_path=None, truncated=False, garbage=False,
             **header):
    """Trap 256. return_path: the directed route back, if the offending SMP was directed-route."""
    path = return_path or b""
    hops = (0x80 if return_path is not None else 0) | (0x40 if truncated else 0) | len(path)
    fields = {
        2: u16(lid),
        4: u16(drslid),
        6: u8(method),
        8: u16(attribute),
        10: u32(modifier),
        14: u64(mkey),
        23: u8(hops),
        24: path,
    }
    return _notice(256, fields, garbage, header, type=SECURITY)


def bad_key(number, lid1, lid2, key, sl, qp1, qp2, gid1, gid2, garbage=False, **header):
    """Traps 257 (bad P_Key) and 258 (bad Q_Key)."""
    reserved = GARBAGE if garbage else 0
    fields = {
        2: u16(lid1),
        4: u16(lid2),
        6: u32(key),
        10: u32(sl << 28 | (reserved & 0x0F) << 24 | qp1),
        14: u32(reserved << 24 | qp2),
        18: gid1,
        34: gid2,
    }
    return _notice(number, fields, garbage, header, type=SECURITY)


def bad_pkey_at_switch(valid, lid1, lid2, pkey, sl, qp1, qp2, gid1, gid2, switch_lid, port, garbage=False, **header):
    """Trap 259. valid: DataValid as on the wire, bit 0 the least significant."""
    reserved = GARBAGE if garbage else 0
    fields = {
        0: u16(reserved << 8 | valid),
        2: u16(lid1),
        4: u16(lid2),
        6: u16(pkey),
        8: u32(sl << 28 | (reserved & 0x0F) << 24 | qp1),
        12: u32(reserved << 24 | qp2),
        16: gid1,
        32: gid2,
        48: u16(switch_lid),
        50: u8(port),
    }
    return _notice(259, fields, garbage, header, type=SECURITY, producer=SWITCH)


def vendor_notice(vendor, device, data, **header):
    """A vendor-specific trap."""
    return Notice(device, details({0: data}, False), producer=vendor, generic=False, **header)


def _mad(management_class, version, method, attribute, tid, status=0):
    header = struct.pack(">BBBBHHQHHI", 1, management_class, version, method, status, 0, tid, attribute, 0, 0)
    return bytearray(header.ljust(MAD_SIZE, b"\0"))


def trap_mad(notice, tid):
    """A Trap to the subnet manager: the first 64 octets of the Notice, in a LID-routed SMP."""
    mad = _mad(SMP_CLASS, 1, TRAP_METHOD, NOTICE_ATTRIBUTE, tid)
    mad[64:128] = notice.octets()[:64]
    return bytes(mad)


def report_mad(notice, tid, attribute=NOTICE_ATTRIBUTE, version=2, status=0):
    """A Report of the subnet manager to a subscriber."""
    mad = _mad(SA_CLASS, version, REPORT_METHOD, attribute, tid, status)
    mad[56:136] = notice.octets()
    return bytes(mad)


def sa_mad(method, attribute, tid, mask, data):
    """A request to the subnet administrator."""
    mad = _mad(SA_CLASS, 2, method, attribute, tid)
    mad[48:56] = u64(mask)
    mad[56 : 56 + len(data)] = data
    return bytes(mad)


def local_port_info_mad(tid):
    """A request for the PortInfo of the sending port: a directed route with no hops."""
    mad = _mad(DIRECT_CLASS, 1, GET, PORT_INFO_ATTRIBUTE, tid)
    mad[32:36] = b"\xff\xff\xff\xff"
    return bytes(mad)


@dataclass(frozen=True)
class PortInfo:
    prefix: bytes
    lid: int
    sm_lid: int
    capabilities: int

    @classmethod
    def of_mad(cls, mad):
        prefix, lid, sm_lid, capabilities = struct.unpack_from(">8sHHI", mad, 64 + 8)
        return cls(prefix, lid, sm_lid, capabilities)


# Component mask of MCMemberRecord, in the order of its fields.
MGID, PORT_GID, Q_KEY, _MLID, _MTU_SELECTOR, _MTU, T_CLASS, P_KEY = (1 << bit for bit in range(8))
SERVICE_LEVEL, FLOW_LABEL, HOP_LIMIT, JOIN_STATE = 1 << 12, 1 << 13, 1 << 14, 1 << 16
CREATE_MASK = MGID | PORT_GID | Q_KEY | T_CLASS | P_KEY | SERVICE_LEVEL | FLOW_LABEL | HOP_LIMIT | JOIN_STATE
LEAVE_MASK = MGID | PORT_GID | JOIN_STATE


def mcmember_record(mgid, port_gid):
    """A full member of a group with parameters that every simulated port supports."""
    record = struct.pack(">16s16sIHBBHBBIB", mgid, port_gid, 0x0B1B, 0, 0x84, 0, 0xFFFF, 0x83, 0x92, 0, 0x01)
    return record.ljust(52, b"\0")


def join_mad(mgid, port_gid, tid):
    return sa_mad(SET, MCMEMBER_ATTRIBUTE, tid, CREATE_MASK, mcmember_record(mgid, port_gid))


def leave_mad(mgid, port_gid, tid):
    return sa_mad(DELETE, MCMEMBER_ATTRIBUTE, tid, LEAVE_MASK, mcmember_record(mgid, port_gid))
