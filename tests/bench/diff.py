#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The cost of processing a snapshot, on generated ones of 1,000 to 48,000 hosts: finding the changes, making events,
merging, writing a record. A step is linear if its time for each host is the same at every size."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from bench import report  # noqa: E402
from lab.fabric import BUILD  # noqa: E402

RUNS = 9
STEPS = ("diffSame", "diff", "changes", "merge", "write", "digest", "read", "expected", "expectedSame",
         "expectedName", "fileRead")


def main():
    done = subprocess.run([BUILD / "tests" / "bench" / "bench-diff", str(RUNS)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, timeout=600, check=True)
    sizes = json.loads(done.stdout)
    for size in sizes:
        size["usPerHost"] = {step: 1000 * size[f"{step}Ms"] / size["hosts"] for step in STEPS}
    print(f"medians of {RUNS} runs, in milliseconds; diff: 50 at most with 48,000 hosts", file=sys.stderr)
    report.table(["hosts", "nodes", "links", "ports", *STEPS],
                 [[size[key] for key in ("hosts", "nodes", "links", "ports")] + [size[f"{step}Ms"] for step in STEPS]
                  for size in sizes])
    print("microseconds for each host", file=sys.stderr)
    report.table(["hosts", *STEPS], [[size["hosts"], *size["usPerHost"].values()] for size in sizes])
    report.emit("diff", sizes)


if __name__ == "__main__":
    main()
