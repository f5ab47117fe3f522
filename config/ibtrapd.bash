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
    local program=$1 word=$2 before=$3 one found=()
    case $before in
    -c | --config) mapfile -t found < <(compgen -f -- "$word") ;;
    -m | --modules) mapfile -t found < <(compgen -d -- "$word") ;;
    -i | --instance) mapfile -t found < <(_ibtrapd_instances) ;;
    *) mapfile -t found < <("$program" --help | grep -o -e '--[a-z][-a-z]*' | sort -u) ;;
    esac
    # Not by compgen -W, which would carry out what a file's name says.
    COMPREPLY=()
    for one in "${found[@]}"; do
        [[ $one != "$word"* ]] || COMPREPLY+=("$one")
    done
}

complete -F _ibtrapd ibtrapd
