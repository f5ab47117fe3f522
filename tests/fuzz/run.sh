#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Builds the fuzzers and runs each for a time: run.sh [SECONDS [NAME]...]
# Without arguments it runs all fuzzers, for 60 seconds each, as many at once as there are processors, or as
# FUZZ_AT_ONCE says. Fails if one finds a defect; its input is in build-fuzz/findings/. New corpus files are in
# build-fuzz/learnt/. With FUZZ_SEED, which forgets what was learnt, each run tries the same inputs in the same
# order, as many as fit into the time; without FUZZ_SEED, each run searches elsewhere.
set -eu

cd "$(dirname "$0")/../.."
build=build-fuzz

is_plain() {
    grep -q "^fuzzer($1 PLAIN " tests/fuzz/CMakeLists.txt
}

# libFuzzer's choices depend on addresses, too.
at_fixed_addresses() {
    if setarch -R true 2>/dev/null; then
        setarch -R "$@"
    else
        "$@"
    fi
}

# What a fuzzer without sanitizers has learnt, they see here.
replay() {
    is_plain "$1" && [ -n "$(ls "$build/learnt/$1")" ] || return 0
    timeout 1800 "$build/tests/fuzz/corpus-$1" "$build/learnt/$1"
}

run_one() {
    name=$1 seconds=$2
    seed=${FUZZ_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
    log=$build/findings/$name.log
    [ -z "${FUZZ_SEED:-}" ] || rm -rf "$build/learnt/$name"
    mkdir -p "$build/learnt/$name"
    find "tests/fuzz/corpus/$name" -type f | LC_ALL=C sort | paste -sd , | tr -d '\n' >"$build/$name.inputs"
    set -- -seed_inputs=@"$build/$name.inputs"
    if [ "$name" = conf ] || [ "$name" = reload ]; then
        "$build/config/describe-config" dictionary | cat tests/fuzz/conf.dict - >"$build/$name.dict"
        set -- -dict="$build/$name.dict"
    elif [ -e "tests/fuzz/$name.dict" ]; then
        set -- -dict="tests/fuzz/$name.dict"
    fi
    if is_plain "$name"; then
        # To tell how often each branch was taken keeps four times the inputs, and takes half the time.
        set -- "$@" -use_counters=0
    fi
    if at_fixed_addresses timeout $((seconds + 300)) "$build/tests/fuzz/fuzz-$name" "$@" -seed="$seed" \
        -max_total_time="$seconds" -timeout=60 -reload=0 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$build/findings/$name-" \
        "$build/learnt/$name" >"$log" 2>&1 && replay "$name" >>"$log" 2>&1; then
        inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "$name: nothing found in $inputs inputs, $seconds seconds, seed $seed"
        rm "$log"
    else
        echo "$name: FOUND SOMETHING, seed $seed"
        tail -n 60 "$log"
        return 1
    fi
}

if [ "${1:-}" = --one ]; then
    run_one "$2" "$3"
    exit
fi

seconds=${1:-60}
[ $# -eq 0 ] || shift
tests/packages.sh checkers
cmake --preset fuzz
cmake --build --preset fuzz --target fuzzers
mkdir -p "$build/findings"
if [ $# -eq 0 ]; then
    for corpus in tests/fuzz/corpus/*; do
        set -- "$@" "${corpus##*/}"
    done
fi
printf '%s\n' "$@" | xargs -P "${FUZZ_AT_ONCE:-$(nproc)}" -I NAME tests/fuzz/run.sh --one NAME "$seconds"
