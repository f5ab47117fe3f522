# SPDX-License-Identifier: BSD-2-Clause
"""What doc/promises.md promises is there: each name of promised.tsv, which grows with each version and never shrinks within
a major one. IBTRAPD_PROMISE=write adds the names of this build."""

import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BUILD = pathlib.Path(os.environ['IBTRAPD_BUILD_DIR'])
PROMISED = HERE / 'promised.tsv'

sys.path.insert(0, str(SOURCE / 'tests/mibs'))

import modules  # noqa: E402


def members(schema):
    """The names of all members anywhere in a JSON Schema."""
    if isinstance(schema, dict):
        found = set(schema['properties']) if isinstance(schema.get('properties'), dict) else set()
        return found.union(*map(members, schema.values()))
    return set().union(*map(members, schema)) if isinstance(schema, list) else set()


def items():
    """Every SECTION.ITEM of the configuration, as the example has them."""
    section = None
    for line in (BUILD / 'config/ibtrapd.conf').read_text().splitlines():
        if begin := re.match(r'(?:# )?(\w+)(?: ".*")? {$', line):
            section = begin[1]
        elif item := re.match(r'(?:# )?    (?:# ?)?(\w+) = ', line):
            yield f'{section}.{item[1]}'


def names():
    event, alarm = (json.loads((BUILD / f'config/ibtrapd-{one}-1.schema.json').read_text()) for one in ('event', 'alarm'))
    commands = subprocess.run([BUILD / 'ibtrapctl', 'help'], capture_output=True, text=True, check=True).stdout
    yield from (('event', one) for one in event['$defs']['event']['examples'])
    yield from (('field', one) for one in members(event))
    yield from (('alarm member', one) for one in members(alarm))
    yield from (('item', one) for one in items())
    rows = re.findall(r'^\| (ibtrapd_[^|]*) \|', (SOURCE / 'doc/prometheus.md').read_text(), re.MULTILINE)
    yield from (('metric', one) for row in rows for one in re.findall(r'ibtrapd_\w+', row))
    yield from (('command', one) for one in re.findall(r'^  ([\w-]+)', commands, re.MULTILINE))
    # tests/mibs/objects.tsv has the objects of the drafts.
    yield from (('object', f'{name} {one["oid"]}') for name, one in modules.module('IBTRAPD-MIB').identifiers.items())


def promised():
    return {tuple(line.split('\t')) for line in PROMISED.read_text().splitlines()} if PROMISED.exists() else set()


def test_no_promised_name_is_gone():
    here = set(names())
    if os.environ.get('IBTRAPD_PROMISE') == 'write':
        PROMISED.write_text(''.join(f'{kind}\t{name}\n' for kind, name in sorted(here | promised())))
    for kind in 'event', 'field', 'item', 'metric', 'command', 'object':
        assert len([one for one, _ in here if one == kind]) > 10, kind
    assert promised() <= here, promised() - here
