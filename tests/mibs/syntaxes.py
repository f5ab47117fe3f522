# SPDX-License-Identifier: BSD-2-Clause
"""The values that the modules' types allow."""

import functools
import re

from modules import MODULES, module, xml_type

# Textual conventions of base modules that the project's modules use.
STANDARD = {
    'SnmpAdminString': 'OctetString(0..255)',
    'DisplayString': 'OctetString(0..255)',
    'DateAndTime': 'OctetString(8|11)',
    'TimeStamp': 'TimeTicks',
    'TruthValue': 'Enumeration{true(1),false(2)}',
    'RowStatus': 'Enumeration{active(1),notInService(2),notReady(3),createAndGo(4),createAndWait(5),destroy(6)}',
}


@functools.cache
def defined():
    """{OID: (name, identifier)} of all modules."""
    return {i['oid']: (name, i) for mib in MODULES for name, i in module(mib).identifiers.items()}


@functools.cache
def conventions():
    own = {t.get('name'): xml_type(t) for mib in MODULES
           for t in module(mib).root.findall('typedefs/typedef')}
    return STANDARD | own


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
