# SPDX-License-Identifier: BSD-2-Clause
"""The version is defined in CMakeLists.txt; all other places agree with it."""

import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ['IBTRAPD_BUILD_DIR'])
VERSION = re.search(r'^project\(ibtrapd VERSION (\S+)', (SOURCE / 'CMakeLists.txt').read_text(), re.MULTILINE)[1]


def run(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=300).stdout


@pytest.mark.parametrize('program', ['ibtrapd', 'ibtrapctl'])
def test_programs(program):
    assert run(BUILD / program, '--version') == f'{program} {VERSION}\n'


@pytest.mark.parametrize('page', ['ibtrapd.8', 'ibtrapctl.8', 'ibtrapd.conf.5', 'ibtrapd-events.7'])
def test_the_foot_of_the_manual(page):
    shown = run('mandoc', '-T', 'ascii', BUILD / 'config/man' / page).replace('\b', '')
    assert shown.splitlines()[-1].split()[:2] == ['ibtrapd', VERSION]


def test_the_packages():
    changelog = (SOURCE / 'debian/changelog').read_text()
    assert re.match(r'ibtrapd \(([^-]+)-\d+\) ', changelog)[1] == VERSION
    spec = (SOURCE / 'config/packaging/ibtrapd.spec').read_text()
    assert re.findall(r'^Version: +(\S+)$', spec, re.MULTILINE) == [VERSION]
    assert re.search(rf'^%changelog\n\* .* - {re.escape(VERSION)}-\d+$', spec, re.MULTILINE)


def test_the_news():
    news = (SOURCE / 'NEWS.md').read_text()
    assert re.search(r'^## (?:Unreleased: )?(\d+\.\d+\.\d+)', news, re.MULTILINE)[1] == VERSION
    title = (SOURCE / 'doc/upgrade.md').read_text().splitlines()[0]
    assert f' to {VERSION}' in title


def test_no_document_names_another_version():
    """Of ibtrapd: 0.1.0 is the one before."""
    for page in [SOURCE / 'README.md', *SOURCE.glob('doc/**/*.md')]:
        assert set(re.findall(r'(?:since |version |ibtrapd[-_ ]v?)(\d+\.\d+\.\d+)', page.read_text())) <= {VERSION, '0.1.0'}, page


def test_what_the_documents_show():
    pages = [SOURCE / 'README.md', *SOURCE.glob('*/**/*.md')]
    shown = {(page.name, version) for page in pages if not page.relative_to(SOURCE).parts[0].startswith('build')
             for version in re.findall(r'^ *ibtrap(?:d|ctl) (\d+\.\d+\.\d+)', page.read_text(), re.MULTILINE)}
    assert {version for _, version in shown} <= {VERSION}, shown
