# SPDX-License-Identifier: BSD-2-Clause
"""Selects every n-th test of a file, so that ctest can run the parts side by side: IBTRAPD_SHARD=1/3."""

import os


def pytest_collection_modifyitems(config, items):
    shard, _, of = os.environ.get("IBTRAPD_SHARD", "1/1").partition("/")
    kept = items[int(shard) - 1::int(of)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
