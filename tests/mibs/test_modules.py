# SPDX-License-Identifier: BSD-2-Clause
"""Checks the MIB modules in mibs/ against the documents they restate.

objects.tsv lists every identifier of those documents.
"""

import csv
import functools
import re

import pytest

from modules import HERE, MIBS, MODULES, base, module, run, xml_type

# Module names in objects.tsv that the project ships under another name.
RENAMED = {'PMA-MIB': 'IB-PMA-MIB'}

# Modules that no document contains: IB-TC-MIB is checked against TEXTUAL_CONVENTIONS.
OWN = {'IB-TC-MIB', 'IBTRAPD-MIB'}

# objects.tsv has neither access nor indexes for IB-SMA-MIB. In that module, index columns are not-accessible, these
# scalars are accessible-for-notify, and all other objects are read-only.
SMA_INDEX = {
    'ibSmaGuidInfoEntry': 'ibSmaGuidPortIndex, ibSmaGuidIndex',
    'ibSmaPortInfoEntry': 'ibSmaPortIndex',
    'ibSmaPKeyEntry': 'ibSmaPKeyIBAPortIndex, ibSmaPKeyIndex',
    'ibSmaSL2VLMapEntry': 'ibSmaIBAOutPortIndex, ibSmaIBAInPortIndex, ibSmaServiceLevelIndex',
    'ibSmaHiPriVlArbEntry': 'ibSmaHiPriIBAPortIndex, ibSmaHiPriNIndex',
    'ibSmaLowPriVlArbEntry': 'ibSmaLowPriIBAPortIndex, ibSmaLowPriNIndex',
    'ibSmaLinForEntry': 'ibSmaLinDestDLIDIndex',
    'ibSmaRandomForwardingEntry': 'ibSmaRandomForwardingPortIndex',
    'ibSmaMulForEntry': 'ibSmaMulDestDLIDIndex',
    'ibSmaSmInfoEntry': 'ibSmaSmInfoPortIndex',
    'ibSmaVendDiagInfoEntry': 'ibSmaVendDiagPortIndex',
    'ibSmaLedInfoEntry': 'ibSmaLedIndex',
}
SMA_NOTIFY_ONLY = {
    'ibSmaNodeLid', 'ibSmaNodePortNum', 'ibSmaNodeMethod', 'ibSmaNodeAttributeId',
    'ibSmaNodeAttributeModifier', 'ibSmaNodeKey', 'ibSmaNodeLid2', 'ibSmaNodeServiceLevel',
    'ibSmaNodeQueuePair1', 'ibSmaNodeQueuePair2', 'ibSmaNodeGid1', 'ibSmaNodeGid2',
    'ibSmaNodeCapMask', 'ibSmaNodeSwitchLid', 'ibSmaNodeDataValid',
}

INDEX_RANGE = 'an integer index of SMIv2 has a range without negative numbers'
# IBA volume 1, 15.2.5: the number of each rate, in Gb/s.
RATES = 'Enumeration{mbps2500(2),' + ','.join(
    f'gbps{rate}({number})' for number, rate in
    enumerate((10, 30, 5, 20, 40, 60, 80, 120, 14, 56, 112, 168, 25, 100, 200, 300, 28, 50, 400, 600, 800, 1200), 3)) + '}'
# (module, name): (field, value in the module, reason)
DEVIATIONS = {
    ('IBSWITCH-MIB', 'gswTopoComNbSwitchId'):
        ('syntax', 'GswGlobalId', 'its description says that it represents gswSwitchGlobalId'),
    ('IBSWITCH-MIB', 'gswIBPortXmitDiscards'):
        ('syntax', 'GswCounter64', 'the row type says so, as for the counters around it'),
    ('IBSWITCH-MIB', 'gswEventIndex'):
        ('syntax', 'Integer32(1..2147483647)', 'the text above the table says so'),
    ('IBSWITCH-MIB', 'gswPortComNum'): ('syntax', 'Integer32(0..2147483647)', INDEX_RANGE),
    ('IBSWITCH-MIB', 'gswSensorIndex'): ('syntax', 'Integer32(0..2147483647)', INDEX_RANGE),
    ('IBSWITCH-MIB', 'gswTopoComPortIndex'): ('syntax', 'Integer32(0..2147483647)', INDEX_RANGE),
    ('IBSWITCH-MIB', 'gswIBPortIndex'): ('syntax', 'Integer32(0..2147483647)', INDEX_RANGE),
    ('IBSWITCH-MIB', 'gswIBPortPerfIndex'): ('syntax', 'Integer32(0..2147483647)', INDEX_RANGE),
    ('IB-SM-MIB', 'ibSmPortInfoLID'): ('syntax', 'Integer32(0..65535)', 'PortInfo has 0 where there is none'),
    ('IB-SM-MIB', 'ibSmMcastGroupRate'): ('syntax', RATES, 'later rates have later numbers'),
    ('IB-SM-MIB', 'ibSmVLArbitrationEntry'):
        ('index', 'ibSmVLArbitrationSubnetPrefix, ibSmVLArbitrationNodeGUID, ibSmVLArbitrationPortNum, '
                  'ibSmVLArbitrationPriority, ibSmVLArbitrationIndex', 'a port has several entries'),
    ('IB-SM-MIB', 'ibSmPortInfoMasterSmLID'): ('syntax', 'Integer32(0..65535)', 'PortInfo has 0 where there is none'),
    ('IB-SM-MIB', 'ibSmSwSLtoVLMapInPortNum'): ('syntax', 'Integer32(0..255)', 'a switch has a port 0'),
    ('IB-SM-MIB', 'ibSmSwSLtoVLMapOutPortNum'): ('syntax', 'Integer32(0..255)', 'a switch has a port 0'),
    ('IB-SMA-MIB', 'ibSmaGuidPortIndex'): ('syntax', 'IbDataPortAndInvalid', 'port 0 of a switch has a row'),
    ('IB-SMA-MIB', 'ibSmaSmInfoPortIndex'): ('syntax', 'IbDataPortAndInvalid', 'port 0 of a switch has a row'),
    ('IB-SMA-MIB', 'ibSmaLedIndex'): ('syntax', 'IbDataPortAndInvalid', 'port 0 of a switch has a row'),
    ('IB-SMA-MIB', 'ibSmaLinForwEgressPort'): ('syntax', 'Unsigned32(0..255)', 'LIDs of a switch go to its port 0'),
}

# The IB-SM-MIB's indexes of octets: a textual convention of the same size, from which generators learn the size.
SIZED = {
    **{f'ibSm{name}': 'IbGuid' for name in (
        'NodeInfoNodeGUID', 'PortInfoNodeGUID', 'SwitchInfoNodeGUID', 'SMInfoGUID', 'LinkFromNodeGUID',
        'SwSLtoVLMapNodeGUID', 'CaSLtoVLMapNodeGUID', 'VLArbitrationNodeGUID')},
    **{f'ibSm{name}': 'IbGid' for name in ('McastGroupMGID', 'McastMemberMGID', 'ServiceGID')},
    'ibSmPartitionKey': 'IbPKey', 'ibSmServicePKey': 'IbPKey', 'ibSmServiceID': 'IbServiceId',
    'ibSmServiceAssocKey': 'IbServiceKey',
}

# Where an attribute has more values than the draft's range, the range has all of them: the bits of the field, as IBA
# 14.2.5 and 16.1.4 have it.
FIELD_BITS = {
    'IB-SMA-MIB': {
        'ibSmaNodeNumPorts': 8, 'ibSmaSwLinearFdbTableNum': 16, 'ibSmaSwRandomFdbTableNum': 16,
        'ibSmaSwMulticastFdbTableNum': 16, 'ibSmaSwLinearFdbTop': 16, 'ibSmaSwDefaultPort': 8,
        'ibSmaSwDefMcastPriPort': 8, 'ibSmaSwDefMcastNotPriPort': 8, 'ibSmaSwLifeTimeValue': 5,
        'ibSmaPortLid': 16, 'ibSmaPortMasterSmLid': 16, 'ibSmaPortVlArbHighCapacity': 8,
        'ibSmaPortVlArbLowCapacity': 8, 'ibSmaPortHeadOfQueueLife': 5, 'ibSmaHiPriVirtLane': 4,
        'ibSmaLowPriVirtLane': 4,
    },
    'IB-PMA-MIB': {
        'ibPmaVl15Dropped': 16, 'ibPmaPortXmitData': 32, 'ibPmaPortRcvData': 32, 'ibPmaPortXmitPkts': 32,
        'ibPmaPortRcvPkts': 32, 'ibPmaPortInactiveDiscards': 16, 'ibPmaPortNeighborMtuDiscards': 16,
        'ibPmaPortSwLifetimeLimitDiscards': 16, 'ibPmaPortSwHoqLimitDiscards': 16,
        'ibPmaPortFlowCtlXmitFlowPkts': 32, 'ibPmaPortFlowCtlRcvFlowPkts': 32,
        **{f'{counter}{vl}': 16 for counter in ('ibPmaPortVlXmitWait', 'ibPmaPortVlSwCongestion') for vl in range(16)},
    },
}

# Nodes that a module has and its document lacks: single nodes, and conformance arcs, below which there are only nodes,
# groups and compliances.
ADDED_NODES = {('IBSWITCH-MIB', 'gswTraps'): '1.3.6.1.3.2.2.1.0'}
ADDED_ARCS = {'IBSWITCH-MIB': '1.3.6.1.3.2.2.1.100', 'IB-SM-MIB': '1.3.6.1.3.117.7.3'}

BAD_KEY = ['ibSmaNodeKey', 'ibSmaNodeLid', 'ibSmaNodeGid1', 'ibSmaNodeQueuePair1',
           'ibSmaNodeLid2', 'ibSmaNodeGid2', 'ibSmaNodeQueuePair2', 'ibSmaNodeServiceLevel']
NOTIFICATION_OBJECTS = {
    'ibSmaPortLinkStateChange': ['ibSmaNodeLid'],
    'ibSmaLinkIntegrityThresReached': ['ibSmaNodeLid', 'ibSmaNodePortNum'],
    'ibSmaExcessBuffOverrunThres': ['ibSmaNodeLid', 'ibSmaNodePortNum'],
    'ibSmaFlowCntrlUpdateTimerExpire': ['ibSmaNodeLid', 'ibSmaNodePortNum'],
    'ibSmaCapabilityMaskModified': ['ibSmaNodeLid', 'ibSmaNodeCapMask'],
    'ibSmaSysImageGuidModified': ['ibSmaNodeLid', 'ibSmaSystemImageGuid'],
    'ibSmaBadManagementKey': ['ibSmaNodeKey', 'ibSmaNodeLid', 'ibSmaNodeMethod',
                              'ibSmaNodeAttributeId', 'ibSmaNodeAttributeModifier'],
    'ibSmaBadPartitionKey': BAD_KEY,
    'ibSmaBadQueueKey': BAD_KEY,
    # The draft forgot the port number.
    'ibSmaBadPKeyAtSwitchPort':
        BAD_KEY + ['ibSmaNodeSwitchLid', 'ibSmaNodeDataValid', 'ibSmaNodePortNum'],
    'gswTopoComTrap': ['gswTopoComSwitchId', 'gswTopoComNbSwitchId', 'gswTopoComSwitchStatus'],
    'gswIBTopoTrap': ['gswIBTopoSwitchId', 'gswIBTopoChangeReason'],
    'gswIBPortTrap': ['gswIBPortSwitchId', 'gswIBPortIndex', 'gswIBPortChangeReason'],
    'gswIBSwitchTrap': ['gswIBSwSwitchId', 'gswIBSwitchChangeReason'],
    'gswEventTrap': ['gswEventSwitchId', 'gswEventIndex', 'gswEventTimeInfo',
                     'gswEventLevel', 'gswEventRepeatCount', 'gswEventDescr'],
}

# Type and display hint of every textual convention.
TEXTUAL_CONVENTIONS = {
    'IB-TC-MIB': {
        'IbPort': 'Unsigned32(0..254) d',
        'IbPhysPort': 'Unsigned32(1..254) d',
        'IbPhysPortAndInvalid': 'Unsigned32(1..255) d',
        'IbDataPort': 'Unsigned32(1..254) d',
        'IbDataPortAndInvalid': 'Unsigned32(1..255) d',
        'IbVirtualLane': 'Unsigned32(0..15) d',
        'IbDataVirtualLane': 'Unsigned32(0..14) d',
        'IbDlid': 'Unsigned32(0..65535) d',
        'IbUnicastLid': 'Unsigned32(0..49151) d',
        'IbMulticastLid': 'Unsigned32(49152..65535) d',
        'IbGuid': 'OctetString(8) 2x:',
        'IbGid': 'OctetString(16) 2x:',
        'IbPKey': 'OctetString(2) 2x:',
        'IbServiceId': 'OctetString(8) 2x:',
        'IbServiceKey': 'OctetString(16) 2x:',
        'IbSmaPortList': 'OctetString(32) 2x:',
        'IbSmPortList': 'OctetString(32) 2x:',
        'IbIpoibClientIdentifier': 'OctetString(20) 2x:',
        'IbSmSubnetPrefix': 'OctetString(8) 2x:',
        'IbSmState': 'Enumeration{notActive(0),discovering(1),standby(2),master(3)}',
        'IbNodeType': 'Enumeration{unknown(0),channelAdapter(1),switch(2),router(3)}',
        'IbMtu': 'Enumeration{mtu256(1),mtu512(2),mtu1024(3),mtu2048(4),mtu4096(5)}',
        'IbPartitionKey': 'Unsigned32(0..65535) x',
        'IbPartition': 'Unsigned32(0..32767) x',
        'IbTransportTime': 'Unsigned32(0..31) d',
    },
    'IBSWITCH-MIB': {
        'GswType': 'Enumeration{fcSwitch(1),ibSwitch(2),ibRouter(3),ib2fcEdgeRouter(4),'
                   'iSCSIBasedIPSwitch(5),ib2iSCSEdgeRouter(6),fc2iSCSIEdgeRouter(7)}',
        'GswLocalId': 'OctetString(8) 2x:',
        'GswGlobalId': 'OctetString(16) 2x:',
        'GswOlsName': 'OctetString(0..256) 255a',  # the draft: 256, filled up
        'GswFwVersion': 'OctetString(0..24) 24a',
        'GswDate': 'OctetString(0..64) 64a',
        'GswSwitchStatus': 'Enumeration{online(1),offline(2),testing(3),faulty(4),reboot(5),'
                           'fastboot(6)}',
        'GswOnOff': 'Enumeration{on(1),off(2)}',
        'GswSensorTypeDef': 'Enumeration{temperature(1),fan(2),power-supply(3)}',
        'GswSensorStatusDef': 'Enumeration{unknown(1),faulty(2),below-min(3),nominal(4),'
                              'above-max(5),absent(6)}',
        'GswIBNodeType': 'Enumeration{channelAdapter(1),switch(2),router(3)}',
        'GswIBGUID': 'OctetString(8) 2x:',
        'GswIBGID': 'OctetString(8) 2x:',
        'GswIBLID': 'OctetString(2) 2d',
        # The draft lacks 8X and 2X, all speeds but the first, and the last port and physical state.
        'GswIBLinkWidth': 'Enumeration{nop(1),lw1x(2),lw4x(3),lw1x-4x(4),lw8x(5),lw12x(9),lw1x-12x(10),'
                          'lw4x-12x(11),lw1x-4x-12x(12),lw2x(17)}',
        'GswIBLinkSpeed': 'Enumeration{ls2-5gbps(1),ls5gbps(2),ls10gbps(4),ls14gbps(8),ls25gbps(16),'
                          'ls50gbps(32),ls100gbps(64),ls200gbps(128),lsfdr10(256)}',
        'GswIBPortState': 'Enumeration{nop(1),down(2),initialize(3),armed(4),actived(5),activedefer(6)}',
        'GswIBPortPhysState': 'Enumeration{nop(1),sleep(2),polling(3),disabled(4),'
                              'portconftrain(5),linkup(6),linkerrorrec0(7),phytest(8)}',
        'GswIBMTU': 'Enumeration{mtu256(1),mtu512(2),mtu1024(3),mtu2048(4),mtu4096(5)}',
        'GswIBVL': 'Enumeration{vl0(1),vl0vl1(2),vl0vl3(3),vl0vl7(4),vl0vl14(5)}',
        'GswEventSeverity': 'Enumeration{none(0),critical(1),error(2),warning(3),'
                            'informational(4),debug(5)}',
        'GswCounter64': 'OctetString(16) 2x:',
    },
}


def document_syntax(text):
    """A SYNTAX from objects.tsv, in the form of xml_syntax()."""
    text = text.strip()
    if text.startswith('SEQUENCE OF'):
        return ''
    labels = re.findall(r'([\w-]+) ?\((\d+)\)', text)
    if labels and re.match(r'(INTEGER|BITS)\b', text):
        name = 'Bits' if text.startswith('BITS') else 'Enumeration'
        return f'{name}{{{",".join(f"{label}({number})" for label, number in labels)}}}'
    name, restriction = re.fullmatch(r'(OCTET STRING|\w+)(.*)', text).groups()
    bounds = re.findall(r'\d+', restriction)
    name = {'INTEGER': 'Integer32', 'OCTET STRING': 'OctetString', 'STRING': 'OctetString',
            'NetworkAddress': 'IpAddress'}.get(name, name)
    return f'{name}({"..".join(bounds)})' if bounds else name


def document_kind(row):
    kind, syntax = row['kind'], row['syntax']
    if kind == 'OBJECT-TYPE':
        if syntax.startswith('SEQUENCE OF'):
            return 'table'
        if re.fullmatch(r'\w+Entry', syntax):
            return 'row'
        return 'column' if row['in row'] else 'scalar'
    return {'MODULE-IDENTITY': 'node', 'OBJECT IDENTIFIER': 'node',
            'NOTIFICATION-TYPE': 'notification', 'OBJECT-GROUP': 'group',
            'NOTIFICATION-GROUP': 'group', 'MODULE-COMPLIANCE': 'compliance'}.get(kind, kind)


@functools.cache
def documents():
    """{module: {identifier: the document's row about it}}"""
    with open(HERE / 'objects.tsv', encoding='ascii', newline='') as file:
        rows = list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))
    row_oids = {row['oid'] for row in rows if re.fullmatch(r'\w+Entry', row['syntax'])}
    sma_indexes = {name for index in SMA_INDEX.values() for name in index.split(', ')}
    result = {}
    for row in rows:
        row['in row'] = row['oid'].rpartition('.')[0] in row_oids
        name, kind = row['name'], document_kind(row)
        access, index = row['access'], row['index']
        if row['module'] == 'IB-SMA-MIB' and row['kind'] == 'OBJECT-TYPE':
            index = SMA_INDEX.get(name, '')
            access = ('not-accessible' if kind in ('table', 'row') or name in sma_indexes
                      else 'accessible-for-notify' if name in SMA_NOTIFY_ONLY else 'read-only')
        syntax = '' if kind in ('table', 'row') else row['syntax']
        result.setdefault(RENAMED.get(row['module'], row['module']), {})[name] = {
            'kind': kind, 'oid': row['oid'], 'syntax': document_syntax(syntax) if syntax else '',
            'access': access, 'index': index}
    return result


def is_added(name, identifier, mib):
    arc = ADDED_ARCS.get(mib)
    oid, kind = identifier['oid'], identifier['kind']
    if ADDED_NODES.get((mib, name)) == oid:
        return kind == 'node'
    return (arc is not None and (oid + '.').startswith(arc + '.')
            and kind in ('node', 'group', 'compliance'))


def test_every_document_has_its_module():
    assert set(MODULES) >= set(documents()) | OWN


@pytest.mark.parametrize('mib', [m for m in MODULES if m not in OWN])
def test_identifiers_are_those_of_the_document(mib):
    expected = {name: dict(fields) for name, fields in documents()[mib].items()}
    for (deviant, name), (field, value, reason) in DEVIATIONS.items():
        if deviant == mib:
            assert expected[name][field] != value, f'{name}: no deviation: {reason}'
            expected[name][field] = value
    for name, convention in SIZED.items():
        if name in expected:
            assert TEXTUAL_CONVENTIONS['IB-TC-MIB'][convention] == expected[name]['syntax'] + ' 2x:'
            expected[name]['syntax'] = convention
    for name, bits in FIELD_BITS.get(mib, {}).items():
        base, ends = re.fullmatch(r'(\w+)\(0\.\.(\d+)\)', expected[name]['syntax']).groups()
        assert int(ends) < 2**bits - 1, f'{name}: the draft has all values'
        expected[name]['syntax'] = f'{base}(0..{2**bits - 1})' if bits < 32 else 'Unsigned32'
    found = {name: identifier for name, identifier in module(mib).identifiers.items()
             if name in expected or not is_added(name, identifier, mib)}
    differing = [f'{name}: {found.get(name)}, document: {expected.get(name)}'
                 for name in sorted(expected.keys() | found.keys())
                 if found.get(name) != expected.get(name)]
    assert not differing, '\n'.join(differing)


@pytest.mark.parametrize('mib', TEXTUAL_CONVENTIONS)
def test_textual_conventions(mib):
    found = {t.get('name'): f"{xml_type(t)} {t.findtext('format', '')}".strip()
             for t in module(mib).root.find('typedefs')}
    assert found == TEXTUAL_CONVENTIONS[mib]


def test_root_of_the_textual_conventions():
    found = {name: i['oid'] for name, i in module('IB-TC-MIB').identifiers.items()}
    assert found == {'infinibandMIB': '1.3.6.1.3.117', 'ibTcMIB': '1.3.6.1.3.117.1'}


@pytest.mark.parametrize('mib', ['IB-SMA-MIB', 'IBSWITCH-MIB'])
def test_notifications_carry_their_objects_in_order(mib):
    notifications = module(mib).listed('notification', ('object',))
    assert notifications == {name: objects for name, objects in NOTIFICATION_OBJECTS.items()
                             if name in documents()[mib]}


@pytest.mark.parametrize('mib', MODULES)
def test_lint(mib):
    lint = run('smilint', '-c', '/dev/null', '-l', '6', str(MIBS / f'{mib}.txt'))
    said = [f'{mib}: ' + re.sub(r'^\S+:\d+: ', '', line)
            for line in (lint.stdout + lint.stderr).splitlines()]
    allowed = [line for line in (HERE / 'lint-allowed.txt').read_text('ascii').splitlines()
               if line.startswith(f'{mib}: ')]
    assert sorted(said) == sorted(allowed)


@pytest.mark.parametrize('mib', MODULES)
def test_net_snmp_translates_names_both_ways(mib):
    oids = {f'{mib}::{name}': '.' + identifier['oid']
            for name, identifier in module(mib).identifiers.items()
            if identifier['kind'] in ('notification', 'table', 'row', 'scalar', 'column', 'node')}

    def translate(*arguments):
        result = run('snmptranslate', '-M', f'{base()}:{MIBS}', '-m', mib, *arguments)
        assert result.returncode == 0 and not result.stderr, result.stderr
        return result.stdout.split()

    assert translate('-On', *oids) == list(oids.values())
    assert translate(*oids.values()) == list(oids)


@pytest.mark.parametrize('mib', [m for m in MODULES if m != 'IB-TC-MIB'])
def test_conformance_is_complete(mib):
    this = module(mib)
    grouped = [name for members in this.listed('group', ('member',)).values() for name in members]
    accessible = [name for name in this.named('scalar', 'column', 'notification')
                  if this.identifiers[name]['access'] != 'not-accessible']
    assert sorted(set(grouped)) == sorted(accessible)
    required = [name for groups in this.listed('compliance', ('mandatory', 'option')).values()
                for name in groups]
    assert sorted(set(required)) == sorted(this.named('group'))
