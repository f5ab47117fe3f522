#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The bodies of the receiver kind http for parsers of others, by hand: parsers.sh
#
# From npm: OpenTelemetry's classes, made from its protobuf files; the SDK of CloudEvents; qryn, a server that speaks Loki's
# and OpenTelemetry's protocols; Elastic's definitions of ECS. Nothing listens.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bodies=${IBTRAPD_BUILD_DIR:-$here/../../build}/tests/receivers/http_bodies
for program in node npm; do
    command -v $program >/dev/null || {
        echo "$program is missing: apt-get install npm" >&2
        exit 1
    }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here/parsers.js" "$scratch"
(cd "$scratch" && npm install --no-audit --no-fund --silent --ignore-scripts \
    @opentelemetry/otlp-transformer@0.205.0 cloudevents@8.0.3 qryn@3.2.39 @elastic/ecs@8.11.1)
read_by() {
    "$bodies" "$1" | node "$scratch/parsers.js" "$2"
}
for format in otlp cloudevents cloudevents-batch; do
    read_by $format $format
done
read_by otlp-metrics otlp-metrics <<'END'
# TYPE ibtrapd_sweep_nodes gauge
ibtrapd_sweep_nodes 8
# TYPE ibtrapd_port_link_up gauge
ibtrapd_port_link_up{node="leaf \"1\"",guid="0x0002c90200c10000",port="3"} 1
# TYPE ibtrapd_port_receive_bytes_total counter
ibtrapd_port_receive_bytes_total{node="leaf1",guid="0x0002c90200c10000",port="3"} 1.5e+17
# TYPE ibtrapd_report_to_wire_seconds histogram
ibtrapd_report_to_wire_seconds_bucket{receiver="nms",le="0.001"} 3
ibtrapd_report_to_wire_seconds_bucket{receiver="nms",le="+Inf"} 5
ibtrapd_report_to_wire_seconds_sum{receiver="nms"} 0.25
ibtrapd_report_to_wire_seconds_count{receiver="nms"} 5
END
read_by otlp otlp-qryn
read_by loki loki-qryn
read_by elasticsearch ecs
