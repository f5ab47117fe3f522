#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs in the machine, as run.sh orders it: the tests, or a program. Leaves its exit status for run.sh.
cd /run/outside || exit 1
exec >/dev/ttyS1 2>&1 </dev/null
stty -F /dev/ttyS1 -opost 2>/dev/null
export IBTRAPD_IN_MACHINE=1 PYTHONDONTWRITEBYTECODE=1 HOME=/root

set --
while IFS= read -r argument; do
    set -- "$@" "$argument"
done <arguments

program=$(cat program)
uname -srv
case $program in
*.py) python3 "$program" "$@" ;;
*.sh) sh "$program" "$@" ;;
*) python3 -m pytest -v --color=no --tb=short --durations=0 --durations-min=5 -p no:cacheprovider /run/outside "$@" ;;
esac
echo $? >status.new
sync
mv status.new status
