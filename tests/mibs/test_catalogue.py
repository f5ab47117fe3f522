# SPDX-License-Identifier: BSD-2-Clause
"""Compares the encoder's notifications with the MIB modules.

The program `varbinds` (IBTRAPD_BUILD_DIR) prints every notification of the
catalogue with its varbinds, for notices of several contents.
"""

import functools
import json
import re
import subprocess

import pytest

from modules import BUILD, MIBS, MODULES, module, run
from syntaxes import allows, bounds, defined, resolve, split_instance


# The draft's type forbids values that a trap may have: switch port 0, and 255 from a broken sender. They are sent
# unchanged, as the object's description says.
WIDER = {'ibSmaNodePortNum': 'Unsigned32(0..255)'}


@functools.cache
def objects_of():
    return {name: objects for mib in MODULES
            for name, objects in module(mib).listed('notification', ('object',)).items()}


def emitted():
    program = BUILD / 'tests' / 'mibs' / 'varbinds'
    output = subprocess.run([program], capture_output=True, text=True, check=True, timeout=300)
    return [json.loads(line) for line in output.stdout.splitlines()]


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
                               check=True, timeout=300)
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
    text = (MIBS / 'IBTRAPD-MIB.txt').read_text('ascii')
    moved, replaced = re.subn(r'::= \{ enterprises [^}]*\}', '::= { enterprises site(32473) 1 }', text)
    assert replaced == 1
    (tmp_path / 'IBTRAPD-MIB.txt').write_text(moved)
    lint = run('smilint', '-c', '/dev/null', '-l', '6', str(tmp_path / 'IBTRAPD-MIB.txt'))
    assert lint.stdout + lint.stderr == ''
