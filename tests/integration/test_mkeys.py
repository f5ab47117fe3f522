# SPDX-License-Identifier: BSD-2-Clause
"""M_Keys of single ports, from the files that OpenSM itself writes. ibsim has no M_Keys, so that those in OpenSM's file
are 0, and the test puts one in for the own port, which asks for it (simreports.c)."""

import re

from lab.processes import wait_until

M_KEY = 0x5EC1E73B87654321


def test_the_own_ports_mkey_is_found_in_opensms_file(open_site, fabric):
    osm = fabric.directory / "opensm-sm1"
    mine = fabric.directory / "mkeys" / "guid2mkey"
    mine.parent.mkdir()

    def replace(mkey):
        """Gives the own port that M_Key, in a copy of OpenSM's file that takes the place of the former one."""
        own = f"0x{fabric.guid_of('monitor'):016x}"
        text, count = re.subn(f"^({own}) 0x[0-9a-f]+$", rf"\1 0x{mkey:016x}", (osm / "guid2mkey").read_text(), flags=re.MULTILINE)
        assert count == 1
        mine.with_suffix(".tmp").write_text(text)
        mine.with_suffix(".tmp").rename(mine)

    site = open_site(mkey=M_KEY, sweep={"method": "smp", "interval": 5, "guid2mkey_file": mine})
    wait_until(lambda: (osm / "guid2mkey").read_text().count("0x") == 2 * 8, "OpenSM to write the M_Keys of 8 nodes")
    (mine.parent / "neighbors").write_text((osm / "neighbors").read_text())
    known_by = lambda way: site.gateway.wait_status(lambda s: s["port"]["known_by"] == way, f"the port to be known by {way}")
    known_by("kernel")  # the file is not there yet
    replace(M_KEY)
    known_by("smp")
    site.gateway.wait_subscribed()
    site.gateway.wait_status(lambda s: s["sweep"]["method"] == "smp" and s["sweep"]["complete"], "a sweep by SMPs")
    assert site.gateway.status()["sweep"]["mkeys"] == ""
    replace(M_KEY + 1)
    assert "mkey_file" in known_by("kernel")["port"]["no_smps"]
    replace(M_KEY)
    known_by("smp")
    assert f"{M_KEY:x}" not in site.gateway.log
    assert "not as OpenSM writes it" not in site.gateway.log
