# SPDX-License-Identifier: BSD-2-Clause
# Completion of ibtrapd(8) for bash. The options come from ibtrapd --help.

# The ports of this machine, as names of instances.
_ibtrapd_instances()
{
    local port
    for port in /sys/class/infiniband/*/ports/*; do
        [[ -d $port ]] || continue
        port=${port#/sys/class/infiniband/}
        echo "${port/\/ports\//-}"
    done
}

_ibtrapd()
{
    local program=$1 word=$2 before=$3 found
    case $before in
    -c | --config) found=$(compgen -f -- "$word") ;;
    -i | --instance) found=$(_ibtrapd_instances) ;;
    *) found=$("$program" --help | grep -o -e '--[a-z][-a-z]*') ;;
    esac
    mapfile -t COMPREPLY < <(IFS=$'\n'; compgen -W "$found" -- "$word" | sort -u)
}

complete -F _ibtrapd ibtrapd
