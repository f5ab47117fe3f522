#!/usr/bin/python3
"""The gateway's sweep beside a bare discovery with libibnetdisc, on the same simulated fabrics, with as many MADs in
flight. A table on the error output, JSON on the standard one."""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from lab.fabric import BUILD, Fabric  # noqa: E402
from lab.fattree import fat_tree  # noqa: E402

PROGRAM = BUILD / "tests" / "bench" / "bench-sweep"
LEAVES = (4, 25)  # 94 and 493 nodes
IN_FLIGHT = (2, 64)
RUNS = 15


def measure(fabric, by, in_flight):
    done = subprocess.run([PROGRAM, by, str(in_flight), str(RUNS)], cwd=fabric.directory, env=fabric.env_for("node0-0"),
                          stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


def main():
    results = []
    print(f"medians of {RUNS} runs, in milliseconds\n{'nodes':>6} {'links':>6} {'in flight':>9} {'ibtrapd':>9} "
          f"{'libibnetdisc':>12} {'MADs':>7}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as directory:
        for leaves in LEAVES:
            net = pathlib.Path(directory) / f"{leaves}.net"
            net.write_text(fat_tree(leaves))
            with Fabric(net) as fabric:
                for in_flight in IN_FLIGHT:
                    own, other = (measure(fabric, by, in_flight) for by in ("ibtrapd", "libibnetdisc"))
                    assert (own["nodes"], own["links"]) == (other["nodes"], other["links"])
                    results += [own, other]
                    print(f"{own['nodes']:6} {own['links']:6} {in_flight:9} {own['medianMs']:9.1f} "
                          f"{other['medianMs']:12.1f} {own['mads']:7}", file=sys.stderr)
    json.dump(results, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
