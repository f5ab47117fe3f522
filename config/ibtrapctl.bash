# SPDX-License-Identifier: BSD-2-Clause
# Completion of ibtrapctl(8) for bash. `ibtrapctl completion` lists commands, options and values, a line each:
# "command journal export [N]", "takes journal export: --json ...", "option --since TIME", "values LEVEL error warning
# ...". `ibtrapctl completion RECEIVER` lists what the daemon knows.

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

# The words that the daemon of the command line has for a word of a synopsis ($2).
_ibtrapctl_ask()
{
    "$1" "${daemon[@]}" completion "$2" 2>/dev/null
}

# Completions for a word of a command's synopsis ($2): the word itself, or its values.
_ibtrapctl_words()
{
    case $2 in
    RECEIVER)
        if [[ ${command[1]-} == forget ]]; then
            _ibtrapctl_ask "$1" GONE
        else
            _ibtrapctl_ask "$1" RECEIVER
        fi
        ;;
    ALARM | WINDOW | NODE) _ibtrapctl_ask "$1" "$2" ;;
    NODE/PORT) _ibtrapctl_ask "$1" NODE | sed 's|$|/|' ;;
    A | B) _ibtrapctl_ask "$1" SNAPSHOT; echo now ;;
    INSTANCE) _ibtrapctl_instances ;;
    CONFIG | FILE | PATH) compgen -f -- "$3" ;;
    *'|'*) tr '|' '\n' <<<"$2" | grep -v '[A-Z]' ;;
    *[A-Z]*) sed -n "s/^values $2 //p" <<<"$list" | tr ' ' '\n' ;;
    *) tr '|' '\n' <<<"$2" ;;
    esac
}

# The options of the command typed so far; of all commands before a command is typed.
_ibtrapctl_options()
{
    local i head
    for ((i = ${#typed[@]}; i > 0; i--)); do
        # Not by sed, which would carry out what a word says.
        head=$'\n'"takes ${typed[*]:0:i}: "
        if [[ $list == *"$head"* ]]; then
            head -n 1 <<<"${list#*"$head"}" | tr ' ' '\n'
            return
        fi
    done
    sed -n 's/^option \(--[^ ]*\).*/\1/p' <<<"$list"
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
    local program=$1 word=$2 before=$3 i list value='' command=() typed=() found=() daemon=()
    list=$("$program" completion)
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -i | --instance | --socket) daemon+=("${COMP_WORDS[i]}" "${COMP_WORDS[++i]-}") ;;
        -*) [[ -z $(_ibtrapctl_value_of "${COMP_WORDS[i]}") ]] || ((++i)) ;;
        *) typed+=("${COMP_WORDS[i]}") ;;
        esac
    done
    [[ $before != -* ]] || value=$(_ibtrapctl_value_of "$before")
    if [[ -n $value ]]; then
        mapfile -t found < <(_ibtrapctl_words "$program" "$value" "$word")
    elif [[ $word == -* ]]; then
        mapfile -t found < <(_ibtrapctl_options)
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

# As a program, for the completion of other shells: the words of a command line, the last one to be completed. Prints what
# fits, a line each.
if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _ibtrapctl "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '%s\n' "${COMPREPLY[@]}"
else
    complete -F _ibtrapctl ibtrapctl
fi
