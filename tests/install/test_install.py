# SPDX-License-Identifier: BSD-2-Clause
"""The files that `cmake --install` installs, and whether they work at their places."""

import gzip
import json
import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get('IBTRAPD_BUILD_DIR', SOURCE / 'build'))
MIB_BASE = pathlib.Path(os.environ['IBTRAPD_MIB_BASE'])
LINK = re.compile(r'\]\((?!https?:)([^)#]+)')


def run(*command, **environment):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          timeout=300, env=os.environ | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope='module')
def root(tmp_path_factory):
    """A directory that stands for / of a machine on which ibtrapd was installed."""
    directory = tmp_path_factory.mktemp('root')
    run('cmake', '--install', BUILD, DESTDIR=str(directory))
    return directory


def translate(mibs, *arguments):
    # Otherwise the program makes a state directory and prints a message.
    done = subprocess.run(['snmptranslate', '-M', f'{MIB_BASE}:{mibs}', *arguments], capture_output=True,
                          text=True, timeout=300, env=os.environ | {'SNMP_PERSISTENT_DIR': '/dev/null'})
    assert done.returncode == 0 and done.stderr == '', done.stderr
    return done.stdout.strip()


def test_programs_run_from_where_they_are(root):
    assert run(root / 'usr/sbin/ibtrapd', '--version').startswith('ibtrapd ')
    assert run(root / 'usr/bin/ibtrapctl', '--version').startswith('ibtrapctl ')


def test_the_configuration_is_good_as_it_comes(root):
    as_root = {'LD_PRELOAD': str(BUILD / 'tests/lab/libnouser.so')}  # the user ibtrapd does not see this directory
    run(root / 'usr/sbin/ibtrapd', '--check-config', '--config', root / 'etc/ibtrapd/ibtrapd.conf', **as_root)
    minimal = root / 'usr/share/doc/ibtrapd/examples/minimal.conf'
    run(root / 'usr/sbin/ibtrapd', '--check-config', '--config', minimal, **as_root)
    assert len(minimal.read_text().splitlines()) < 10


def test_the_unit_names_the_installed_program(root):
    unit = (root / 'usr/lib/systemd/system/ibtrapd.service').read_text()
    assert 'ExecStart=/usr/sbin/ibtrapd\n' in unit


def test_net_snmp_finds_the_modules(root):
    """Net-SNMP searches the directory by default."""
    default = run('net-snmp-config', '--default-mibdirs').strip().split(':')
    assert '/usr/share/snmp/mibs' in default
    mibs = root / 'usr/share/snmp/mibs'
    assert (translate(mibs, '-m', 'IBTRAPD-MIB', '-On', 'IBTRAPD-MIB::ibtrapdGidInService')
            == '.1.3.6.1.4.1.8072.9999.9999.117.0.1')
    assert (translate(mibs, '-m', 'IB-SMA-MIB', '.1.3.6.1.3.117.3.2.0.10')
            == 'IB-SMA-MIB::ibSmaBadPKeyAtSwitchPort')


def test_a_site_builds_with_its_own_root(tmp_path):
    run('cmake', '-S', SOURCE, '-B', tmp_path, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug',
        '-DIBTRAPD_MIB_ROOT=1.3.6.1.4.1.32473.5.1')
    run('cmake', '--build', tmp_path, '--target', 'ibtrapctl', 'trap-receivers', 'tables')
    events = json.loads(run(tmp_path / 'ibtrapctl', 'catalogue', '--json'))['events']
    oid = next(e['own']['oid'] for e in events if e['event'] == 'gid-in-service')
    assert oid == '1.3.6.1.4.1.32473.5.1.0.1'
    assert (translate(tmp_path / 'mibs', '-m', 'IBTRAPD-MIB', '-On', 'IBTRAPD-MIB::ibtrapdGidInService')
            == '.' + oid)
    files = [path for path in (tmp_path / 'mibs/receivers').rglob('*') if path.is_file()]
    assert {path.relative_to(tmp_path) for path in files} == {
        path.relative_to(BUILD) for path in (BUILD / 'mibs/receivers').rglob('*') if path.is_file()}
    for path in files:
        text = path.read_text()
        assert 'below 1.3.6.1.4.1.32473.5.1.' in text[:250], path
        assert 'netSnmpPlaypen(9999)' not in text and (path.suffix == '.txt' or '8072.9999' not in text), path
    for name in ('zabbix-6.0-ports.yaml', 'snmp_exporter.yml'):
        template = (tmp_path / 'config/templates' / name).read_text()
        assert template == (SOURCE / 'config/templates' / name).read_text().replace(
            '1.3.6.1.4.1.8072.9999.9999.117', '1.3.6.1.4.1.32473.5.1')
        assert '1.3.6.1.4.1.32473.5.1.' in template and '8072.9999' not in template
    assert f'EVENT ibtrapdGidInService .{oid} ' in (tmp_path / 'mibs/receivers/snmptt.conf').read_text()
    for name in ('config/man/ibtrapd.conf.5.template', 'doc/snmp.md', 'doc/alarms.md', 'doc/trap-receivers.md', 'mibs/README.md'):
        assert '.32473.5.1' in (tmp_path / name).read_text() and '8072.9999' not in (tmp_path / name).read_text(), name
    tables = run(tmp_path / 'tests/mibs/tables')
    assert '1.3.6.1.4.1.32473.5.1.1.4.1.2.' in tables and '8072.9999' not in tables  # ibtrapdActiveKey


@pytest.mark.parametrize('root', ['1.3.6.1.2.1.5', 'enterprises.5', '1.3.6.1.4.1'])
def test_a_root_that_is_not_below_enterprises_is_refused(tmp_path, root):
    done = subprocess.run(['cmake', '-S', SOURCE, '-B', tmp_path, f'-DIBTRAPD_MIB_ROOT={root}'],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode != 0 and 'IBTRAPD_MIB_ROOT must be an OID below' in done.stderr


def test_the_pages_lead_to_each_other(root):
    """Checks all links and pictures of all pages; every page of the book is the target of some link."""
    documents = root / 'usr/share/doc/ibtrapd'
    pages = list(documents.rglob('*.md'))
    linked = {(page.parent / link).resolve() for page in pages for link in LINK.findall(page.read_text())}
    assert [path for path in linked if not path.is_file()] == []
    book = {documents.resolve() / page.relative_to(SOURCE) for page in (SOURCE / 'doc').rglob('*.md')}
    assert book and book <= linked


def test_each_manual_page_names_the_pages_where_they_are(root):
    manual = [page for page in (root / 'usr/share/man').rglob('ibtrap*') if page.is_file()]
    assert len(manual) == 4
    for page in manual:
        text = gzip.decompress(page.read_bytes()) if page.suffix == '.gz' else page.read_bytes()
        [place] = re.findall(r'^\.Pa /(\S+/README\.md)$', text.decode().partition('.Sh SEE ALSO')[2], re.MULTILINE)
        assert (root / place).is_file(), page
