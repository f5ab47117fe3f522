# SPDX-License-Identifier: BSD-2-Clause
"""Writes the bill of materials in SPDX 2.3: bill_of_materials.py VERSION CHANGELOG NAME=VERSION... >ibtrapd.spdx.json

A NAME is one of LICENCES. The date is SOURCE_DATE_EPOCH or that of the changelog, so that two builds write the same."""

import datetime
import email.utils
import json
import os
import pathlib
import re
import sys

# The libraries that the programs and modules link, and their licences.
LICENCES = {
    "libibumad": "GPL-2.0-only OR Linux-OpenIB",
    "libibmad": "GPL-2.0-only OR Linux-OpenIB",
    "libibverbs": "GPL-2.0-only OR Linux-OpenIB",
    "net-snmp": "Net-SNMP",
    "sqlite": "blessing",
    "jansson": "MIT",
    "ncurses": "X11-distribute-modifications-variant",
    "libevent": "BSD-3-Clause",
    "openssl": "Apache-2.0",
    "librdkafka": "BSD-2-Clause",
    "curl": "curl",
    "zlib": "Zlib",
    "systemd": "LGPL-2.1-or-later",
}


def created(changelog):
    dates = re.search(r"^ -- .*>  (.*)$", pathlib.Path(changelog).read_text(), re.MULTILINE)
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or email.utils.parsedate_to_datetime(dates[1]).timestamp())
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def package(name, version, licence):
    return {"SPDXID": f"SPDXRef-{name}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION"}


def main(version, changelog, *libraries):
    named = [one.split("=", 1) for one in libraries]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-ibtrapd")]
    relations += [("SPDXRef-ibtrapd", "DYNAMIC_LINK", f"SPDXRef-{name}") for name, _ in named]
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"ibtrapd-{version}",
        "documentNamespace": f"urn:ibtrapd:spdx:{version}",
        "creationInfo": {"created": created(changelog), "creators": ["Tool: bill_of_materials.py"]},
        "packages": [package("ibtrapd", version, "BSD-2-Clause"),
                     *(package(name, of or "NOASSERTION", LICENCES[name]) for name, of in named)],
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
                          for one, kind, other in relations],
    }, sys.stdout, indent=1)
    print()


main(*sys.argv[1:])
