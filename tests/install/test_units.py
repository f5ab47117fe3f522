# SPDX-License-Identifier: BSD-2-Clause
"""The files for systemd and udev: units, user, devices."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

BUILD = pathlib.Path(os.environ['IBTRAPD_BUILD_DIR'])
RULES = pathlib.Path(__file__).parents[2] / 'systemd/95-ibtrapd.rules'


def run(*command, **environment):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=300, env=os.environ | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope='module')
def root(tmp_path_factory):
    """A directory with what is installed, and with what the units refer to."""
    directory = tmp_path_factory.mktemp('root')
    run('cmake', '--install', BUILD, DESTDIR=str(directory))
    shutil.copytree('/usr/lib/systemd/system', directory / 'usr/lib/systemd/system',
                    symlinks=True, dirs_exist_ok=True)
    for name in 'bin', 'lib':
        (directory / name).symlink_to(f'usr/{name}')
    shutil.copy('/usr/sbin/snmpd', directory / 'usr/sbin')
    return directory


def allowed_calls(unit):
    """The system calls that SystemCallFilter= allows; applies its lines in order, as systemd does."""
    sets, name = {}, None
    for line in run('systemd-analyze', '--no-pager', 'syscall-filter').splitlines():
        if line and not line.startswith(' '):
            name = line.strip()
        elif line.strip() and not line.strip().startswith('#'):
            sets.setdefault(name, []).append(line.strip())

    def calls(word):
        return {call for part in sets[word] for call in calls(part)} if word.startswith('@') else {word}

    allowed = set()
    for line in re.findall('^SystemCallFilter=(.*)$', (BUILD / 'systemd' / unit).read_text(), re.MULTILINE):
        named = {call for word in line.lstrip('~').split() for call in calls(word)}
        allowed = allowed - named if line.startswith('~') else allowed | named
    return allowed


@pytest.mark.parametrize('unit', ['ibtrapd.service', 'ibtrapd@.service'])
def test_what_is_needed_is_allowed_and_no_more(unit):
    allowed = allowed_calls(unit)
    assert not allowed & {"setpriority", "sched_setscheduler", "sched_setattr", "setrlimit", "ioprio_set"}
    assert {'lchown', 'fchownat', 'openat', 'sendto', 'getsockopt'} <= allowed
    assert not allowed & {'chroot', 'setuid', 'setgroups', 'mount', 'reboot', 'ptrace', 'bpf', 'init_module'}


@pytest.mark.parametrize('unit', ['ibtrapd.service', 'ibtrapd@mlx5_0-1.service', 'ibtrapd-snmpd.service'])
def test_systemd_finds_nothing_wrong(root, unit):
    said = run('systemd-analyze', 'verify', '--man=no', '--recursive-errors=no', f'--root={root}', unit)
    assert [line for line in said.splitlines() if 'ibtrapd' in line] == []


def test_the_user_is_made(root):
    run('systemd-sysusers', f'--root={root}', 'ibtrapd.conf')
    groups = dict(line.split(':x:') for line in (root / 'etc/group').read_text().splitlines())
    assert set(groups) == {'ibtrapd', 'ibtrapd-umad', 'ibtrapd-snmpd', 'ibtrapd-agentx'}
    assert groups['ibtrapd-umad'].endswith(':ibtrapd')
    assert groups['ibtrapd-snmpd'].endswith(':')  # whose snmpd.conf has passwords
    assert set(groups['ibtrapd-agentx'].rpartition(':')[2].split(',')) == {'ibtrapd', 'ibtrapd-snmpd'}
    users = (root / 'etc/passwd').read_text()
    assert re.match(r'ibtrapd:x:\d+:\d+:InfiniBand trap gateway:/var/lib/ibtrapd:/usr/sbin/nologin\n',
                    users)
    assert re.search(r'^ibtrapd-snmpd:x:\d+:\d+:[^:]*:/:/usr/sbin/nologin$', users, re.MULTILINE)


def test_only_the_umad_devices_change_hands():
    rules = [line for line in RULES.read_text().splitlines() if line and not line.startswith('#')]
    renamed = rules.pop()
    assert len(rules) == 1
    assert 'ACTION=="move"' in renamed and not re.search('GROUP|MODE|OWNER', renamed)
    assert renamed.endswith('RUN+="/usr/bin/udevadm trigger --action=change --subsystem-match=infiniband_mad"')
    parts = dict(re.findall(r'([\w{}]+)(?:==|\+=|=)"([^"]*)"', rules[0]))
    assert parts['SUBSYSTEM'] == 'infiniband_mad' and parts['KERNEL'] == 'umad*'
    assert (parts['GROUP'], parts['MODE']) == ('ibtrapd-umad', '0660')
    # The rule names the device for which a port's unit waits.
    alias = parts['ENV{SYSTEMD_ALIAS}'].replace('$attr{ibdev}', 'mlx5_0').replace('$attr{port}', '1')
    device = run('systemd-escape', '--path', '--suffix=device', alias).strip()
    unit = (BUILD / 'systemd/ibtrapd@.service').read_text()
    assert f'BindsTo={device}\n' in unit.replace('%i', 'mlx5_0-1')
