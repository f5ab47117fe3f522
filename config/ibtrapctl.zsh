#compdef ibtrapctl
# SPDX-License-Identifier: BSD-2-Clause
# Completion of ibtrapctl(8) for zsh: what the completion for bash offers.

_ibtrapctl()
{
    local -a found
    found=("${(@f)$(bash @COMPLETIONS@/ibtrapctl "${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
    compadd -S '' -- "${(@M)found:#*/}"
    compadd -- "${(@)found:#(*/|)}"
}

_ibtrapctl "$@"
