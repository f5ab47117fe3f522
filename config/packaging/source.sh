#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Packs the sources of a commit into ibtrapd-VERSION.tar.gz: source.sh [COMMIT] [DIRECTORY]. The same commit gives the same
# file. The archive builds without git.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
commit=${1:-HEAD} directory=${2:-.}
version=$(git -C "$top" show "$commit:CMakeLists.txt" | sed -n 's/^project(ibtrapd VERSION \([0-9.]*\).*/\1/p')
archive=$directory/ibtrapd-$version.tar.gz
git -C "$top" archive --prefix="ibtrapd-$version/" "$commit" | gzip -9n >"$archive"
echo "$archive"
