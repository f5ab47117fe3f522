#!/bin/sh
# The tests under ASan+UBSan, TSan and valgrind, by hand: tests/checkers/run.sh [asan|tsan|valgrind]...
# The simulator's library is not ours; what it does is suppressed here.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
tests='^(unit|corpus|integration)'

sanitized() {
    cmake --preset "$1"
    cmake --build "build-$1"
    ctest --test-dir "build-$1" --output-on-failure --parallel 2 --tests-regex "$tests"
}

for checker in ${*:-asan tsan valgrind}; do
    case $checker in
    asan)
        # The preload libraries come before the run-time; umad2sim reads beyond its own buffers.
        ASAN_OPTIONS=verify_asan_link_order=0:replace_intrin=0 sanitized asan
        ;;
    tsan)
        TSAN_OPTIONS=suppressions=$here/tsan.supp sanitized tsan
        ;;
    valgrind)
        cmake --preset default
        cmake --build build
        IBTRAPD_WRAPPER="valgrind -q --leak-check=full --suppressions=$here/valgrind.supp" \
            /usr/bin/python3 -B -m pytest -q -p no:cacheprovider -k "not killed" \
            tests/integration/test_all_receivers.py tests/integration/test_durability.py
        ;;
    *)
        echo "usage: $0 [asan|tsan|valgrind]..." >&2
        exit 2
        ;;
    esac
done
