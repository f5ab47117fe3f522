#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the named checkers, or all of them, one after the other. Start it by hand:
# tests/checkers/run.sh [format|tidy|cppcheck|coverage|asan|tsan|valgrind]...
# The simulator's library is not ours; findings in it are suppressed here.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
tests='^(unit|corpus|model-reload|integration|faults-(disk$|memory))'

# Builds a preset. packages.sh has put the MIB modules that ours import into build/mib-base.
configured() {
    cmake --preset "$1"
    cmake --build "build-$1"
    ln -sfnT ../build/mib-base "build-$1/mib-base"
}

# Both checkers read build-fuzz/compile_commands.json, and the headers that a build writes.
readable() {
    cmake --preset fuzz
    cmake --build build-fuzz --target gateway/mib_modules.h gateway/page_files.c
}

# tested PRESET
tested() {
    ctest --test-dir "build-$1" --output-on-failure --parallel 2 --tests-regex "$tests"
}

# Prints findings only. Uses the preset of the fuzzers, as their compiler is clang. TIDY_NODES: how far
# the analyzer follows the paths of a function; without it, as far as clang's own default.
tidy() {
    readable
    run-clang-tidy -quiet -j "$(nproc)" -p build-fuzz -extra-arg=-Xclang -extra-arg=-analyzer-config \
        -extra-arg=-Xclang -extra-arg="max-nodes=${TIDY_NODES:-225000}" \
        "$PWD/gateway/.*\.c$" >build-fuzz/tidy.log 2>&1 || {
        sed 's/\x1b\[[0-9;]*m//g' build-fuzz/tidy.log | grep -E '(warning|error): ' | sort -u >&2
        return 1
    }
}

found_nothing() {
    echo "$1: nothing found"
}

tests/packages.sh checkers
for checker in ${*:-format tidy cppcheck coverage asan tsan valgrind}; do
    case $checker in
    format)
        tests/rules/format.sh
        ;;
    tidy)
        tidy
        found_nothing clang-tidy
        ;;
    cppcheck)
        readable
        cppcheck --project=build-fuzz/compile_commands.json --file-filter='*gateway/*' --quiet \
            -j "$(nproc)" --enable=warning,style,performance,portability --error-exitcode=1 \
            --library=gnu --library="$here/cppcheck.cfg" --suppressions-list="$here/cppcheck.supp"
        found_nothing cppcheck
        ;;
    coverage)
        configured coverage
        find build-coverage -name '*.gcda' -delete
        tested coverage
        "$here/coverage.py" build-coverage
        ;;
    asan)
        configured asan
        # The tests preload libraries before ASan's run-time; umad2sim reads beyond its own buffers.
        ASAN_OPTIONS=verify_asan_link_order=0:replace_intrin=0 tested asan
        ;;
    tsan)
        configured tsan
        # Symbols are off: to find a function's name, TSan opens files, and hangs if the simulator holds
        # its lock. Use addr2line -f -e build-tsan/ibtrapd to get the names.
        TSAN_OPTIONS=suppressions=$here/tsan.supp:symbolize=0 tested tsan
        ;;
    valgrind)
        cmake --preset default
        cmake --build build
        IBTRAPD_WRAPPER="valgrind -q --leak-check=full --suppressions=$here/valgrind.supp"
        export IBTRAPD_WRAPPER
        # Leaves out the tests that need an answer within five seconds: valgrind is too slow for them.
        /usr/bin/python3 -B -m pytest -q -p no:cacheprovider -k "not killed and not repeated" \
            tests/integration/test_all_receivers.py tests/integration/test_durability.py
        /usr/bin/python3 -B -m pytest -q -p no:cacheprovider \
            -k "scalars or walk_covers or reload or gateway_is_restarted" tests/integration/test_tables.py
        # Leaves out the test of many long answers, for which valgrind is too slow, too.
        /usr/bin/python3 -B -m pytest -q -p no:cacheprovider -k "not long_answers" \
            tests/integration/test_http.py tests/integration/test_alertmanager.py
        # At the end valgrind has glibc free what it holds. That unmaps librdkafka, and what its
        # libraries keep for the life of a process seems lost.
        IBTRAPD_WRAPPER="$IBTRAPD_WRAPPER --run-libc-freeres=no"
        IBTRAPD_WRAPPER="$IBTRAPD_WRAPPER --show-leak-kinds=definite --errors-for-leak-kinds=definite"
        /usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/integration/test_kafka.py
        ;;
    *)
        echo "usage: $0 [format|tidy|cppcheck|coverage|asan|tsan|valgrind]..." >&2
        exit 2
        ;;
    esac
done
