#!/bin/sh
# Builds the fuzzers and runs each for a time, 60 seconds unless told otherwise: run.sh [SECONDS]
# What it finds stays in build-fuzz/findings/; what it learns, in build-fuzz/learnt/.
set -eu

seconds=${1:-60}
cd "$(dirname "$0")/../.."

cmake --preset fuzz
cmake --build --preset fuzz
for fuzzer in build-fuzz/tests/fuzz/fuzz-*; do
    name=${fuzzer##*/fuzz-}
    mkdir -p "build-fuzz/learnt/$name" build-fuzz/findings
    set --
    if [ -e "tests/fuzz/$name.dict" ]; then
        set -- -dict="tests/fuzz/$name.dict"
    fi
    echo "$name: $seconds seconds"
    "$fuzzer" "$@" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="build-fuzz/findings/$name-" \
        "build-fuzz/learnt/$name" "tests/fuzz/corpus/$name"
done
