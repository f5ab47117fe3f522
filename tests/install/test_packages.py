# SPDX-License-Identifier: BSD-2-Clause
"""tests/packages.sh: the packages that it requests if none is installed. The test installs nothing."""

import os
import pathlib
import re
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / 'packages.sh'
LAB = {'opensm', 'snmpd', 'snmptrapd', 'rsyslog', 'ibsim-utils'}

# Stubs of the real commands.
COMMANDS = {
    'dpkg-query': 'exit 1',
    'apt-cache': 'exit 0',
    'id': 'echo 1000',
    'sudo': 'echo "$@" >>"$ASKED"',
}


@pytest.fixture
def ask(tmp_path):
    for name, does in COMMANDS.items():
        command = tmp_path / name
        command.write_text(f'#!/bin/sh\n{does}\n')
        command.chmod(0o755)

    def run(*arguments):
        asked = tmp_path / 'asked'
        subprocess.run(['sh', SCRIPT, *arguments], capture_output=True, timeout=300, check=True,
                       env={**os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}', 'ASKED': str(asked)})
        [line] = [one for one in asked.read_text().splitlines() if 'apt-get install' in one]
        return set(line.split())

    return run


def test_the_checkers_get_the_formatter(ask):
    assert {'clang', 'clang-format-14', 'iproute2'} | LAB <= ask('checkers')


def test_who_only_builds_gets_nothing_else(ask):
    packages = ask('build')
    assert {'build-essential', 'cmake', 'libsnmp-dev', 'libcmocka-dev', 'file'} <= packages
    assert not LAB & packages


def test_who_only_builds_gets_what_the_package_needs(ask):
    """All that debian/control names."""
    control = (SCRIPT.parents[1] / 'debian/control').read_text()
    needed = re.search(r'^Build-Depends:(.*(?:\n .*)*)', control, re.MULTILINE)[1]
    names = {re.split(r'[\s:(<]', word.strip())[0] for word in needed.split(',')}
    assert {'cmake', 'libsnmp-dev'} <= names
    assert {name.removesuffix('-compat') for name in names} <= ask('build')
