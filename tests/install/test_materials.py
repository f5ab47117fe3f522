# SPDX-License-Identifier: BSD-2-Clause
"""The bill of materials names each library that a program or module of the build links; the archive of sources is the same
each time, and its build needs no git."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ['IBTRAPD_BUILD_DIR'])
OF_THE_COMPILER = r'lib(c|m|gcc_s|asan|tsan|ubsan|tsan-threads)\.so|ld-linux'
NAMES = {'libcrypto': 'openssl', 'libssl': 'openssl', 'libncursesw': 'ncurses', 'libtinfo': 'ncurses', 'libnetsnmp': 'net-snmp',
         'libsqlite3': 'sqlite', 'libz': 'zlib', 'libsystemd': 'systemd', 'libcurl': 'curl', 'libjansson': 'jansson'}


def linked():
    for program in [BUILD / 'ibtrapd', BUILD / 'ibtrapctl', *(BUILD / 'modules').glob('*.so')]:
        said = subprocess.run(['readelf', '-d', program], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r'\(NEEDED\).*\[(.*)\]', said):
            if not re.match(OF_THE_COMPILER, name):
                yield re.match(r'[a-z0-9]+', name)[0]


def test_each_linked_library_is_in_the_bill():
    bill = json.loads((BUILD / 'config/ibtrapd.spdx.json').read_text())
    packages = {one['SPDXID']: one for one in bill['packages']}
    assert {one['relatedSpdxElement'] for one in bill['relationships']} == set(packages)
    assert all(one['versionInfo'] and one['licenseDeclared'] for one in packages.values())
    libraries = {one['name'] for one in packages.values()} - {'ibtrapd'}
    assert {NAMES.get(one, one) for one in linked()} == libraries


def test_the_archive_is_the_same_each_time_and_needs_no_git(tmp_path):
    if not shutil.which('git') or not (SOURCE / '.git').exists():
        pytest.skip('not a checkout of git')
    archives = []
    for name in 'one', 'two':
        directory = tmp_path / name
        directory.mkdir()
        said = subprocess.run([SOURCE / 'config/packaging/source.sh', 'HEAD', directory], capture_output=True, text=True, check=True)
        archives.append(pathlib.Path(said.stdout.strip()))
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as archive:
        archive.extractall(tmp_path)
    [top] = tmp_path.glob('ibtrapd-*')
    nowhere = tmp_path / 'programs'
    nowhere.mkdir()
    (nowhere / 'git').write_text('#!/bin/sh\nexit 99\n')
    (nowhere / 'git').chmod(0o755)
    subprocess.run(['cmake', '--preset', 'default', '-DBUILD_TESTING=OFF'], cwd=top, check=True, capture_output=True,
                   env=os.environ | {'PATH': f'{nowhere}:{os.environ["PATH"]}'})
