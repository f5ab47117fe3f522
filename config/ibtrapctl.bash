# Completion of ibtrapctl(8) for bash. What there is to complete, ibtrapctl --help says itself: a line
# "  journal export [N]   ..." is a command of two words and the value that may follow.

_ibtrapctl_commands()
{
    "$1" --help | sed -n 's/^  \([a-z][^ ]*\( [^ ]\+\)*\)  .*/\1/p'
}

_ibtrapctl_options()
{
    "$1" --help | grep -o -e '--[a-z][-a-z]*'
}

# The ports of this machine, as instances are called.
_ibtrapctl_instances()
{
    local port
    for port in /sys/class/infiniband/*/ports/*; do
        [[ -d $port ]] || continue
        port=${port#/sys/class/infiniband/}
        echo "${port/\/ports\//-}"
    done
}

_ibtrapctl_receivers()
{
    "$1" status --json 2>/dev/null |
        sed -n '/^  "receivers": \[/,/^  \]/s/^ *"name": "\(.*\)",\?$/\1/p'
}

# The numbers of the active alarms.
_ibtrapctl_alarms()
{
    "$1" alarms 2>/dev/null | awk '$2 ~ /^[-0-9]+T[:0-9]+Z$/ { print $1 }'
}

# What may stand for a word of the help: itself, or a value.
_ibtrapctl_words()
{
    case $2 in
    EVENT) "$1" catalogue | awk 'NR > 1 { print $1 }' ;;
    FOLDER) printf '%s\n' ib topology policy journal sink agentx agent pipeline control daemon ;;
    ALARM) _ibtrapctl_alarms "$1" ;;
    SEVERITY) printf '%s\n' emergency alert critical error warning notice informational debug ;;
    LEVEL) printf '%s\n' error warning info debug ;;
    RECEIVER) _ibtrapctl_receivers "$1" ;;
    CONFIG | FILE | PATH) compgen -f -- "$3" ;;
    *[A-Z]*) ;;
    *) tr '|' '\n' <<<"$2" ;;
    esac
}

# Whether the words typed so far begin the command, and there is more of it.
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
    local program=$1 word=$2 before=$3 i command=() typed=() found=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -s | --socket | -F | --file | -i | --instance) ((i++)) ;;
        --since | --until | --severity | --node | --event | --limit | --receiver) ((i++)) ;;
        -*) ;;
        *) typed+=("${COMP_WORDS[i]}") ;;
        esac
    done
    if [[ $before == @(-s|--socket|-F|--file) ]]; then
        mapfile -t found < <(compgen -f -- "$word")
    elif [[ $before == @(-i|--instance) ]]; then
        mapfile -t found < <(_ibtrapctl_instances)
    elif [[ $before == @(--severity|--event|--receiver) ]]; then
        before=${before#--}
        mapfile -t found < <(_ibtrapctl_words "$program" "${before^^}" "$word")
    elif [[ $before == @(--since|--until|--node|--limit) ]]; then
        found=()
    elif [[ $word == -* ]]; then
        mapfile -t found < <(_ibtrapctl_options "$program")
    else
        while read -r -a command; do
            _ibtrapctl_begins || continue
            mapfile -t -O ${#found[@]} found < <(
                _ibtrapctl_words "$program" "$(tr -d '[]' <<<"${command[${#typed[@]}]}")" "$word")
        done < <(_ibtrapctl_commands "$program")
    fi
    mapfile -t COMPREPLY < <(IFS=$'\n'; compgen -W "${found[*]}" -- "$word" | sort -u)
}

complete -F _ibtrapctl ibtrapctl
