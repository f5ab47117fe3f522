#!/bin/sh
# Every C source is as .clang-format has it, by clang-format 14: format.sh DIRECTORY
set -eu

cd "$1"
git ls-files '*.c' '*.h' | xargs clang-format-14 --dry-run -Werror
