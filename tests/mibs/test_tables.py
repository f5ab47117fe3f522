# SPDX-License-Identifier: BSD-2-Clause
"""Compares the subagent's tables with the MIB modules.

The program `tables` (IBTRAPD_BUILD_DIR) prints the descriptors of all columns, and
all instances of a made-up gateway. mibs/README.md has the reason for each object
that is not answered.
"""

import functools
import json
import re
import subprocess

import pytest

from modules import BUILD, HERE, MIBS, MODULES, module
from syntaxes import allows, bounds, defined, resolve, split_instance

# The objects of these modules can be written, where they say so.
WRITABLE = ['IBSWITCH-MIB', 'IBTRAPD-MIB']

# Only an agent in the switch could carry out a Set of these.
NEVER_WRITABLE = {'gswAdmStatus'}

# Sets of speeds have no labels. Names are not filled up with NULs to the
# draft's 256 octets: managers would show them as hexadecimal digits.
WIDER = {name: 'Integer32(0..127)' for name in
         ('gswIBLinkSpeedSupported', 'gswIBLinkSpeedActive', 'gswIBLinkSpeedEnabled')}
WIDER |= {name: 'OctetString(0..256)' for name in ('gswSwitchName', 'gswSwitchSANName', 'gswSwitchFabricName')}


# The IETF's modules below mib-2, of devices: tests/integration/test_tables_contexts.py compares them with snmpd's own.
OTHERS = '1.3.6.1.2.1.'


def printed():
    output = subprocess.run([BUILD / 'tests' / 'mibs' / 'tables'], capture_output=True, text=True, check=True,
                            timeout=300).stdout
    found = [json.loads(line) for line in output.splitlines()]
    return [one for one in found if not one['oid'].startswith(OTHERS)]


@pytest.fixture(scope='module')
def columns():
    return {one['column']: one for one in printed() if 'column' in one}


@pytest.fixture(scope='module')
def instances():
    return [one for one in printed() if 'instance' in one]


@functools.cache
def readable():
    """{name: identifier} of all objects that a manager can read."""
    return {name: i for mib in MODULES for name, i in module(mib).identifiers.items()
            if i['kind'] in ('scalar', 'column') and i['access'] in ('read-only', 'read-write', 'read-create')}


def above(name):
    """The table of a column, or the group of a scalar."""
    oid = readable()[name]['oid'].rpartition('.')[0]
    if readable()[name]['kind'] == 'column':
        oid = oid.rpartition('.')[0]
    return defined()[oid][0]


def reasons(heading):
    """The names in the first column of the first table after that line of mibs/README.md."""
    text = (HERE.parent.parent / 'mibs' / 'README.md').read_text('utf-8').split(f'{heading}\n', 1)[1]
    rows = re.search(r'(?:^\|.*\n)+', text, re.MULTILINE)[0].splitlines()[2:]
    assert all(len(row.split('|')[2].split()) > 1 for row in rows), 'each has its reason'
    return {name for row in rows for name in re.findall(r'\b(?:gsw|ib|IB)[\w-]+', row.split('|')[1])}


def not_answered():
    """{object: the name in README.md's list that stands for it}: the object, its table or group, or its module."""
    listed = reasons('## What ibtrapd does not answer')
    found = {}
    for mib in MODULES:
        for name in readable().keys() & module(mib).identifiers.keys():
            for one in {name, above(name), mib} & listed:
                found[name] = one
    assert listed == set(found.values()), 'a name of the list stands for no object'
    return found


def wire_type(syntax):
    base = resolve(syntax)[0]
    return {'Enumeration': 'Integer32', 'Bits': 'OctetString', 'Gauge32': 'Unsigned32'}.get(base, base)


def test_every_readable_object_has_a_column_or_its_reason(columns):
    assert len(columns) > 100
    assert set(columns) <= set(readable())
    assert set(not_answered()) == set(readable()) - set(columns)


def test_a_column_with_a_value_has_instances(columns, instances):
    """So that nothing below checks only what happens to be there."""
    seen = {split_instance(one['oid'])[0] for one in instances}
    missing = {name for name, one in columns.items() if one['told']} - seen
    assert not missing


def test_a_column_that_has_never_a_value_has_its_reason(columns):
    never = {name for name, one in columns.items() if not one['told']}
    assert len(never) > 10
    told = reasons('A value that nothing on the fabric reports has no instance. A manager can believe every value:')
    assert {name for name in never if not {name, above(name)} & told} == set()


def test_no_column_is_listed_twice():
    listed = [one['column'] for one in printed() if 'column' in one]
    assert len(listed) == len(set(listed))


def test_columns_have_the_oid_of_their_objects(columns):
    wrong = {name: one['oid'] for name, one in columns.items() if one['oid'] != readable()[name]['oid']}
    assert not wrong


def test_columns_have_the_type_of_their_objects(columns):
    wrong = {name: one['syntax'] for name, one in columns.items()
             if one['syntax'] != wire_type(readable()[name]['syntax'])}
    assert not wrong


def test_what_can_be_written_is_what_the_modules_let_write(columns):
    wanted = {name for mib in WRITABLE for name, i in module(mib).identifiers.items() if i['access'] == 'read-write'}
    assert NEVER_WRITABLE <= wanted
    rows = {name for name, i in readable().items() if i['access'] == 'read-create'} & columns.keys()
    assert {above(name) for name in rows if columns[name]['writable']} == {'ibSmPathReqTable'}
    wanted |= {name for name in rows if above(name) == 'ibSmPathReqTable'}
    assert {name for name, one in columns.items() if one['writable']} == wanted - NEVER_WRITABLE


def test_tables_are_named_as_in_the_modules(columns):
    for name, one in columns.items():
        assert one['table'] == above(name), name


def test_columns_ascend(columns):
    for device in (False, True):
        ids = [[int(i) for i in one['oid'].split('.')] for one in columns.values() if one['device'] == device]
        assert ids == sorted(ids) and len(ids) > 100


def test_values_have_the_syntax_and_range_of_their_objects(instances):
    for one in instances:
        name, identifier, _ = split_instance(one['oid'])
        syntax = WIDER.get(name, identifier['syntax'])
        base = resolve(syntax)[0]
        if base == 'IpAddress':
            assert one['syntax'] == 'IpAddress' and len(one['value']) == 8, name
        elif base in ('Counter64', 'Gauge32', 'TimeTicks'):
            assert one['syntax'] == wire_type(syntax) and one['value'] >= 0, name
        else:
            assert allows(syntax, one), f'{name} ({syntax}): {one}'


def take_index(name, implied, ids):
    """(value, the rest) of an instance's sub-identifiers: a number, or octets in hexadecimal."""
    base, restriction = resolve(next(i['syntax'] for n, i in defined().values() if n == name))
    if base != 'OctetString':
        return ids[0], ids[1:]
    sizes = list(bounds(restriction))
    if len(sizes) == 1 and sizes[0][0] == sizes[0][1]:
        size, start = sizes[0][0], 0
    else:
        size, start = (len(ids), 0) if implied else (ids[0], 1)
    assert len(ids) >= start + size and all(i < 256 for i in ids[start:start + size]), name
    return bytes(ids[start:start + size]).hex(), ids[start + size:]


def indices(row, ids):
    """{index object: its value} that the instance of a row stands for."""
    found = {}
    for index in row['index'].split(', '):
        name = index.removeprefix('IMPLIED ')
        assert ids, f'{name} is missing in the instance'
        found[name], ids = take_index(name, name != index, ids)
    assert not ids, f'{ids} are left of the instance'
    return found


def test_instances_are_what_the_index_clauses_ask_for(instances):
    tables = set()
    for one in instances:
        name, identifier, instance = split_instance(one['oid'])
        if identifier['kind'] == 'scalar':
            assert instance == [0], name
            continue
        row = defined()[identifier['oid'].rpartition('.')[0]]
        tables.add(row[0])
        values = indices(row[1], instance)
        assert values.get(name, one['value']) == one['value'], f"{name}: {one}"
    assert len(tables) > 8


# What snmp_exporter's generator makes of the modules.

EXPORTER_TYPES = {'Counter64': 'counter', 'OctetString': 'OctetString', 'Gauge32': 'gauge', 'Unsigned32': 'gauge',
                  'Enumeration': 'gauge'}


def exporter_index(name):
    base, restriction = resolve(dict(defined().values())[name]['syntax'])  # managers cannot read it
    size = re.fullmatch(r'\((\d+)\)', restriction or '') if base == 'OctetString' else None
    return [f'- labelname: {name}', f'  type: {EXPORTER_TYPES[base]}'] + ([f'  fixed_size: {size[1]}'] if size else [])


def exporter_lookup(name, index):
    kind = EXPORTER_TYPES[resolve(readable()[name]['syntax'])[0]]
    return ['- labels:', *(f'  - {one}' for one in index), f'  labelname: {name}', f'  oid: {readable()[name]["oid"]}',
            f'  type: {"DisplayString" if kind == "OctetString" else kind}']


def exporter_metric(name, index, looked_up):
    """Without its help."""
    base, labels = resolve(readable()[name]['syntax'])
    lines = [f'- name: {name}', f'  oid: {readable()[name]["oid"]}', f'  type: {EXPORTER_TYPES[base]}', '  indexes:']
    lines += ['  ' + line for one in index for line in exporter_index(one)]
    lines += ['  lookups:'] + ['  ' + line for one in looked_up for line in exporter_lookup(one, index)]
    if base == 'Enumeration':
        lines += ['  enum_values:'] + [f'    {number}: {label}' for label, number in re.findall(r'(\w+)\((\d+)\)', labels)]
    return lines


def exporter_help(name):
    """The first sentence of its description."""
    description = re.search(rf'(?m)^{name}\s+OBJECT-TYPE.*?DESCRIPTION\s+"(.*?)"', (MIBS / 'IBTRAPD-MIB.txt').read_text(),
                            re.DOTALL)[1]
    return f'{" ".join(description.split()).split(". ")[0]} - {readable()[name]["oid"]}'


def test_snmp_exporters_module_is_what_the_modules_say():
    """In the generator's layout; tests/managers compares it with what the generator itself makes."""
    def made_for(text):
        return [line for line in text.splitlines() if not line.startswith('#')]

    text = (BUILD / 'config/templates/snmp_exporter.yml').read_text()
    generator = (HERE.parent.parent / 'config/templates/snmp_exporter-generator.yml').read_text()
    ignored = set(re.findall(r'(\w+): \{ignore: true\}', generator))
    [index] = {tuple(one.split(', ')) for one in re.findall(r'source_indexes: \[(.*)\]', generator)}
    looked_up = re.findall(r' lookup: (\w+)', generator)
    columns = [name for name, one in readable().items() if one['kind'] == 'column' and above(name) == 'ibtrapdPortTable'
               and name not in ignored]
    assert index == tuple(defined()[readable()[columns[0]]['oid'].rpartition('.')[0]][1]['index'].split(', '))
    helps = re.findall(r'\n    help: (.*?)(?=\n    \w+:)', text, re.DOTALL)
    unquoted = [re.sub(r"^'(.*)'$", lambda m: m[1].replace("''", "'"), ' '.join(one.split())) for one in helps]
    assert unquoted == [exporter_help(name) for name in columns]
    table = defined()[readable()[columns[0]]['oid'].rpartition('.')[0]][1]['oid'].rpartition('.')[0]
    expected = ['ibtrapd_ports:', '  walk:', f'  - {table}', '  metrics:']
    expected += ['  ' + line for name in columns for line in exporter_metric(name, index, looked_up)]
    expected += [f'  {name}: {value}' for name, value in re.findall(r'(?m)^    (max_repetitions|timeout): (\S+)', generator)]
    assert made_for(re.sub(r'\n    help: .*?(?=\n    \w+:)', '', text, flags=re.DOTALL)) == expected


def test_alarms_and_events_have_the_name_of_their_fabric(instances):
    """Almost all subnets have one prefix: the name tells the rows of many gateways apart."""
    values = {name: {one['value'] for one in instances if split_instance(one['oid'])[0] == name}
              for name in ('ibtrapdActiveFabric', 'ibtrapdLogFabric')}
    assert values['ibtrapdActiveFabric'] == {b'halle-2'.hex()}
    assert values['ibtrapdLogFabric'] == {f'halle-{i}'.encode().hex() for i in range(20)}
