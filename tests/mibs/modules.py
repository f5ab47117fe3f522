# SPDX-License-Identifier: BSD-2-Clause
"""Reads the MIB modules of the project with libsmi.

IBTRAPD_MIB_BASE names a directory that base-modules.sh made; IBTRAPD_MIBS names
the modules under test, if they are not those of the build, which have its root.
"""

import functools
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get('IBTRAPD_BUILD_DIR', HERE.parents[1] / 'build'))
MIBS = pathlib.Path(os.environ.get('IBTRAPD_MIBS', BUILD / 'mibs')).resolve()
MODULES = sorted(path.stem for path in MIBS.glob('*.txt') if path.stem != 'CMakeLists')


@functools.cache
def base():
    path = os.environ.get('IBTRAPD_MIB_BASE')
    assert path, 'IBTRAPD_MIB_BASE must name a directory made by base-modules.sh'
    return pathlib.Path(path).resolve()


def run(*command):
    """Runs a tool that sees only the modules under test and the base modules."""
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env={
        'PATH': os.environ['PATH'],
        'LC_ALL': 'C',
        'HOME': '/nonexistent',
        'SNMPCONFPATH': '/nonexistent',
        'SNMP_PERSISTENT_DIR': '/dev/null',  # otherwise the tool makes a state directory and prints a message
        'SMIPATH': f'{MIBS}:{base()}',
    })


def ranges(element):
    """The size or range restriction of an XML type, like (0..255); empty if it has none."""
    found = [low if low == high else f'{low}..{high}'
             for low, high in ((r.get('min'), r.get('max')) for r in element.findall('range'))]
    return f'({"|".join(found)})' if found else ''


def xml_type(element):
    name = element.get('basetype')
    if name in ('Enumeration', 'Bits'):
        labels = [f'{n.get("name")}({n.get("number")})' for n in element.findall('namednumber')]
        return f'{name}{{{",".join(labels)}}}'
    parent = element.find('parent')
    return (name if parent is None else parent.get('name')) + ranges(element)


def xml_syntax(element):
    syntax = element.find('syntax')
    if syntax is None:
        return ''
    inner = syntax[0]
    return xml_type(inner) if inner.tag == 'typedef' else inner.get('name')


def xml_index(element):
    linkage = element.find('linkage')
    if linkage is None:
        return ''
    names = [index.get('name') for index in linkage.findall('index')]
    if linkage.get('implied') == 'true':
        names[-1] = 'IMPLIED ' + names[-1]
    return ', '.join(names)


class Module:
    """A module of the project, as smidump reads it."""

    def __init__(self, name):
        self.name = name
        dump = run('smidump', '-c', '/dev/null', '-f', 'xml', str(MIBS / f'{name}.txt'))
        assert dump.returncode == 0 and not dump.stderr, dump.stderr
        self.root = ElementTree.fromstring(dump.stdout)
        # smidump does not tell read-create from read-write.
        access = dict(re.findall(r'^(\w+) +OBJECT-TYPE\n(?:(?!^\w).*\n)*? +MAX-ACCESS +(\S+)',
                                 (MIBS / f'{name}.txt').read_text('ascii'), re.MULTILINE))
        self.identifiers = {}
        for element in self.root.iter():
            if element.get('oid'):
                self.identifiers[element.get('name')] = {
                    'kind': element.tag,
                    'oid': element.get('oid'),
                    'syntax': xml_syntax(element),
                    'access': access.get(element.get('name'), ''),
                    'index': xml_index(element),
                }

    def named(self, *kinds):
        return [name for name, i in self.identifiers.items() if i['kind'] in kinds]

    def listed(self, owner, member):
        """{name of an owner element: names of its member elements}"""
        return {o.get('name'): [m.get('name') for m in o.iter() if m.tag in member]
                for o in self.root.iter(owner) if o.get('oid')}


module = functools.cache(Module)
