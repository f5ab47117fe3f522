#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that clang-format would change no C source: format.sh
# Skips the check, with a message, without clang-format 14: other versions format differently.
set -eu

cd "$(dirname "$0")/../.."
formatter=
for program in clang-format-14 clang-format; do
    case $($program --version 2>/dev/null || :) in
    *'version 14.'*)
        formatter=$program
        break
        ;;
    esac
done
if [ -z "$formatter" ]; then
    echo "format: skipped: clang-format 14 is not installed"
    exit 0
fi

# Lists the C sources. Outside a git repository, as in a tarball, it searches the folders.
sources() {
    git ls-files '*.c' '*.h' 2>/dev/null || find gateway tests config mibs -name '*.[ch]'
}

sources | xargs "$formatter" --dry-run -Werror
echo "format: $(sources | wc -l) files are formatted"
