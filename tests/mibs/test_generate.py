# SPDX-License-Identifier: BSD-2-Clause
"""mibs/generate.py refuses inconsistent input, with a sentence that names the inconsistency."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
MODULES = ('IB-TC-MIB', 'IB-SMA-MIB', 'IBSWITCH-MIB', 'IBTRAPD-MIB')


def generate(folder, file=None, old='', new=''):
    """Runs generate.py on copies of its input, with `old` replaced in one of them."""
    paths = {name: ROOT / 'mibs' / f'{name}.txt' for name in MODULES}
    paths |= {'fields': ROOT / 'mibs/fields.map', 'catalogue': ROOT / 'gateway/model/catalogue.def'}
    for name, path in paths.items():
        text = path.read_text()
        if name == file:
            assert old in text
            text = text.replace(old, new, 1)
        (folder / path.name).write_text(text)
    return subprocess.run(
        [sys.executable, '-B', ROOT / 'mibs/generate.py', '--out', folder,
         '--catalogue', folder / paths['catalogue'].name, '--fields', folder / 'fields.map',
         *(folder / f'{name}.txt' for name in MODULES)],
        capture_output=True, text=True, timeout=300)


def test_what_is_there_fits_together(tmp_path):
    done = generate(tmp_path)
    assert (done.returncode, done.stdout + done.stderr) == (0, '')
    header = (tmp_path / 'mib_modules.h').read_text()
    assert 'mib_gswTopoComSwitchStatus_link_deleted = 5,' in header
    assert 'mib_notification mib_gswTopoComTrap_former;' in header


@pytest.mark.parametrize('file, old, new, sentence', [
    ('catalogue', '&mib_ibtrapdLinkAdded', '&mib_ibtrapdLinkBorn',
     'names mib_ibtrapdLinkBorn, and the modules in mibs/ define no such notification.'),
    ('IBTRAPD-MIB', 'ibtrapdLinkAdded NOTIFICATION-TYPE', 'ibtrapdLinkBorn NOTIFICATION-TYPE',
     'names mib_ibtrapdLinkAdded, and the modules in mibs/ define no such notification.'),
    ('IBTRAPD-MIB', 'ibtrapdEventText, ibtrapdNodeGuid', 'ibtrapdEventText, ibtrapdLogIndex',
     'names ibtrapdLogIndex, and fields.map does not say which field of an event fills it.'),
    ('IBTRAPD-MIB', '{ ibtrapdMIB 0 }', '{ ibtrapdRoot 0 }',
     'ibtrapdNotifications names ibtrapdRoot, which no module defines.'),
    ('IBSWITCH-MIB', 'gswTopoComSwitchStatus OBJECT-TYPE', 'gswTopoComStatus OBJECT-TYPE',
     'fields.map names gswTopoComSwitchStatus, which no module defines.'),
    ('IB-SMA-MIB', 'ibSmaNodeLid2 OBJECT-TYPE', 'ibSmaNodeLid OBJECT-TYPE',
     'ibSmaNodeLid is defined twice, in IB-SMA-MIB and in IB-SMA-MIB.'),
    ('IBTRAPD-MIB', 'SYNTAX      SnmpAdminString (SIZE (1..40))', 'SYNTAX      Opaque',
     'ibtrapdEventId has the syntax Opaque, for which ibtrapd has no encoding.'),
    ('fields', 'ibtrapdUnPath.ibSmaNodeGid1', 'ibtrapdHeartbeat.ibSmaNodeGid1',
     'names ibtrapdHeartbeat.ibSmaNodeGid1, and that notification does not have the object.'),
    ('fields', 'gswTopoComTrap:former.gswTopoComNbSwitchId ', 'gswTopoComTrap:former.gswIBLID ',
     'names gswTopoComTrap:former.gswIBLID, and that notification does not have the object.'),
    ('fields', 'ibtrapdEventId  ', 'ibtrapdNotifications  ',
     'names ibtrapdNotifications, which is no OBJECT-TYPE of IBTRAPD-MIB.'),
    ('fields', 'ibtrapdEventId  ', 'ibtrapdEventName ', 'names an object again.'),
])
def test_a_contradiction_is_named(tmp_path, file, old, new, sentence):
    done = generate(tmp_path, file, old, new)
    assert done.returncode != 0
    assert sentence in done.stderr and 'Traceback' not in done.stderr
    assert not (tmp_path / 'mib_modules.h').exists()
