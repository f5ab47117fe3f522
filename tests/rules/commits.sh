#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that every commit since the one that added this file has a subject within 72 columns, then an
# empty line, then a body within 100 columns: commits.sh
# Skips the check, with a message, without the history: in a tarball, in a shallow clone.
set -eu

LC_ALL=C.UTF-8
export LC_ALL

cd "$(dirname "$0")/../.."
first=
if [ "$(git rev-parse --is-shallow-repository 2>/dev/null || :)" = false ]; then
    first=$(git log --diff-filter=A --format=%H -- tests/rules/commits.sh | tail -n 1)
fi
if [ -z "$first" ]; then
    echo "commits: skipped: the history is not here"
    exit 0
fi

# Prints the lines that break the rule, of the commit message on standard input.
print_wrong_lines() {
    sed -nE -e '1s/^.{73,}$/the subject is longer than 72 columns: &/p' \
        -e '2s/^.+$/the second line is not empty: &/p' \
        -e '3,$s/^.{101,}$/a line is longer than 100 columns: &/p'
}

wrong=$(git rev-list --reverse "$first^..HEAD" | while read -r commit; do
    git log -1 --format=%B "$commit" | print_wrong_lines | sed "s/^/$(git log -1 --format=%h "$commit"): /"
done)
if [ -n "$wrong" ]; then
    printf '%s\n' "$wrong" >&2
    exit 1
fi
echo "commits: $(git rev-list --count "$first^..HEAD") follow the rule"
