# SPDX-License-Identifier: BSD-2-Clause
# Completion of ibtrapctl(8) for bash. `ibtrapctl completion` lists commands, options and values, a line each:
# "command journal export [N]", "option --since TIME", "values LEVEL error warning ...".

# The ports of this machine, as names of instances.
_ibtrapctl_instances()
{
    local port
    for port in /sys/class/infiniband/*/ports/*; do
        [[ -d $port ]] || continue
        port=${port#/sys/class/infiniband/}
        echo "${port/\/ports\//-}"
    done
}

# The names in one of the lists of receivers ($2).
_ibtrapctl_receivers()
{
    "$1" receivers --json 2>/dev/null |
        sed -n '/^  "'"$2"'": \[$/,/^  \]/s/^ *"name": "\(.*\)",\?$/\1/p'
}

# The numbers of the active alarms.
_ibtrapctl_alarms()
{
    "$1" alarms 2>/dev/null | awk '$2 ~ /^[-0-9]+T[:0-9]+Z$/ { print $1 }'
}

# Completions for a word of a command's synopsis ($2): the word itself, or its values.
_ibtrapctl_words()
{
    case $2 in
    EVENT) "$1" catalogue | awk 'NR > 1 { print $1 }' ;;
    ALARM) _ibtrapctl_alarms "$1" ;;
    RECEIVER)
        if [[ ${command[1]-} == forget ]]; then
            _ibtrapctl_receivers "$1" gone
        else
            _ibtrapctl_receivers "$1" receivers
        fi
        ;;
    INSTANCE) _ibtrapctl_instances ;;
    CONFIG | FILE | PATH) compgen -f -- "$3" ;;
    *'|'*) tr '|' '\n' <<<"$2" | grep -v '[A-Z]' ;;
    *[A-Z]*) sed -n "s/^values $2 //p" <<<"$list" | tr ' ' '\n' ;;
    *) tr '|' '\n' <<<"$2" ;;
    esac
}

# The name of an option's value; empty: the option has no value.
_ibtrapctl_value_of()
{
    awk -v option="$1" '$1 == "option" && $2 == option { print $3 }' <<<"$list"
}

# Whether the words typed so far begin the command, and the command has further words.
_ibtrapctl_begins()
{
    local i
    ((${#typed[@]} < ${#command[@]})) || return
    for ((i = 0; i < ${#typed[@]}; i++)); do
        [[ "|${command[i]}|" == *"|${typed[i]}|"* || ${command[i]} == *[A-Z]* ]] || return 1
    done
}

_ibtrapctl()
{
    local program=$1 word=$2 before=$3 i list value='' command=() typed=() found=()
    list=$("$program" completion)
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) [[ -z $(_ibtrapctl_value_of "${COMP_WORDS[i]}") ]] || ((++i)) ;;
        *) typed+=("${COMP_WORDS[i]}") ;;
        esac
    done
    [[ $before != -* ]] || value=$(_ibtrapctl_value_of "$before")
    if [[ -n $value ]]; then
        mapfile -t found < <(_ibtrapctl_words "$program" "$value" "$word")
    elif [[ $word == -* ]]; then
        mapfile -t found < <(sed -n 's/^option \(--[^ ]*\).*/\1/p' <<<"$list")
    elif [[ ${typed[0]-} == help ]]; then
        typed=("${typed[@]:1}")
        while read -r -a command; do
            [[ ${command[${#typed[@]}]-} != *[A-Z]* ]] && _ibtrapctl_begins && found+=("${command[${#typed[@]}]}")
        done < <(sed -n 's/^command //p' <<<"$list")
    else
        while read -r -a command; do
            _ibtrapctl_begins || continue
            mapfile -t -O ${#found[@]} found < <(
                _ibtrapctl_words "$program" "$(tr -d '[].' <<<"${command[${#typed[@]}]}")" "$word")
        done < <(sed -n 's/^command //p' <<<"$list")
    fi
    # Not by compgen -W, which would carry out what a file's name says.
    COMPREPLY=()
    while read -r value; do
        [[ -z $value || $value != "$word"* ]] || COMPREPLY+=("$value")
    done < <(printf '%s\n' "${found[@]}" | sort -u)
}

complete -F _ibtrapctl ibtrapctl
