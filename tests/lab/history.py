# SPDX-License-Identifier: BSD-2-Clause
"""A past for the journal of a gateway that does not run."""

import contextlib
import sqlite3


def move_to_the_past(journal, event, days):
    """Makes the journal's events of that kind, oldest first, so many days old."""
    time_field = bytes((3, 0, 8))
    with contextlib.closing(sqlite3.connect(journal)) as file, file:
        rows = file.execute("SELECT sequence, time_us, record FROM event WHERE type = ? ORDER BY sequence", (event,))
        for (sequence, time, record), age in zip(rows.fetchall(), days, strict=True):
            past = time - age * 86400 * 10**6
            now, then = (time_field + one.to_bytes(8, "big") for one in (time, past))
            assert record.count(now) == 1
            file.execute("UPDATE event SET time_us = ?, record = ? WHERE sequence = ?",
                         (past, record.replace(now, then), sequence))
