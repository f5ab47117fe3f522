"""Compares what the encoder emits with what the MIB modules define.

The program `varbinds` (IBTRAPD_BUILD_DIR) prints every notification of the
catalogue with its varbinds, for notices of several contents.
"""

import functools
import json
import os
import pathlib
import re
import subprocess

import pytest

from modules import MODULES, module, run, xml_type

BUILD = pathlib.Path(os.environ.get('IBTRAPD_BUILD_DIR', pathlib.Path(__file__).parents[2] / 'build'))

# Textual conventions of base modules that the project's modules use.
STANDARD = {
    'SnmpAdminString': 'OctetString(0..255)',
    'DisplayString': 'OctetString(0..255)',
    'DateAndTime': 'OctetString(8|11)',
    'TruthValue': 'Enumeration{true(1),false(2)}',
}

# The draft's type forbids what a trap may hold: switch port 0, and 255 from a broken sender.
# It is sent as it is, as the object's description says.
WIDER = {'ibSmaNodePortNum': 'Unsigned32(0..255)'}


@functools.cache
def defined():
    """{OID: (name, identifier)} of all modules."""
    return {i['oid']: (name, i) for mib in MODULES for name, i in module(mib).identifiers.items()}


@functools.cache
def conventions():
    own = {t.get('name'): xml_type(t) for mib in MODULES
           for t in module(mib).root.findall('typedefs/typedef')}
    return STANDARD | own


@functools.cache
def objects_of():
    return {name: objects for mib in MODULES
            for name, objects in module(mib).listed('notification', ('object',)).items()}


def emitted():
    program = BUILD / 'tests' / 'mibs' / 'varbinds'
    output = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60)
    return [json.loads(line) for line in output.stdout.splitlines()]


def resolve(syntax):
    """(base type, restriction) of a syntax: the innermost restriction counts."""
    name, restriction = re.fullmatch(r'(\w+)(.*)', syntax).groups()
    if name in conventions():
        base, outer = resolve(conventions()[name])
        return base, restriction or outer
    return name, restriction


def bounds(restriction):
    for part in re.findall(r'[\d.-]+', restriction):
        low, _, high = part.partition('..')
        yield int(low), int(high or low)


def allows(syntax, varbind):
    base, restriction = resolve(syntax)
    value, wire = varbind['value'], varbind['syntax']
    if base == 'Enumeration':
        return wire == 'Integer32' and f'({value})' in restriction
    if base == 'Bits':
        known = 1 + max(int(n) for n in re.findall(r'\((\d+)\)', restriction))
        return wire == 'OctetString' and len(value) // 2 == (known + 7) // 8
    if wire != base:
        return False
    measure = len(value) // 2 if base == 'OctetString' else value
    return not restriction or any(low <= measure <= high for low, high in bounds(restriction))


def split_instance(oid):
    """(name, identifier, instance) of a varbind's OID."""
    ids = oid.split('.')
    for n in range(len(ids) - 1, 0, -1):
        found = defined().get('.'.join(ids[:n]))
        if found:
            return *found, [int(i) for i in ids[n:]]
    raise AssertionError(f'{oid} is below nothing that the modules define')


def check_instance(name, identifier, instance):
    if identifier['kind'] == 'scalar':
        assert instance == [0], name
        return
    assert identifier['kind'] == 'column', name
    row = defined()[identifier['oid'].rpartition('.')[0]][1]
    expected = 0
    for index in row['index'].split(', '):
        base, restriction = resolve(next(i['syntax'] for n, i in defined().values() if n == index))
        expected += next(bounds(restriction))[0] if base == 'OctetString' else 1
    assert len(instance) == expected, name


@pytest.fixture(scope='module')
def notifications():
    return emitted()


def test_every_event_is_emitted(notifications):
    catalogue = subprocess.run([BUILD / 'ibtrapctl', 'catalogue', '--json'], capture_output=True,
                               check=True, timeout=60)
    events = {event['event'] for event in json.loads(catalogue.stdout)['events']}
    assert events == {notification['event'] for notification in notifications}


def test_notifications_are_those_of_the_modules(notifications):
    for one in notifications:
        name, identifier = defined()[one['oid']]
        assert (name, identifier['kind']) == (one['name'], 'notification')


def test_varbinds_follow_the_objects_clause(notifications):
    for one in notifications:
        names = [split_instance(varbind['oid'])[0] for varbind in one['varbinds']]
        assert names == objects_of()[one['name']], one['event']


def test_every_notification_for_changes_is_emitted(notifications):
    own = {name for name, i in module('IBTRAPD-MIB').identifiers.items() if i['kind'] == 'notification'}
    assert own == {one['name'] for one in notifications if one['name'] in own}


def test_varbinds_have_the_syntax_and_range_of_their_objects(notifications):
    for one in notifications:
        for varbind in one['varbinds']:
            name, identifier, instance = split_instance(varbind['oid'])
            check_instance(name, identifier, instance)
            syntax = WIDER.get(name, identifier['syntax'])
            assert allows(syntax, varbind), f"{one['event']}: {name} ({syntax}): {varbind}"


def test_a_site_may_choose_the_root(tmp_path):
    """The one line that holds the root can be replaced, and the module still lints."""
    text = (pathlib.Path(os.environ.get('IBTRAPD_MIBS', pathlib.Path(__file__).parents[2] / 'mibs'))
            / 'IBTRAPD-MIB.txt').read_text('ascii')
    moved, replaced = re.subn(r'::= \{ enterprises [^}]*\}', '::= { enterprises site(32473) 1 }', text)
    assert replaced == 1
    (tmp_path / 'IBTRAPD-MIB.txt').write_text(moved)
    lint = run('smilint', '-c', '/dev/null', '-l', '6', str(tmp_path / 'IBTRAPD-MIB.txt'))
    assert lint.stdout + lint.stderr == ''
